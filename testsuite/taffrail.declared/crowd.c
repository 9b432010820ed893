/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Declares 60,000 markers, prints "ready", and writes an event of the first and
 * of the last one for each line of its input.
 */
#include <stdio.h>
#include <taffrail/event.h>

#define MANY	60000

static struct taffrail_declared *declare(int i)
{
	static const struct taffrail_event_field fields[] = {
		{ "identifier", TAFFRAIL_T_S32 },
		{ "universal_resource_locator", TAFFRAIL_T_STRING },
	};
	char name[64];

	snprintf(name, sizeof(name), "one_marker_of_very_many_%d", i);
	return taffrail_event_declare("crowd", name, fields, 2);
}

static void write_event(struct taffrail_declared *event)
{
	union taffrail_value values[2];

	values[0] = taffrail_value_i64(1);
	values[1] = taffrail_value_string("/");
	taffrail_event_write(event, values);
}

int main(void)
{
	struct taffrail_declared *first = declare(0), *last = first;
	char line[16];
	int i;

	for (i = 1; i < MANY && last; i++)
		last = declare(i);
	if (!last)
		return 1;
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		write_event(first);
		write_event(last);
		puts("written");
		fflush(stdout);
	}
	return 0;
}

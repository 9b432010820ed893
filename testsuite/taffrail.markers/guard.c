/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a marker's arguments and TAFFRAIL_ENABLED cost while the marker is off:
 * counts the calls among the arguments, and prints them.
 */
#include <stdio.h>
#include <taffrail/marker.h>

static int calls;
static int prepared;

static int call(int n)
{
	calls++;
	return n;
}

int main(void)
{
	int n;

	for (n = 0; n < 100; n++) {
		TAFFRAIL_EVENT(app, on, TAFFRAIL_FIELD(value, call(n)));
		TAFFRAIL_MARK(app, mark_on, "value %d", call(n));
	}
	printf("on %d\n", calls);
	calls = 0;
	for (n = 0; n < 100; n++) {
		TAFFRAIL_EVENT(app, off, TAFFRAIL_FIELD(value, call(n)));
		TAFFRAIL_MARK(app, mark_off, "value %d", call(n));
	}
	printf("off %d\n", calls);
	for (n = 0; n < 100; n++)
		if (TAFFRAIL_ENABLED(app, on))
			prepared++;
	printf("prepared on %d\n", prepared);
	prepared = 0;
	for (n = 0; n < 100; n++)
		if (TAFFRAIL_ENABLED(app, off))
			prepared++;
	printf("prepared off %d\n", prepared);
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Passes a marker ten times. With an argument, says "ready", and passes it ten
 * times more for each line of its input, until the line "end".
 */
#include <stdio.h>
#include <string.h>

#include <taffrail/marker.h>

static void pass(void)
{
	int i;

	for (i = 0; i < 10; i++)
		TAFFRAIL_MARK(app, pass, "i %d", i);
}

int main(int argc, char **argv)
{
	char line[64];

	(void)argv;
	pass();
	if (argc < 2)
		return 0;
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin) && strcmp(line, "end\n"))
		pass();
	puts("right");
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes a line to its error output for each line that it reads. */
#include <stdio.h>
#include <taffrail/marker.h>

int main(void)
{
	char line[100];

	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		TAFFRAIL_EVENT(app, line, TAFFRAIL_STR(line));
		fprintf(stderr, "program: %s", line);
	}
	return 0;
}

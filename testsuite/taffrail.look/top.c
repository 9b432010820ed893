/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints "ready", and does N pieces of work for a line of its input: a
 * millisecond each if N is small. Then prints "done", and for which line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <taffrail/marker.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1;
	char line[16];
	int lines = 0;

	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		for (long i = 0; i < n; i++) {
			TAFFRAIL_EVENT(app, work_begin, i);
			if (n <= 1000)
				usleep(1000);
			TAFFRAIL_EVENT(app, work_end, i);
			TAFFRAIL_EVENT(app, tick, i);
		}
		printf("done %d\n", ++lines);
		fflush(stdout);
	}
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * For each line of its input, "NAME N", writes N events app/NAME, and prints
 * "done".
 */
#include <stdio.h>
#include <string.h>
#include <taffrail/marker.h>

int main(void)
{
	char name[16];
	long n;
	static long step;

	puts("ready");
	fflush(stdout);
	while (scanf("%15s %ld", name, &n) == 2) {
		int late = !strcmp(name, "late");

		for (; n > 0; n--) {
			if (late)
				TAFFRAIL_EVENT(app, late, step);
			else
				TAFFRAIL_EVENT(app, step, step);
			step++;
		}
		puts("done");
		fflush(stdout);
	}
	return 0;
}

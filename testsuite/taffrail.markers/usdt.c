/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hits a marker as often as each line of its input says; ends with the input.
 */
#include <stdio.h>
#include <taffrail/marker.h>

int main(void)
{
	int n = 0;
	int more;

	puts("ready");
	fflush(stdout);
	while (scanf("%d", &more) == 1) {
		while (more-- > 0) {
			TAFFRAIL_EVENT(app, hit, n);
			n++;
		}
		printf("done %d\n", n);
		fflush(stdout);
	}
	return 0;
}

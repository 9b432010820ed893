/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program whose marker names its values. Lines of stdin: "hit N" hits it N
 * times, and "hits N" is the answer; "end" ends it.
 */
#include <stdio.h>
#include <string.h>

#include <taffrail/marker.h>

enum state { IDLE, RUNNING, DONE };

int main(void)
{
	char line[64];
	int n, i;

	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin) && strcmp(line, "end\n")) {
		if (sscanf(line, "hit %d", &n) != 1)
			return 2;
		for (i = 0; i < n; i++) {
			enum state state = (enum state)(i % 4);
			const char *text = "a\nb\033[1mc\177";

			TAFFRAIL_EVENT(app, step, i, TAFFRAIL_ENUM(state, IDLE,
				       RUNNING, DONE));
			TAFFRAIL_EVENT(app, odd, i, text);
		}
		printf("hits %d\n", n);
		fflush(stdout);
	}
	puts("right");
	return 0;
}

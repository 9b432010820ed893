/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program that does one thing a line, while a command looks at it:
 *
 *	"hit N"		app/hit, N times; prints "hits SUM"
 *	"fork"		a child that hits app/child and ends; prints "forked"
 *	"exec PATH"	executes another program
 *	"end"
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <taffrail/marker.h>

int main(void)
{
	char line[1024];
	int sum = 0, n;
	pid_t child;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("ready\n");
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "hit %d", &n) == 1) {
			while (n-- > 0) {
				sum++;
				TAFFRAIL_EVENT(app, hit, sum);
			}
			printf("hits %d\n", sum);
		} else if (!strcmp(line, "fork")) {
			child = fork();
			if (!child) {
				TAFFRAIL_EVENT(app, child, sum);
				_exit(0);
			}
			waitpid(child, NULL, 0);
			printf("forked\n");
		} else if (!strncmp(line, "exec ", 5)) {
			execl(line + 5, line + 5, NULL);
			return 1;
		} else if (!strcmp(line, "end")) {
			return 0;
		}
	}
	return 1;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * For each number N in its input, forks N children one after the other, each of
 * which writes two events, and prints "done".
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <taffrail/marker.h>

static int child(long number)
{
	TAFFRAIL_EVENT(app, work_begin, number);
	TAFFRAIL_EVENT(app, work_end, number);
	return 0;
}

int main(void)
{
	static long number;
	long n;

	puts("ready");
	fflush(stdout);
	while (scanf("%ld", &n) == 1) {
		for (; n > 0; n--, number++) {
			pid_t pid = fork();

			if (!pid)
				_exit(child(number));
			if (pid < 0 || waitpid(pid, NULL, 0) != pid)
				return 1;
		}
		puts("done");
		fflush(stdout);
	}
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program without markers. At an 's' it takes five steps; at an 'f' it forks,
 * and the child goes on reading in its place.
 */
#include <stdio.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

int count;

__attribute__((noinline)) static void step(int n)
{
	count += n;		/* step */
}

__attribute__((noinline)) static void end(int n)
{
	count += n;		/* end */
}

int main(void)
{
	pid_t child;
	char c;
	int i;

	puts("ready");
	fflush(stdout);
	while (read(0, &c, 1) == 1) {
		for (i = 0; c == 's' && i < 5; i++)
			step(i);
		child = c == 'f' ? fork() : 0;
		if (child > 0) {
			waitpid(child, NULL, 0);
			return 0;
		}
		end(i);
		if (c != '\n') {
			printf("%c %d\n", c, (int)getpid());
			fflush(stdout);
		}
	}
	return 0;
}

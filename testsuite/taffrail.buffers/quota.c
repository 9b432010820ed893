/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * quota CHILDREN: prints "ready" and waits for a line; then forks children
 * that emit 100 events each, prints "forked" when all have, and waits for the
 * end of its input.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <unistd.h>

static void child(int i, int done)
{
	for (int k = 0; k < 100; k++)
		TAFFRAIL_EVENT(app, child, i, k);
	if (write(done, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	int children = argc > 1 ? atoi(argv[1]) : 0;
	int done[2];
	char c;

	puts("ready");
	fflush(stdout);
	if (getchar() == EOF || pipe(done))
		return 1;
	TAFFRAIL_EVENT(app, parent, children);
	for (int i = 0; i < children; i++)
		if (!fork())
			child(i, done[1]);
	for (int i = 0; i < children; i++)
		if (read(done[0], &c, 1) != 1)
			return 1;
	puts("forked");
	fflush(stdout);
	while (getchar() != EOF)
		;
	signal(SIGTERM, SIG_IGN);
	kill(0, SIGTERM);
	while (wait(NULL) > 0)
		;
	return 0;
}

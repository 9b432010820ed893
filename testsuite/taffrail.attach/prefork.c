/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A server with workers: forks two children, and one that executes another
 * program, before it says "ready". The server and its two children then hit a
 * marker every millisecond, until the end of the server's input. No library is
 * linked: the children have an agent only if a command loads it.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <taffrail/marker.h>
#include <unistd.h>

#define CHILDREN	3

/* Hits the marker until there is input, or its end. */
static void serve_until(int fd)
{
	struct pollfd input = { .fd = fd, .events = POLLIN };

	do
		TAFFRAIL_EVENT(app, tick, TAFFRAIL_FIELD(pid, (int)getpid()));
	while (!poll(&input, 1, 1));
}

int main(void)
{
	for (int i = 0; i < CHILDREN; i++) {
		if (fork())
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!i)
			execlp("sleep", "sleep", "600", (char *)NULL);
		/* nothing is read from there: until the parent ends */
		serve_until(-1);
		return 1;
	}
	puts("ready");
	fflush(stdout);
	serve_until(STDIN_FILENO);
	return 0;
}

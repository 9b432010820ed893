/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * outlive FIFO: hits app:hit once. At a line of input it hits again and forks a
 * child, at another line it ends. The child waits until FIFO is opened for
 * writing, and hits app:hit CHILD times: its first events.
 */
#include <fcntl.h>
#include <stdio.h>
#include <taffrail/marker.h>
#include <unistd.h>

enum { CHILD = 7 };

static int child(const char *fifo)
{
	int i;

	if (open(fifo, O_RDONLY) < 0)
		return 1;
	for (i = 0; i < CHILD; i++)
		TAFFRAIL_EVENT(app, hit, i);
	return 0;
}

int main(int argc, char **argv)
{
	char line[16];
	pid_t pid;

	TAFFRAIL_EVENT(app, hit, -1);
	if (argc != 2 || !fgets(line, sizeof(line), stdin))
		return 2;
	TAFFRAIL_EVENT(app, hit, -2);
	pid = fork();
	if (!pid)
		return child(argv[1]);
	printf("child %d\n", pid);
	fflush(stdout);
	return !fgets(line, sizeof(line), stdin);
}

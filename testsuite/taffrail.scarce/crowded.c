/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * crowded N: N children that live at once. Each hits 5 times, waits for all
 * others and for a recorder that has looked, and hits 5 times.
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <taffrail/marker.h>

#define LOOKED_US	1000000

static void hit(int n)
{
	int i;

	for (i = 0; i < n; i++)
		TAFFRAIL_MARK(app, hit, "i %d", i);
}

static int child(const int *begun, const int *end)
{
	char byte = 0;

	close(end[1]);
	hit(5);
	if (write(begun[1], &byte, 1) != 1 || read(end[0], &byte, 1))
		return 1;
	hit(5);
	return 0;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0;
	int begun[2], end[2], status, wrong = 0;
	char byte;
	int i;

	if (pipe(begun) || pipe(end))
		return 1;
	for (i = 0; i < n; i++)
		if (!fork())
			_exit(child(begun, end));
	for (i = 0; i < n; i++)
		wrong |= read(begun[0], &byte, 1) != 1;
	usleep(LOOKED_US);
	close(end[1]);
	while (wait(&status) > 0)
		wrong |= status;
	return !!wrong;
}

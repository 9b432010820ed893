/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * replaced PROGRAM: hits app:hit five times, and executes the program, which
 * has no agent; without an argument it says "here" and waits for a line of
 * input.
 */
#include <stdio.h>
#include <taffrail/marker.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int i;

	for (i = 0; argc > 1 && i < 5; i++)
		TAFFRAIL_EVENT(app, hit, i);
	if (argc > 1)
		return execv(argv[1], argv + 1);
	puts("here");
	fflush(stdout);
	return getchar() < 0;
}

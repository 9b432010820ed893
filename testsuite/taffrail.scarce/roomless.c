/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Executes itself ROUNDS times, one process after the other. Each process may
 * make only small files, so no rings, and emits ten events. Half of the
 * processes end with _exit(), the others with exit().
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <unistd.h>

#define EVENTS	10

static void emit(int way)
{
	int n;

	for (n = 0; n < EVENTS; n++)
		TAFFRAIL_EVENT(app, hit, n);
	if (way)
		_exit(0);
	exit(0);
}

int main(int argc, char **argv)
{
	struct rlimit small = { 24 << 10, 24 << 10 };
	int rounds = argc > 1 ? atoi(argv[1]) : 0;
	int i;

	if (argc > 2)
		emit(atoi(argv[2]));
	setrlimit(RLIMIT_FSIZE, &small);
	for (i = 0; i < rounds; i++) {
		if (!fork()) {
			execl(argv[0], argv[0], "0", i & 1 ? "1" : "0", NULL);
			_exit(127);
		}
		if (wait(NULL) < 0)
			return 1;
	}
	printf("%d\n", rounds * EVENTS);
	return 0;
}

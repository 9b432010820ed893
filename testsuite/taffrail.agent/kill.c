/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Children that are killed at any moment of their writing. What each has
 * written is in memory that it shares with its parent, so that the parent can
 * say: it prints "NAME LEAST MOST" a child; the event that was being written
 * may or may not be there.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <time.h>
#include <unistd.h>

enum { CHILDREN = 40, EVENTS_MAX = 3000 };

static volatile int *before;
static volatile int *after;

static void write_all(int child)
{
	char who[16];
	int n;

	snprintf(who, sizeof(who), "child%d", child);
	for (n = 0; n < EVENTS_MAX; n++) {
		before[child] = n + 1;
		TAFFRAIL_EVENT(app, hit, TAFFRAIL_STR(who), n);
		after[child] = n + 1;
	}
	for (;;)
		pause();
}

/* Until some moment: any at all, or one of its writing. */
static void wait_for(int child)
{
	struct timespec delay = { .tv_nsec = rand() % 400000 };
	int events = rand() % (EVENTS_MAX - 1);

	if (child % 4)
		while (!before[child])
			;
	if (child % 4 < 2)
		nanosleep(&delay, NULL);
	else
		while (after[child] <= events)
			;
}

int main(void)
{
	int i;

	before = mmap(NULL, 2 * CHILDREN * sizeof(*before),
		      PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (before == MAP_FAILED)
		return 1;
	after = before + CHILDREN;
	srand(1);
	for (i = 0; i < CHILDREN; i++) {
		pid_t child = fork();

		if (!child)
			write_all(i);
		if (child < 0)
			return 1;
		wait_for(i);
		kill(child, SIGKILL);
		if (waitpid(child, NULL, 0) != child)
			return 1;
		printf("child%d %d %d\n", i, after[i], before[i]);
	}
	return 0;
}

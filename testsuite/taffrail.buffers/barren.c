/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A child that may make only small files, so no rings: its events have no room.
 * Prints how many it emitted and the processor time of an event in nanoseconds.
 * Then it may make rings again, and emits an event that has room.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <time.h>
#include <unistd.h>

#define EVENTS	50000

static double processor_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The agent does not see it, and makes no rings before. */
static void size_limit(const struct rlimit *limit)
{
	syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, limit, NULL);
}

static void child(void)
{
	struct rlimit none = { 128 << 10, RLIM_INFINITY };
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	double begin;
	long n;

	size_limit(&none);
	TAFFRAIL_EVENT(app, first, TAFFRAIL_FIELD(n, 0L));
	begin = processor_ns();
	for (n = 1; n < EVENTS; n++)
		TAFFRAIL_EVENT(app, roomless, n);
	printf("child %d %.0f\n", EVENTS, (processor_ns() - begin) / EVENTS);
	size_limit(&all);
	for (n = 0; n < 40; n++) {
		TAFFRAIL_EVENT(app, again, n);
		usleep(10000);
	}
	fflush(stdout);
	_exit(0);
}

int main(void)
{
	int status = 1;

	TAFFRAIL_EVENT(app, parent, TAFFRAIL_FIELD(n, 1));
	fflush(stdout);
	if (!fork())
		child();
	wait(&status);
	return !!status;
}

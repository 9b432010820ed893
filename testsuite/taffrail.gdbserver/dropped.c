/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hits app/long, whose tracepoint collects much, while a handler hits app/tick:
 * until 20 of the handler's hits have come, and for two seconds at most. Prints
 * the number of all hits.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <taffrail/marker.h>
#include <time.h>

enum { TICKS = 20, PERIOD_US = 500 };

char bulk[200000];
static volatile int hits, ticks;

static void tick(int number)
{
	(void)number;
	hits++;
	ticks++;
	TAFFRAIL_EVENT(app, tick, (int)ticks);
}

static __attribute__((noinline)) void hit(int n)
{
	hits++;
	TAFFRAIL_EVENT(app, long, n);
}

static __attribute__((noinline)) void ready(void)
{
	__asm__ volatile("" ::: "memory");
}

static __attribute__((noinline)) void done(void)
{
	__asm__ volatile("" ::: "memory");
}

int main(void)
{
	struct itimerval every = { { 0, PERIOD_US }, { 0, PERIOD_US } };
	time_t end = time(NULL) + 2;
	int n = 0;

	memset(bulk, 1, sizeof(bulk));
	signal(SIGALRM, tick);
	ready();
	setitimer(ITIMER_REAL, &every, NULL);
	while (ticks < TICKS && time(NULL) < end)
		hit(n++);
	memset(&every, 0, sizeof(every));
	setitimer(ITIMER_REAL, &every, NULL);
	printf("hits %d\n", hits);
	fflush(stdout);
	done();
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hits whose tracepoints have conditions: 100 of app/some, each with its number
 * in a vector register, and a handler's in between. Then app/without and
 * app/with are hit in turns; prints how many times longer the second one takes,
 * in hundredths.
 */
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <taffrail/marker.h>

enum { HITS = 100, ROUNDS = 40, LOOPS = 2000 };

static volatile double sum;

static __attribute__((noinline)) void some(int n, double d)
{
	TAFFRAIL_EVENT(app, some, n);
	sum = sum + d;
}

static __attribute__((noinline)) void without(int n)
{
	TAFFRAIL_EVENT(app, without, n);
}

static __attribute__((noinline)) void with(int n)
{
	TAFFRAIL_EVENT(app, with, n);
}

static __attribute__((noinline)) void ready(void)
{
	__asm__ volatile("" ::: "memory");
}

static __attribute__((noinline)) void done(void)
{
	__asm__ volatile("" ::: "memory");
}

static void interrupt(int number)
{
	(void)number;
	some(-1, -1.5);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double round_of(void (*hit)(int))
{
	double begin = now();
	int i;

	for (i = 0; i < LOOPS; i++)
		hit(i);
	return now() - begin;
}

int main(void)
{
	double best[2] = { 1e18, 1e18 };
	int i;

	signal(SIGUSR1, interrupt);
	ready();
	for (i = 0; i < HITS; i++) {
		some(i, i + 0.25);
		if (i % 20 == 0)
			raise(SIGUSR1);
	}
	for (i = 0; i < ROUNDS; i++) {
		double time = round_of(i % 2 ? with : without);

		if (time < best[i % 2])
			best[i % 2] = time;
	}
	printf("ratio %d\n", (int)(100 * best[1] / best[0]));
	fflush(stdout);
	done();
	return 0;
}

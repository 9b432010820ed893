/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests of one thread, each of which begins on one CPU and ends on another:
 * even ones from the first CPU to the second, odd ones back. Each line says
 * between which bounds a request's length lies, in nanoseconds: the time inside
 * its two markers, and around them.
 *
 * contexts N
 */
#define _GNU_SOURCE

#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <taffrail/marker.h>

static int cpus[2];

static int find_cpus(void)
{
	cpu_set_t set;
	int n = 0;

	if (sched_getaffinity(0, sizeof(set), &set))
		return -1;
	for (int cpu = 0; cpu < CPU_SETSIZE && n < 2; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpus[n++] = cpu;
	return n == 2 ? 0 : -1;
}

static void move_to(int i)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpus[i], &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		abort();
}

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0;

	if (find_cpus())
		return 77;
	for (int i = 0; i < n; i++) {
		int64_t from, to, before, after;

		move_to(i % 2);
		before = now();
		TAFFRAIL_EVENT(app, request_begin, i);
		from = now();
		move_to((i + 1) % 2);
		to = now();
		TAFFRAIL_EVENT(app, request_end, i);
		after = now();
		printf("%d %lld %lld\n", i, (long long)(to - from),
		       (long long)(after - before));
	}
	return 0;
}

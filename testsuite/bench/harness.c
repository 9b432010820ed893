/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The measuring harness, see bench.h.
 *
 * What must stay true: the second thread sleeps while one thread is measured,
 * and spins, on its own CPU, only while two are. Processor time is what is
 * counted: a repetition during which the scheduler ran something else costs
 * what it cost, not what the other one took.
 */
#include "testsuite/bench/bench.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WARM_ROUNDS	10
#define NS_PER_S	1e9
#define RING_LAPS	4	/* over the ring before measuring: maps it */

static struct bench_thread threads[2];
static const struct bench_case *bench_cases;
static unsigned bench_count;
static unsigned bench_rounds;
static double *alone;		/* by case and round */
static double *together;	/* by case, thread and round */
static pthread_barrier_t asleep;
static unsigned arrived;	/* at the spinning barrier, ever */
static int finished;

static double clock_ns(int wall)
{
	struct timespec t;

	clock_gettime(wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * NS_PER_S + (double)t.tv_nsec;
}

/* The n-th CPU this process may use, or -1. */
static int cpu_nth(const cpu_set_t *allowed, int n)
{
	int cpu;

	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, allowed) && n-- == 0)
			return cpu;
	return -1;
}

static void pin(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

/* Both threads leave it within some nanoseconds of each other. */
static void meet(void)
{
	unsigned mine = __atomic_add_fetch(&arrived, 1, __ATOMIC_ACQ_REL);
	unsigned goal = (mine + 1) & ~1u;
	unsigned spins = 0;

	while ((int)(__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) - goal) < 0)
		if (++spins > 10000)
			sched_yield();
		else
			__asm__ volatile("" : : : "memory");
}

static double repetition(const struct bench_case *row,
			 struct bench_thread *thread)
{
	double begin = clock_ns(row->wall);

	row->run(thread, row->n);
	return (clock_ns(row->wall) - begin) / (double)row->n;
}

/* All cases once, by one thread; rounds below 0 only warm up. */
static void pass_alone(int round)
{
	unsigned i;

	for (i = 0; i < bench_count; i++) {
		double ns = repetition(&bench_cases[i], &threads[0]);

		if (round >= 0)
			alone[i * bench_rounds + (unsigned)round] = ns;
	}
}

/* The same by two threads, each of which calls this with its number. */
static void pass_together(int round, unsigned number)
{
	unsigned i;

	for (i = 0; i < bench_count; i++) {
		double ns;

		meet();
		ns = repetition(&bench_cases[i], &threads[number]);
		if (round >= 0)
			together[(i * 2 + number) * bench_rounds +
				 (unsigned)round] = ns;
	}
	meet();
}

static void *second_main(void *arg)
{
	int round = -WARM_ROUNDS;

	pin(*(int *)arg);
	for (;; round++) {
		pthread_barrier_wait(&asleep);
		if (finished)
			return NULL;
		pass_together(round, 1);
	}
}

static int rounds_run(int second_cpu)
{
	pthread_t second;
	int round;

	if (second_cpu >= 0 &&
	    pthread_create(&second, NULL, second_main, &second_cpu))
		return -1;
	for (round = -WARM_ROUNDS; round < (int)bench_rounds; round++) {
		pass_alone(round);
		if (second_cpu < 0)
			continue;
		pthread_barrier_wait(&asleep);
		pass_together(round, 0);
	}
	if (second_cpu < 0)
		return 0;
	finished = 1;
	pthread_barrier_wait(&asleep);
	return pthread_join(second, NULL) ? -1 : 0;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print_row(const char *prefix, const char *name, int nthreads,
		      double *v, unsigned n)
{
	qsort(v, n, sizeof(*v), compare);
	printf("ns %s.%s %d %.3f %.3f %.3f\n", prefix, name, nthreads,
	       v[n / 2], v[n / 10], v[n - 1 - n / 10]);
}

static int threads_make(void)
{
	int i;

	for (i = 0; i < 2; i++) {
		threads[i].ring = aligned_alloc(4096, BENCH_RING_BYTES + 4096);
		threads[i].bytes = aligned_alloc(64, BENCH_TEXT_BYTES);
		if (!threads[i].ring || !threads[i].bytes)
			return -1;
		memset(threads[i].ring, 1, BENCH_RING_BYTES + 4096);
		memset(threads[i].bytes, 'x', BENCH_TEXT_BYTES);
	}
	return 0;
}

int bench_run(const char *prefix, const struct bench_case *cases,
	      unsigned count, unsigned rounds, int nthreads)
{
	cpu_set_t allowed;
	int second_cpu;
	unsigned i;

	bench_cases = cases;
	bench_count = count;
	bench_rounds = rounds;
	alone = calloc((size_t)count * rounds, sizeof(double));
	together = calloc((size_t)count * rounds * 2, sizeof(double));
	if (!alone || !together || threads_make() ||
	    sched_getaffinity(0, sizeof(allowed), &allowed))
		return -1;
	second_cpu = nthreads > 1 ? cpu_nth(&allowed, 1) : -1;
	pthread_barrier_init(&asleep, NULL, 2);
	pin(cpu_nth(&allowed, 0));
	if (rounds_run(second_cpu))
		return -1;
	for (i = 0; i < count; i++) {
		print_row(prefix, cases[i].name, 1, alone + i * rounds, rounds);
		if (second_cpu >= 0)
			print_row(prefix, cases[i].name, 2,
				  together + i * 2 * rounds, 2 * rounds);
	}
	return 0;
}

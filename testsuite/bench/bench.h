/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The measuring harness: short repetitions of many loops, interleaved in one
 * process, medians.
 *
 * What must stay true: whatever disturbs a machine (another load, a change of
 * frequency) disturbs all loops of a round alike, so that ratios between
 * loops repeat where nanoseconds do not. A repetition is therefore short,
 * 0.1 to 1 ms, and every loop runs once in each round.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdint.h>

#define BENCH_RING_BYTES	(1u << 20)
#define BENCH_RING_MASK		(BENCH_RING_BYTES - 1)
#define BENCH_TEXT_BYTES	256

/* What a loop may use: one of each thread, on cache lines of its own. */
struct bench_thread {
	char *ring;			/* BENCH_RING_BYTES, private, mapped */
	unsigned char *bytes;		/* BENCH_TEXT_BYTES to record */
	uint64_t sink;
};

typedef void bench_fn(struct bench_thread *thread, long n);

struct bench_case {
	const char *name;
	bench_fn *run;
	long n;				/* events in a repetition */
	int wall;	/* count time, not processor time: other processes
			 * have a part in it */
};

/* A loop: kept whole, and at an address that does not depend on the others. */
#define BENCH_LOOP static __attribute__((noinline, noclone, aligned(64)))

/* Nothing is moved across it, nothing in memory is known after it. */
#define BENCH_BARRIER	__asm__ volatile("" : : : "memory")
#define BENCH_USE(x)	__asm__ volatile("" : : "r"(x) : "memory")

/*
 * Measures the cases, by one thread and, when `threads` is 2, by two, and
 * prints a line for each and each number of threads:
 *
 *	ns PREFIX.NAME THREADS MEDIAN P10 P90
 *
 * nanoseconds of processor time, or of time, an event. Returns 0, or -1 when
 * there is no memory or no thread to be had. With one CPU, two threads are
 * left out.
 */
int bench_run(const char *prefix, const struct bench_case *cases,
	      unsigned count, unsigned rounds, int threads);

/* Loops without a tracer: see floor.c. */
unsigned bench_floor_cases(const struct bench_case **cases);

/* The cases of testsuite/bench/lttng.c, which is there when LTTng-UST is. */
unsigned bench_lttng_cases(const struct bench_case **cases);

static inline uint64_t bench_tsc(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

#endif

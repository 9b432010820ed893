/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * LTTng-UST in the same process, in loops of the same form: events that its own
 * session records, events that Taffrail records, and one that is off. A call
 * site cannot serve both, so there are two of each event.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "testsuite/bench/lttng-events.h"

#include "testsuite/bench/bench.h"

#define EVENTS	5000
#define LOOPS	200000	/* where an iteration takes few nanoseconds */

static const char *volatile string15 = "0123456789abcde";

#define U64_LOOP(name)							\
BENCH_LOOP void run_##name(struct bench_thread *thread, long n)	\
{									\
	long i;								\
									\
	for (i = 0; i < n; i++) {					\
		lttng_ust_tracepoint(taffrail_bench, name, (uint64_t)i); \
		BENCH_BARRIER;						\
	}								\
}

#define INT_STRING_LOOP(name)						\
BENCH_LOOP void run_##name(struct bench_thread *thread, long n)	\
{									\
	long i;								\
									\
	for (i = 0; i < n; i++) {					\
		const char *s = string15;				\
									\
		lttng_ust_tracepoint(taffrail_bench, name, (int)i, s);	\
		BENCH_BARRIER;						\
	}								\
}

U64_LOOP(u64)
U64_LOOP(beside_u64)
INT_STRING_LOOP(int_string)
INT_STRING_LOOP(beside_int_string)

#define OFF	lttng_ust_tracepoint(taffrail_bench, off, (uint64_t)i)

BENCH_LOOP void run_off8(struct bench_thread *thread, long n)
{
	long i;

	for (i = 0; i < n; i++) {
		OFF;
		OFF;
		OFF;
		OFF;
		OFF;
		OFF;
		OFF;
		OFF;
		BENCH_USE(i);
	}
}

#define ON(name)	lttng_ust_tracepoint_enabled(taffrail_bench, name)

unsigned bench_lttng_cases(const struct bench_case **cases)
{
	static struct bench_case rows[5];
	unsigned n = 0;

	/* an event that is off, or not off, has no row */
	if (ON(u64))
		rows[n++] = (struct bench_case){ "lttng_u64", run_u64, EVENTS };
	if (ON(int_string))
		rows[n++] = (struct bench_case){ "lttng_int_string",
						 run_int_string, EVENTS };
	if (ON(beside_u64))
		rows[n++] = (struct bench_case){ "beside_u64", run_beside_u64,
						 EVENTS };
	if (ON(beside_int_string))
		rows[n++] = (struct bench_case){ "beside_int_string",
						 run_beside_int_string,
						 EVENTS };
	if (!ON(off))
		rows[n++] = (struct bench_case){ "lttng_off8", run_off8,
						 LOOPS };
	*cases = rows;
	return n;
}

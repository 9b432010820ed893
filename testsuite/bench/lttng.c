/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The peer: LTTng-UST in the same process, in loops of the same form. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "testsuite/bench/lttng-events.h"

#include <stdio.h>

#include "testsuite/bench/bench.h"

#define EVENTS	5000

static const char *volatile string15 = "0123456789abcde";

BENCH_LOOP void run_u64(struct bench_thread *thread, long n)
{
	long i;

	for (i = 0; i < n; i++) {
		lttng_ust_tracepoint(taffrail_bench, u64, (uint64_t)i);
		BENCH_BARRIER;
	}
}

BENCH_LOOP void run_int_string(struct bench_thread *thread, long n)
{
	long i;

	for (i = 0; i < n; i++) {
		const char *s = string15;

		lttng_ust_tracepoint(taffrail_bench, int_string, (int)i, s);
		BENCH_BARRIER;
	}
}

unsigned bench_lttng_cases(const struct bench_case **cases)
{
	static const struct bench_case rows[] = {
		{ "lttng_u64", run_u64, EVENTS },
		{ "lttng_int_string", run_int_string, EVENTS },
	};

	*cases = NULL;
	if (!lttng_ust_tracepoint_enabled(taffrail_bench, u64) ||
	    !lttng_ust_tracepoint_enabled(taffrail_bench, int_string)) {
		fprintf(stderr, "events: LTTng's events are off\n");
		return 0;
	}
	*cases = rows;
	return sizeof(rows) / sizeof(rows[0]);
}

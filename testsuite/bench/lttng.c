/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * LTTng-UST in the same process, in loops of the same form: events that its own
 * session records, events that Taffrail records, and one that is off. A call
 * site cannot serve both, so there are more of each event. One more is for a
 * tracer that only reads the clock and stores twelve bytes: the least that an
 * event of LTTng's macros costs beside LTTng.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "testsuite/bench/lttng-events.h"

#include <dlfcn.h>

#include "testsuite/bench/bench.h"
#include "tracepoints/lttng/ust.h"

#define EVENTS	5000
#define LOOPS	200000	/* where an iteration takes few nanoseconds */
#define LEAST_BYTES	(1u << 16)

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
U64_LOOP(least_u64)
INT_STRING_LOOP(int_string)
INT_STRING_LOOP(beside_int_string)
INT_STRING_LOOP(least_int_string)

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

static void least_send(const struct ust_notifier *notifier, const char *stack,
		       struct ust_probe *probe, void *context)
{
	static __thread char ring[LEAST_BYTES + 12];
	static __thread uint64_t position;
	char *out = ring + position % LEAST_BYTES;

	*(uint32_t *)out = (uint32_t)bench_tsc() << 5 | 7;
	*(uint64_t *)(out + 4) = *(const uint64_t *)stack;
	position += 12;
}

static struct ust_hit least_hit;
static const struct ust_notifier least_notifier = {
	.bytes = sizeof(least_notifier),
	.parent = &least_hit,
	.eval_capture = 1,
	.send = least_send,
};
static struct ust_hit least_hit = {
	.bytes = sizeof(least_hit),
	.kind = UST_NOTIFIER,
	.child = (void *)&least_notifier,
	.enabled = 1,
};

typedef int connect_fn(const char *provider, const char *event,
		       void (*probe)(void), void *data, const char *signature);

/* LTTng's function, which the agent calls, too. */
static void least_connect(const char *event, void (*probe)(void),
			  const char *signature)
{
	void *library = dlopen(UST_TRACEPOINT_LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
	connect_fn *connect = NULL;

	if (library)
		connect = (connect_fn *)dlsym(
			library, "lttng_ust_tp_probe_register_queue_release");
	if (connect)
		connect("taffrail_bench", event, probe, &least_hit, signature);
}

#define CONNECT(name, class)						\
	least_connect(#name, (void (*)(void))				\
		lttng_ust__event_probe__taffrail_bench___##class,	\
		lttng_ust_tracepoint_taffrail_bench___##name.signature)

#define ON(name)	lttng_ust_tracepoint_enabled(taffrail_bench, name)

unsigned bench_lttng_cases(const struct bench_case **cases)
{
	static struct bench_case rows[7];
	unsigned n = 0;

	CONNECT(least_u64, number);
	CONNECT(least_int_string, number_string);
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
	if (ON(least_u64))
		rows[n++] = (struct bench_case){ "least_u64", run_least_u64,
						 EVENTS };
	if (ON(least_int_string))
		rows[n++] = (struct bench_case){ "least_int_string",
						 run_least_int_string, EVENTS };
	if (!ON(off))
		rows[n++] = (struct bench_case){ "lttng_off8", run_off8,
						 LOOPS };
	*cases = rows;
	return n;
}

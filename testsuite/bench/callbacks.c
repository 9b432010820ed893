/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What callbacks cost: in a hit, alone and beside a session; and attaching and
 * detaching one. What declared markers cost beside a compiled one.
 *
 *	callbacks ROUNDS
 *
 * Runs with session `env` on markers bench/recorded, bench/beside,
 * bench/compiled and bench/declared.
 */
#include "testsuite/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <taffrail/event.h>
#include <taffrail/marker.h>
#include <taffrail/probe.h>

#define HITS	10000
#define LOOPS	200000
#define TURNS	21

#define ONE(a, b, c)	TAFFRAIL_EVENT(many, m##a##b##c, v);
#define TEN(a, b)							\
	ONE(a, b, 0) ONE(a, b, 1) ONE(a, b, 2) ONE(a, b, 3) ONE(a, b, 4) \
	ONE(a, b, 5) ONE(a, b, 6) ONE(a, b, 7) ONE(a, b, 8) ONE(a, b, 9)
#define HUNDRED(a)							\
	TEN(a, 0) TEN(a, 1) TEN(a, 2) TEN(a, 3) TEN(a, 4)		\
	TEN(a, 5) TEN(a, 6) TEN(a, 7) TEN(a, 8) TEN(a, 9)

static void thousand(uint64_t v)
{
	HUNDRED(0)
	HUNDRED(1)
	HUNDRED(2)
	HUNDRED(3)
	HUNDRED(4)
	HUNDRED(5)
	HUNDRED(6)
	HUNDRED(7)
	HUNDRED(8)
	HUNDRED(9)
}

/* What the callback does, and a function called through a pointer. */
static void direct(int id, long bytes, double ms, void *priv)
{
	uint64_t *sum = priv;

	*sum += (uint64_t)id + (uint64_t)bytes + (uint64_t)ms;
}

static void (*volatile pointer)(int, long, double, void *) = direct;

static void callback(const struct taffrail_event *event, void *priv)
{
	int64_t id, bytes;
	double ms;

	if (taffrail_field_i64(event, 0, &id) &&
	    taffrail_field_i64(event, 1, &bytes) &&
	    taffrail_field_double(event, 2, &ms))
		direct((int)id, (long)bytes, ms, priv);
}

BENCH_LOOP void run_pointer(struct bench_thread *thread, long n)
{
	long i;

	for (i = 0; i < n; i++) {
		pointer((int)i, i, 1.5, &thread->sink);
		BENCH_BARRIER;
	}
}

#define LOOP(name)							\
	BENCH_LOOP void run_##name(struct bench_thread *thread, long n) \
	{								\
		double ms = 1.5;					\
		int id;							\
		long i;							\
									\
		(void)thread;						\
		for (i = 0; i < n; i++) {				\
			id = (int)i;					\
			TAFFRAIL_EVENT(bench, name, id, i, ms);		\
			BENCH_BARRIER;					\
		}							\
	}

LOOP(called)
LOOP(recorded)
LOOP(beside)
LOOP(unused)

BENCH_LOOP void run_empty(struct bench_thread *thread, long n)
{
	double ms = 1.5;
	int id;
	long i;

	(void)thread;
	for (i = 0; i < n; i++) {
		id = (int)i;
		BENCH_USE(id);
		BENCH_USE(ms);
		BENCH_BARRIER;
	}
}

static const char *volatile string15 = "0123456789abcde";

BENCH_LOOP void run_compiled(struct bench_thread *thread, long n)
{
	const char *s;
	long i;

	(void)thread;
	for (i = 0; i < n; i++) {
		s = string15;
		TAFFRAIL_EVENT(bench, compiled, TAFFRAIL_FIELD(v, (int)i), s);
		BENCH_BARRIER;
	}
}

static struct taffrail_declared *declared, *declared_off;

static inline void declared_hit(struct taffrail_declared *event, int v)
{
	union taffrail_value values[2];

	if (!taffrail_event_enabled(event))
		return;
	values[0] = taffrail_value_i64(v);
	values[1] = taffrail_value_string(string15);
	taffrail_event_write(event, values);
}

BENCH_LOOP void run_declared(struct bench_thread *thread, long n)
{
	long i;

	(void)thread;
	for (i = 0; i < n; i++) {
		declared_hit(declared, (int)i);
		BENCH_BARRIER;
	}
}

BENCH_LOOP void run_declared_off(struct bench_thread *thread, long n)
{
	long i;

	(void)thread;
	for (i = 0; i < n; i++) {
		declared_hit(declared_off, (int)i);
		BENCH_BARRIER;
	}
}

static int declare(void)
{
	static const struct taffrail_event_field fields[] = {
		{ "v", TAFFRAIL_T_S32 },
		{ "s", TAFFRAIL_T_STRING },
	};

	declared = taffrail_event_declare("bench", "declared", fields, 2);
	declared_off = taffrail_event_declare("idle", "declared", fields, 2);
	return taffrail_event_enabled(declared) && declared_off &&
	       !taffrail_event_enabled(declared_off);
}

static const struct bench_case cases[] = {
	{ "pointer", run_pointer, HITS, 0 },
	{ "called", run_called, HITS, 0 },
	{ "recorded", run_recorded, HITS, 0 },
	{ "beside", run_beside, HITS, 0 },
	{ "empty", run_empty, LOOPS, 0 },
	{ "unused", run_unused, LOOPS, 0 },
	{ "compiled", run_compiled, HITS, 0 },
	{ "declared", run_declared, HITS, 0 },
	{ "declared_off", run_declared_off, LOOPS, 0 },
};

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Prints the median of attaching and detaching. */
static void turns(const char *name, const char *rule, int markers)
{
	double took[TURNS];
	uint64_t sum = 0;
	int i;

	for (i = 0; i < TURNS; i++) {
		double begin = now_us();
		int n = taffrail_probe_attach(rule, callback, &sum);

		if (n != markers || taffrail_probe_detach(rule, callback,
							  &sum)) {
			fprintf(stderr, "%s: %d markers\n", rule, n);
			exit(3);
		}
		took[i] = now_us() - begin;
	}
	qsort(took, TURNS, sizeof(*took), by_value);
	printf("value probes.%s %.3f\n", name, took[TURNS / 2]);
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 300;
	uint64_t sum = 0;

	turns("turn1", "bench/called", 1);
	turns("turn1000", "many/*", 1000);
	thousand(sum);
	if (taffrail_probe_attach("bench/called", callback, &sum) != 1 ||
	    taffrail_probe_attach("bench/beside", callback, &sum) != 1 ||
	    !declare())
		return 3;
	return bench_run("probes", cases, sizeof(cases) / sizeof(*cases),
			 rounds, 1) ? 1 : 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What an event costs: loops over markers that are on, markers that are off,
 * LTTng-UST's, and the least that any tracer could do (`roofline`: read the
 * clock, store twelve bytes).
 *
 *	events PREFIX ROUNDS [CASE...]
 *
 * Runs under an agent that has channel `bench` on and channel `idle` off, or
 * without one where BENCH_ALONE is set, and says so and exits with 3 when it is
 * not so.
 */
#include "testsuite/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <taffrail/marker.h>

#define EVENTS	10000
#define LOOPS	200000	/* where an iteration takes less than a nanosecond */

static const char *volatile string15 = "0123456789abcde";
static const char *volatile string99 =
	"0123456789abcdef0123456789abcdef0123456789abcdef"
	"0123456789abcdef0123456789abcdef0123456789abcdef012";

BENCH_LOOP void run_roofline(struct bench_thread *thread, long n)
{
	char *ring = thread->ring;
	uint64_t position = 0;
	long i;

	for (i = 0; i < n; i++) {
		char *out = ring + (position & BENCH_RING_MASK);

		*(uint32_t *)out = (uint32_t)bench_tsc() << 5 | 7;
		*(uint64_t *)(out + 4) = (uint64_t)i;
		position += 12;
		BENCH_BARRIER;
	}
	thread->sink = position;
}

BENCH_LOOP void run_u64(struct bench_thread *thread, long n)
{
	long i;

	for (i = 0; i < n; i++) {
		TAFFRAIL_EVENT(bench, u64, TAFFRAIL_FIELD(v, (uint64_t)i));
		BENCH_BARRIER;
	}
}

BENCH_LOOP void run_twice(struct bench_thread *thread, long n)
{
	long i;

	for (i = 0; i < n; i++) {
		TAFFRAIL_EVENT(bench, twice, TAFFRAIL_FIELD(v, (uint64_t)i));
		BENCH_BARRIER;
	}
}

BENCH_LOOP void run_mark(struct bench_thread *thread, long n)
{
	long i;

	for (i = 0; i < n; i++) {
		TAFFRAIL_MARK(bench, mark, "v %ld", i);
		BENCH_BARRIER;
	}
}

BENCH_LOOP void run_int_string(struct bench_thread *thread, long n)
{
	long i;

	for (i = 0; i < n; i++) {
		const char *s = string15;

		TAFFRAIL_EVENT(bench, int_string, TAFFRAIL_FIELD(v, (int)i), s);
		BENCH_BARRIER;
	}
}

BENCH_LOOP void run_int_string99(struct bench_thread *thread, long n)
{
	long i;

	for (i = 0; i < n; i++) {
		const char *s = string99;

		TAFFRAIL_EVENT(bench, int_string99, TAFFRAIL_FIELD(v, (int)i),
			       s);
		BENCH_BARRIER;
	}
}

BENCH_LOOP void run_three(struct bench_thread *thread, long n)
{
	long i;

	for (i = 0; i < n; i++) {
		TAFFRAIL_EVENT(bench, three, TAFFRAIL_FIELD(a, i),
			       TAFFRAIL_FIELD(b, i + 1),
			       TAFFRAIL_FIELD(c, i + 2));
		BENCH_BARRIER;
	}
}

BENCH_LOOP void run_eight(struct bench_thread *thread, long n)
{
	long i;

	for (i = 0; i < n; i++) {
		TAFFRAIL_EVENT(bench, eight,
			       TAFFRAIL_FIELD(a, i), TAFFRAIL_FIELD(b, i + 1),
			       TAFFRAIL_FIELD(c, i + 2),
			       TAFFRAIL_FIELD(d, i + 3),
			       TAFFRAIL_FIELD(e, i + 4),
			       TAFFRAIL_FIELD(f, i + 5),
			       TAFFRAIL_FIELD(g, i + 6),
			       TAFFRAIL_FIELD(h, i + 7));
		BENCH_BARRIER;
	}
}

/* The bytes change while they are recorded again and again. */
#define BYTES_LOOP(size)						\
BENCH_LOOP void run_bytes##size(struct bench_thread *thread, long n)	\
{									\
	long i;								\
									\
	for (i = 0; i < n; i++) {					\
		unsigned char *buf = thread->bytes;			\
									\
		buf[i & (size - 1)] = (unsigned char)i;			\
		TAFFRAIL_EVENT(bench, bytes##size,			\
			       TAFFRAIL_BYTES(buf, size));		\
		BENCH_BARRIER;						\
	}								\
}

BYTES_LOOP(64)
BYTES_LOOP(256)

#define ARRAY_LOOP(count)						\
BENCH_LOOP void run_array##count(struct bench_thread *thread, long n)	\
{									\
	long i;								\
									\
	for (i = 0; i < n; i++) {					\
		uint64_t *v = (uint64_t *)(void *)thread->bytes;	\
									\
		v[i & (count - 1)] = (uint64_t)i;			\
		TAFFRAIL_EVENT(bench, array##count,			\
			       TAFFRAIL_ARRAY(v, count));		\
		BENCH_BARRIER;						\
	}								\
}

ARRAY_LOOP(8)
ARRAY_LOOP(32)

/* Not static: `run` looks at its machine code. */
__attribute__((noinline, noclone, aligned(64)))
void run_off8(struct bench_thread *thread, long n);
void run_off8(struct bench_thread *thread, long n)
{
	long i;

	for (i = 0; i < n; i++) {
		TAFFRAIL_EVENT(idle, off1, TAFFRAIL_FIELD(v, i));
		TAFFRAIL_EVENT(idle, off2, TAFFRAIL_FIELD(v, i));
		TAFFRAIL_EVENT(idle, off3, TAFFRAIL_FIELD(v, i));
		TAFFRAIL_EVENT(idle, off4, TAFFRAIL_FIELD(v, i));
		TAFFRAIL_EVENT(idle, off5, TAFFRAIL_FIELD(v, i));
		TAFFRAIL_EVENT(idle, off6, TAFFRAIL_FIELD(v, i));
		TAFFRAIL_EVENT(idle, off7, TAFFRAIL_FIELD(v, i));
		TAFFRAIL_EVENT(idle, off8, TAFFRAIL_FIELD(v, i));
		BENCH_USE(i);
	}
}

BENCH_LOOP void run_empty(struct bench_thread *thread, long n)
{
	long i;

	for (i = 0; i < n; i++)
		BENCH_USE(i);
}

static const struct bench_case own_cases[] = {
	{ "roofline", run_roofline, EVENTS },
	{ "u64", run_u64, EVENTS },
	{ "twice", run_twice, EVENTS },
	{ "int_string", run_int_string, EVENTS },
	{ "eight", run_eight, EVENTS },
	{ "bytes64", run_bytes64, EVENTS },
	{ "array8", run_array8, EVENTS },
	{ "bytes256", run_bytes256, EVENTS },
	{ "array32", run_array32, EVENTS },
	{ "mark", run_mark, EVENTS },
	{ "three", run_three, EVENTS },
	{ "int_string99", run_int_string99, EVENTS },
	{ "empty", run_empty, LOOPS },
	{ "off8", run_off8, LOOPS },
};

#define OWN_CASES	(sizeof(own_cases) / sizeof(own_cases[0]))
#define CASES_MAX	(OWN_CASES + 16)

unsigned __attribute__((weak))
bench_lttng_cases(const struct bench_case **cases)
{
	*cases = NULL;
	return 0;
}

static int wanted(const char *name, char **names)
{
	if (!*names)
		return 1;
	for (; *names; names++)
		if (!strcmp(*names, name))
			return 1;
	return 0;
}

static unsigned choose(struct bench_case *chosen, char **names)
{
	const struct bench_case *cases[3] = { own_cases };
	unsigned counts[3] = { OWN_CASES };
	unsigned count = 0;
	unsigned i, k;

	counts[1] = bench_floor_cases(&cases[1]);
	counts[2] = bench_lttng_cases(&cases[2]);
	for (k = 0; k < 3; k++)
		for (i = 0; i < counts[k] && count < CASES_MAX; i++)
			if (wanted(cases[k][i].name, names))
				chosen[count++] = cases[k][i];
	return count;
}

/* A second recording of one marker is asked for from here, where it is known
 * to begin before anything is measured. */
static int second_session(void)
{
	const char *command = getenv("BENCH_COMMAND");

	return command ? system(command) : 0;
}

int main(int argc, char **argv)
{
	struct bench_case chosen[CASES_MAX];
	unsigned count;

	if (argc < 3)
		return 2;
	if (!TAFFRAIL_ENABLED(bench, u64) != !!getenv("BENCH_ALONE") ||
	    TAFFRAIL_ENABLED(idle, off1)) {
		fprintf(stderr, "events: bench/u64 is off, or idle/off1 on\n");
		return 3;
	}
	if (second_session()) {
		fprintf(stderr, "events: no second session\n");
		return 3;
	}
	count = choose(chosen, argv + 3);
	return bench_run(argv[1], chosen, count, (unsigned)atoi(argv[2]), 2) ?
		       1 : 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a marker's enumeration costs over an int, and a std::string over a
 * char *: both in C++, in one process, in turn.
 *
 *	objects ROUNDS
 *
 * Runs with session `env` on the markers bench/...
 */
#include <cstdlib>
#include <string>

#include <taffrail/marker.h>

extern "C" {
#include "testsuite/bench/bench.h"
}

enum state { IDLE, RUNNING, DONE };
TAFFRAIL_ENUM_NAMES(state, IDLE, RUNNING, DONE);

#define HITS	10000

static const std::string object = "0123456789abcde";
static const char *volatile pointer = object.c_str();

#define LOOP(name, value)						\
	BENCH_LOOP void run_##name(struct bench_thread *thread, long n) \
	{								\
		long i;							\
									\
		(void)thread;						\
		for (i = 0; i < n; i++) {				\
			TAFFRAIL_EVENT(bench, name,			\
				       TAFFRAIL_FIELD(v, value));	\
			BENCH_BARRIER;					\
		}							\
	}

LOOP(integer, (int)(i & 3))
LOOP(named, (enum state)(i & 3))
LOOP(pointed, static_cast<const char *>(pointer))
LOOP(object, object)

static const struct bench_case cases[] = {
	{ "integer", run_integer, HITS, 0 },
	{ "named", run_named, HITS, 0 },
	{ "pointed", run_pointed, HITS, 0 },
	{ "object", run_object, HITS, 0 },
};

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 300;

	return bench_run("objects", cases, sizeof(cases) / sizeof(*cases),
			 rounds, 1) ? 1 : 0;
}

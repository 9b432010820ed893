/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a hit of a tracepoint of gdb's costs: loops over functions that have a
 * marker, all in one trace run, beside the same function without a marker
 * (`empty`) and with one that is off.
 *
 *	points PREFIX ROUNDS cpu|wall FILE CASE...
 *
 * Prints "ready", waits for a line of its input or for the end of it, then
 * measures and writes its lines to FILE, and stays until its input ends. gdb
 * decides what there is at a marker; this program does not know. A debugger
 * that has no agent to ask can stop in points_measure().
 */
#include "testsuite/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <taffrail/marker.h>

#define HITS	2000
#define TRAPS	10	/* by a trap: a tenth of a millisecond each */
#define FRAMES	80	/* of all registers, in buffers that do not get full */
#define LOW	0	/* ids, of 512 in turn: 0 to 511, 2000 to 2511 */
#define HIGH	2000

int points_level = 3;
long points_total = 1000;
double points_scale = 0.5;

/* Locals on the stack, as most of a program that is debugged has them. */
#define LOCALS(low)							\
	volatile int id = number + low;					\
	volatile long size = number * 3L

#define LOOP(name, hits)						\
BENCH_LOOP void run_##name(struct bench_thread *thread, long n)		\
{									\
	long i;								\
									\
	(void)thread;							\
	for (i = 0; i < n; i++) {					\
		hit_##name((int)(i & 511));				\
		BENCH_BARRIER;						\
	}								\
}

#define POINT(name, low)						\
static __attribute__((noinline, noclone, aligned(64)))			\
void hit_##name(int number)						\
{									\
	LOCALS(low);							\
									\
	TAFFRAIL_EVENT(bench, name, id, size);				\
	BENCH_BARRIER;							\
}									\
LOOP(name, HITS)

/* A local in a register. */
#define POINT_REGISTER(name)						\
static __attribute__((noinline, noclone, aligned(64)))			\
void hit_##name(int id)							\
{									\
	TAFFRAIL_EVENT(bench, name, id);				\
	BENCH_USE(id);							\
}									\
LOOP(name, HITS)

static __attribute__((noinline, noclone, aligned(64)))
void hit_empty(int number)
{
	LOCALS(LOW);

	(void)id;
	(void)size;
	BENCH_BARRIER;
}

LOOP(empty, HITS)
POINT(off, LOW)
POINT(sdata, LOW)
POINT(regs, LOW)
POINT(full, HIGH)
POINT(untrue, LOW)
POINT(trap, HIGH)
POINT(fast, LOW)
POINT_REGISTER(off_register)
POINT_REGISTER(untrue_register)

static const struct bench_case all[] = {
	{ "empty", run_empty, HITS },
	{ "off", run_off, HITS },
	{ "sdata", run_sdata, HITS },
	{ "regs", run_regs, HITS },
	{ "full", run_full, HITS },
	{ "untrue", run_untrue, HITS },
	{ "off_register", run_off_register, HITS },
	{ "untrue_register", run_untrue_register, HITS },
	{ "trap", run_trap, TRAPS },
	{ "fast", run_fast, FRAMES },
};

#define CASES	(sizeof(all) / sizeof(all[0]))

static unsigned choose(struct bench_case *chosen, char **names, int wall)
{
	unsigned count = 0;
	unsigned i;

	for (; *names; names++)
		for (i = 0; i < CASES; i++)
			if (!strcmp(*names, all[i].name) && count < CASES) {
				chosen[count] = all[i];
				chosen[count++].wall = wall;
			}
	return count;
}

/* Where a debugger may stop: everything is there, nothing has been hit. */
int points_measure(const char *prefix, const struct bench_case *cases,
		   unsigned count, unsigned rounds);
__attribute__((noinline, noclone))
int points_measure(const char *prefix, const struct bench_case *cases,
		   unsigned count, unsigned rounds)
{
	return bench_run(prefix, cases, count, rounds, 1);
}

int main(int argc, char **argv)
{
	struct bench_case chosen[CASES];
	char line[16];
	unsigned count;
	int ret;

	if (argc < 6)
		return 2;
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	puts("ready");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		line[0] = 0;
	if (!freopen(argv[4], "w", stdout))
		return 1;
	count = choose(chosen, argv + 5, !strcmp(argv[3], "wall"));
	ret = points_measure(argv[1], chosen, count, (unsigned)atoi(argv[2]));
	puts(ret ? "failed" : "done");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		;
	return ret ? 1 : 0;
}

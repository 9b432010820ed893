/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anywhere WHO [wait]: functions that were not prepared, one for each way in
 * which they are recorded, beside one with a USDT probe and one with neither,
 * all with the same body. With `wait`, waits for a line first. Prints
 *
 *	value anywhere.WHO.FUNCTION NS	a call less one of `control`, by
 *					processor time: the median of the
 *					differences in each round
 *	value anywhere.WHO.call NS	a call of `control`, with the loop
 *
 * In a round each function is called many times, one after the other. Other
 * work on the machine changes both times of a difference.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "testsuite/shared/adopt.h"

#define ROUNDS	4000
#define CALLS	1000

#define KEEP __attribute__((noinline, noclone))

KEEP static long probed(long a, long b, long c)
{
	__asm__ volatile(ADOPT_NOP("bench", "anywhere", "0",
				   "8@%%rdi 8@%%rsi 8@%%rdx")
			 : : "D"(a), "S"(b), "d"(c) : "rax");
	return a * b + c;
}

#define FUNCTION(name)							\
	KEEP static long name(long a, long b, long c)			\
	{								\
		__asm__ volatile("nop\n\tmovl $0xe00000, %%eax"	\
				 : : "D"(a), "S"(b), "d"(c) : "rax");	\
		return a * b + c;					\
	}

FUNCTION(control)
FUNCTION(again)
FUNCTION(entered)
FUNCTION(both)
FUNCTION(whole)
FUNCTION(brief)

static const struct {
	const char *name;
	long (*call)(long a, long b, long c);
} functions[] = {
	{ "call", control }, { "again", again }, { "probed", probed },
	{ "entered", entered }, { "both", both }, { "whole", whole },
	{ "brief", brief },
};

#define N (sizeof(functions) / sizeof(functions[0]))

static double took[N][ROUNDS];

static int by_time(const void *one, const void *other)
{
	const double *a = one, *b = other;

	return *a < *b ? -1 : *a > *b;
}

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	const char *who = argc > 1 ? argv[1] : "it";
	char line[8];

	if (argc > 2) {
		puts("ready");
		fflush(stdout);
		if (!fgets(line, sizeof(line), stdin))
			return 1;
	}
	for (int round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < N; i++) {
			long (*volatile call)(long, long, long) =
				functions[i].call;
			double begin = seconds_now();

			for (long k = 0; k < CALLS; k++)
				call(k, k + 1, -k);
			took[i][round] = (seconds_now() - begin) / CALLS;
		}
	}
	for (size_t i = N; i-- > 0;) {
		for (int round = 0; i && round < ROUNDS; round++)
			took[i][round] -= took[0][round];
		qsort(took[i], ROUNDS, sizeof(took[i][0]), by_time);
		printf("value anywhere.%s.%s %.2f\n", who, functions[i].name,
		       took[i][ROUNDS / 2]);
	}
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * usdt WHO: a probe with three arguments, hit as an unmodified program would,
 * and the same loop without it. Prints
 *
 *	value usdt.WHO NS	a hit less the loop: median of rounds, by
 *				processor time
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "testsuite/taffrail.usdt/adopt.h"

#define ROUNDS	200
#define HITS	5000

static __attribute__((noinline)) void hit(int64_t a, int64_t b, int32_t c)
{
	__asm__ volatile(ADOPT_NOP("bench", "usdt", "0",
				   "8@%%rdi 8@%%rsi -4@%%edx")
			 : : "D"(a), "S"(b), "d"(c) : "rax");
}

static __attribute__((noinline)) void miss(int64_t a, int64_t b, int32_t c)
{
	__asm__ volatile("nop\n\tmovl $0xe00000, %%eax"
			 : : "D"(a), "S"(b), "d"(c) : "rax");
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double round_ns(void (*call)(int64_t, int64_t, int32_t))
{
	double begin = now();
	int i;

	for (i = 0; i < HITS; i++)
		call(i, i + 1, -i);
	return (now() - begin) / HITS;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	double net[ROUNDS];
	int i;

	for (i = 0; i < ROUNDS; i++)
		net[i] = round_ns(hit) - round_ns(miss);
	qsort(net, ROUNDS, sizeof(net[0]), compare);
	printf("value usdt.%s %.2f\n", argc > 1 ? argv[1] : "it",
	       net[ROUNDS / 2]);
	return 0;
}

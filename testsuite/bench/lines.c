/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * lines: functions with three locals, whose second statement rules name, beside
 * one with a USDT probe of the locals and one with neither, all with the same
 * body. Prints
 *
 *	value lines.FUNCTION NS		a call less one of `control`, by
 *					processor time: a twentieth of the
 *					rounds, in turn, took less
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "testsuite/shared/adopt.h"

#define ROUNDS	3000
#define CALLS	1000

#define KEEP __attribute__((noinline, noclone))

struct item {
	long price;
	const char *name;
};

#define WORK	"movl $0xe00000, %%eax"
#define LOCALS	"D"(x), "S"(y), "d"(z), "r"(item)

KEEP static long probed(long a, long b, const struct item *item)
{
	long x = a + 1, y = b ^ 5, z = a - b;

	__asm__ volatile(ADOPT_NOP("bench", "lines", "0",
				   "8@%%rdi 8@%%rsi 8@%%rdx")
			 : : LOCALS : "rax");
	__asm__ volatile(WORK : : LOCALS : "rax");
	return x * y + z;
}

KEEP static long control(long a, long b, const struct item *item)
{
	long x = a + 1, y = b ^ 5, z = a - b;

	__asm__ volatile("nop" : : LOCALS : "rax");
	__asm__ volatile(WORK : : LOCALS : "rax");
	return x * y + z;
}

KEEP static long met(long a, long b, const struct item *item)
{
	long x = a + 1, y = b ^ 5, z = a - b;

	__asm__ volatile("nop" : : LOCALS : "rax");
	__asm__ volatile(WORK : : LOCALS : "rax");
	return x * y + z;
}

KEEP static long unmet(long a, long b, const struct item *item)
{
	long x = a + 1, y = b ^ 5, z = a - b;

	__asm__ volatile("nop" : : LOCALS : "rax");
	__asm__ volatile(WORK : : LOCALS : "rax");
	return x * y + z;
}

KEEP static long member(long a, long b, const struct item *item)
{
	long x = a + 1, y = b ^ 5, z = a - b;

	__asm__ volatile("nop" : : LOCALS : "rax");
	__asm__ volatile(WORK : : LOCALS : "rax");
	return x * y + z;
}

KEEP static long string(long a, long b, const struct item *item)
{
	long x = a + 1, y = b ^ 5, z = a - b;

	__asm__ volatile("nop" : : LOCALS : "rax");
	__asm__ volatile(WORK : : LOCALS : "rax");
	return x * y + z;
}

static const struct {
	const char *name;
	long (*call)(long a, long b, const struct item *item);
} functions[] = {
	{ "control", control }, { "probed", probed }, { "met", met },
	{ "unmet", unmet }, { "member", member }, { "string", string },
};

#define N (sizeof(functions) / sizeof(functions[0]))

static double took[N][ROUNDS];

static int by_time(const void *one, const void *other)
{
	const double *a = one, *b = other;

	return *a < *b ? -1 : *a > *b;
}

static double nanoseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(void)
{
	static const struct item item = { 7, "twenty characters ok" };

	for (int round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < N; i++) {
			long (*volatile call)(long, long, const struct item *) =
				functions[i].call;
			double begin = nanoseconds();

			for (long k = 0; k < CALLS; k++)
				call(k, k + 1, &item);
			took[i][round] = (nanoseconds() - begin) / CALLS;
		}
	}
	for (size_t i = 0; i < N; i++) {
		qsort(took[i], ROUNDS, sizeof(took[i][0]), by_time);
		if (i)
			printf("value lines.%s %.2f\n", functions[i].name,
			       took[i][ROUNDS / 20] - took[0][ROUNDS / 20]);
	}
	return 0;
}

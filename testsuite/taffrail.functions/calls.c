/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions that were not prepared. "calls N" calls outer() N times and prints
 * the sum. "calls load THREADS" lets threads compute until a line comes on
 * standard input, compares each result with the one that is known, and prints
 * how many were wrong.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEEP __attribute__((noinline, noclone))

KEEP static long short_one(long n)
{
	__asm__ volatile("");
	return n + 1;
}

KEEP static long with_text(long n, const char *text, int k)
{
	__asm__ volatile("");
	return n * 3 + k + text[0];
}

KEEP static long branches(long n)
{
	if (n & 1)
		return short_one(n);
	if (n & 2)
		return with_text(n, "two", 2);
	return -n;
}

KEEP static long recurses(long n)
{
	return n > 0 ? recurses(n - 1) + branches(n) : 0;
}

KEEP static double floating(double a, float b)
{
	__asm__ volatile("");
	return a * 2 + (double)b;
}

KEEP static unsigned long six(unsigned long a, unsigned long b, unsigned long c,
			      unsigned long d, unsigned long e, unsigned long f)
{
	__asm__ volatile("");
	return a ^ b << 1 ^ c << 2 ^ d << 3 ^ e << 4 ^ f << 5;
}

KEEP static long switches(unsigned int n)
{
	switch (n % 8) {
	case 0:
		return 11;
	case 1:
		return short_one(4);
	case 2:
		return branches(6);
	case 3:
		return 7;
	case 4:
		return with_text(1, "x", 1);
	case 5:
		return 1;
	case 6:
		return branches(1);
	default:
		return 5;
	}
}

KEEP static long outer(long n)
{
	long sum = recurses(n % 5) + switches((unsigned int)n);

	sum += (long)floating((double)n, 0.5f);
	sum += (long)six(1, 2, 3, 4, 5, (unsigned long)n);
	return sum + with_text(n, "hello", 1);
}

static atomic_int ends;
static atomic_long wrong;
static atomic_long rounds;
static long known[64];

static void *load(void *unused)
{
	while (!ends) {
		for (long n = 0; n < 64; n++)
			wrong += outer(n) != known[n];
		rounds++;
	}
	return unused;
}

static int run_load(int n)
{
	pthread_t threads[8];
	char line[16];

	for (long k = 0; k < 64; k++)
		known[k] = outer(k);
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, load, NULL);
	puts("ready");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		line[0] = '\0';
	ends = 1;
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	printf("%ld wrong%s\n", wrong, rounds > 0 ? "" : ", no round");
	return 0;
}

int main(int argc, char **argv)
{
	long sum = 0;

	if (argc > 2 && !strcmp(argv[1], "load"))
		return run_load(atoi(argv[2]));
	for (long n = 0; n < (argc > 1 ? atol(argv[1]) : 1); n++)
		sum += outer(n);
	printf("%ld\n", sum);
	return 0;
}

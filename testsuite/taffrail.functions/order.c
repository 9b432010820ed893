/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions so short that one jump has the entry and an exit. Calls them after
 * a line of input, and ends with the next one.
 */
#include <stdio.h>

#define KEEP __attribute__((noinline, noclone))

KEEP static long twice(long n)
{
	__asm__ volatile("" ::: "memory");
	return n * 2 + 1;
}

KEEP static long less(long n)
{
	__asm__ volatile("" ::: "memory");
	return n - 3;
}

int main(void)
{
	long sum = 0;

	puts("ready");
	fflush(stdout);
	if (getchar() == EOF)
		return 1;
	for (long i = 0; i < 10; i++)
		sum += twice(i) + less(i);
	printf("did %ld\n", sum);
	fflush(stdout);
	getchar();
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A function with three names, and two static functions of one name: the other
 * one is in twins-other.c. "twins wait" calls them for each of five lines.
 */
#include <stdio.h>

#define KEEP __attribute__((noinline, noclone))

long first_name(long n);
long second_name(long n) __attribute__((alias("first_name")));
long _third_name(long n) __attribute__((alias("first_name")));
long other_calls(long n);

KEEP static long helper(long n)
{
	__asm__ volatile("");
	return n + 1;
}

KEEP long first_name(long n)
{
	return helper(n) * 2;
}

static long all_called(long n)
{
	return first_name(n) + second_name(n) + _third_name(n) + other_calls(n);
}

int main(int argc, char **argv)
{
	char line[16];
	long n = 0;

	(void)argv;
	if (argc > 1) {
		puts("ready");
		fflush(stdout);
	}
	while (argc > 1 && n < 5 && fgets(line, sizeof(line), stdin)) {
		printf("called %ld\n", all_called(++n));
		fflush(stdout);
	}
	return all_called(0) != 306;
}

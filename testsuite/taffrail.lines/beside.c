/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions whose lines and entries are at one address, or close to each other.
 *
 *	beside		prints a sum
 *	beside on	goes on until it is killed
 */
#include <stdio.h>
#include <unistd.h>

static volatile int kept;

__attribute__((noinline))
int thrice(int a)
{
	int b = a * 3;

	kept += b;
	return b + 1;
}

__attribute__((noinline))
int choose(int a)
{
	if (a > 2)
		return 1;
	return 2;
}

int main(int argc, char **argv)
{
	int sum = 0;

	(void)argv;
	for (int i = 0; i < 5 || argc > 1; i++) {
		sum += thrice(i) + choose(i);
		if (argc > 1)
			usleep(1000);
	}
	printf("%d\n", sum);
}

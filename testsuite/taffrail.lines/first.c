/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions whose first lines begin at one instruction when they are optimised.
 * Parameters of one change there, those of the others do not. It says on
 * standard output what rules at the first lines must record.
 */
#include <stdio.h>

int sum;

__attribute__((noinline)) static int keep(int n, double scale, const char *text)
{
	int twice = n * 2;

	sum += twice;
	printf("keep %d %g %s\n", n, scale, text);
	return twice;
}

__attribute__((noinline)) static int move(int n, int other)
{
	printf("move %d\n", other);
	n = other;
	sum += n;
	return n + 1;
}

__attribute__((noinline)) static int replace(int n, int other)
{
	n = other;
	sum += n;
	printf("replace %d\n", other);
	return n + 1;
}

int main(void)
{
	for (int i = 0; i < 4; i++) {
		keep(i, i + 0.5, i % 2 ? "odd" : "even");
		sum += move(i, 10 + i) + replace(i, 20 + i);
	}
	return sum < 0;
}

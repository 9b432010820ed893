/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program with variables of each kind: sells pears and saws, N times each. It
 * says on standard output what a rule at the line of the first printf() must
 * record. With a second argument it goes on, and forks each time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum kind { FRUIT, TOOL = 5 };
struct label {
	const char *text;
};
struct item {
	const char *name;
	double price;
	int stock;
	unsigned flag : 3;
	int level : 5;
	enum kind kind;
	char code[6];
	struct label *label;
	int sizes[3];
};

int total;

__attribute__((noinline)) static int sell(struct item *item, int n)
{
	int left = item->stock - n;

	item->stock = left;
	total += n;
	printf("%d %d %s %g\n", n, left, item->name, item->price);
	return left;
}

__attribute__((noinline)) static int twice(int a, int b, int c, int d, int e,
					   int f, long seventh, float real)
{
	printf("twice %ld\n", seventh);
	return a + b + c + d + e + f + (int)real;
}

int main(int argc, char **argv)
{
	struct label label = { "fresh" };
	struct item pear = { "pear", 1.5, 100, 5, -3, FRUIT, "abcdef", &label,
			     { 1, 2, 3 } };
	struct item saw = { "saw", 20.25, 7, 1, 15, TOOL, "xy",
			    (struct label *)16, { 4, 5, 6 } };
	int n = argc > 1 ? atoi(argv[1]) : 3;

	for (int i = 0; i < n || argc > 2; i++) {
		sell(&pear, i);
		sell(&saw, 2 * i);
		twice(1, 2, 3, 4, 5, 6, 1000 + i, 0.5f);
		if (argc > 2 && !fork())
			_exit(sell(&pear, 1000) == 0);
		while (argc > 2 && waitpid(-1, NULL, 0) > 0)
			;
		if (argc > 2)
			usleep(1000);
	}
	return 0;
}

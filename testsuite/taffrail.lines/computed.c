/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Computes with bit-fields, rows of arrays and comparisons, and prints what
 * rules at the line of the first printf() must record.
 */
#include <stdio.h>

struct bits {
	unsigned int low : 3, high : 20;
	int sign : 5;
	unsigned long wide : 40;
};
struct node {
	struct node *next;
	int n;
};

static short grid[3][2][4];
static char words[2][8] = { "first", "second" };
static struct node nodes[4];
static volatile int zero;

__attribute__((noinline)) static int look(struct bits *b, struct node *p, int i,
					  unsigned int u, double d)
{
	struct node *q = nodes + 3, *none = zero ? q : NULL;
	static int local[2][3];

	for (int k = 0; k < 3; k++) {
		local[0][k] = i + k;
		local[1][k] = -i - k;
	}
	/* the compiler must not have moved them here */
	__asm__ volatile("" ::: "memory");
	printf("B %d %d %d %d %ld\n", b->low - 8, -b->high, b->sign - 40, b->low - 5 < 0, b->wide - 1l);
	printf("M %d %d %d %d %s %s\n", grid[1][0][2], grid[i & 1][1][i & 3], local[1][2], *grid[2][1], words[1], words[i & 1] + 1);
	printf("C %d %d %d %d %d %d %d %d %d %d\n", (i < 2), (u > 4000000000u), d >= 1.5, d != d, p == q, !i, !none, i <= 1, i >= 1, (i == 1) + 2);
	printf("P %ld %ld %d %d\n", q - p, p - nodes, (&p->n)[0], (&nodes[i & 3])->n);
	return local[i & 1][1] + (int)d + (none == p);
}

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 24; i++)
		grid[i / 8][i / 4 % 2][i % 4] = (short)(i * 100 - 900);
	for (int i = 0; i < 4; i++)
		nodes[i].n = i * 11;
	for (int i = 0; i < 5; i++) {
		struct bits b = { (unsigned int)i, 1000000u + (unsigned int)i,
				  i - 3, 1ul << (35 + i % 4) };

		sum += look(&b, nodes + (i & 3), i,
			    4294967295u / (unsigned int)(i + 1), i * 0.75);
	}
	return sum == 12345;
}

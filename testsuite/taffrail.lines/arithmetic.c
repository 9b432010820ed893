/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Computes with variables, and prints what rules at the line of the first
 * printf() must record: integers, floating-point numbers, parts.
 */
#include <stdbool.h>
#include <stdio.h>

enum kind { NONE, FIRST, SECOND };
struct item {
	int len;
	unsigned int bits : 5;
	const char *name;
	double price;
	float rate;
	short sizes[4];
};

static struct item items[] = {
	{ 7, 30, "first", -3.25, 0.1f, { 1, -2, 3, -4 } },
	{ -9, 3, "second", 2.75, 1.5f, { 5, 6, 7, 8 } },
	{ 0, 0, "third", -0.5, -8, { 9, 10, 11, 12 } },
};
static volatile int runs = 3, zero;
static volatile float rates[] = { 2.5f, -0.75f, 16777216 };
static volatile double exact[] = { 1e10, -7.9, 0 };
static volatile long longs[] = { -1099511627776, 77, 4611686018427387904 };

__attribute__((noinline)) static int look(struct item *p, int a, unsigned int b,
					  int i)
{
	volatile long l = longs[2 - i];
	volatile double d = exact[2 - i];
	volatile float f = rates[2 - i];
	volatile enum kind kind = (enum kind)i;

	(void)kind;
	if (a == 0x7fffffff)
		return a;

	/* the compiler must not have moved them here */
	__asm__ volatile("" ::: "memory");
	printf("I %u %d %d %ld %ld %lu %d %d %d %d %u %d %d %lld %d\n", a + b, (signed char)a, (unsigned char)a * 2, l * a, (long)b << 3, ~l, a / 7 - a % 7, -a, i * (2 + 3) - 1, a & 0xff, b >> 1, a >> 1, p->bits + 1, 0xffffffff + (long long)l, (bool)a);
	printf("R %g %g %g %g %d %ld %g %g %g\n", d + a, f * 2, f + 0.1, p->rate * p->price, (int)f, (long)p->price, (double)b / 3, -p->rate, (float)p->price);
	printf("P %d %d %d %c %d %d %s\n", p->sizes[i + 1], p->sizes[p->len & 1], *(p->sizes + i), p->name[i], (p - 1 + 1)->len, *p->sizes, p->name + i);
	return p->len + a + (int)b + i;
}

int main(void)
{
	int sum = look(&items[0], -5, 4294967295u + 1 - 4 + (runs - 3), 2);

	zero = 1;
	sum += look(&items[1], 2000000000, 3, runs - 2);
	sum += look(&items[2], 9, 8, zero - 1);
	return sum == 12345;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program whose optimised code has structures in registers, and variables of
 * threads. It says on standard output what a rule at the line of the printf()
 * must record.
 */
#include <stdint.h>
#include <stdio.h>

struct span {
	const char *start;
	long n;
};
struct small {
	int16_t low;
	unsigned bits : 5;
	int high;
};
struct outer {
	struct small small;
	struct span *next;
};

static __thread int calls = 7;
static __thread char other[100];
__thread long shared = -3;

__attribute__((noinline)) static long take(struct span span, struct small small,
					   struct outer outer, double scale)
{
	calls++;
	other[calls & 63] = (char)calls;
	shared -= calls;
	printf("%s %ld %d %u %d %d %d %s %g %d %ld\n", span.start, span.n, small.low, small.bits, small.high, outer.small.low, outer.small.high, outer.next->start, scale, calls, shared);
	return span.n + small.high + outer.small.low + (long)*span.start;
}

int main(void)
{
	struct span far = { "far", 1 };
	long sum = 0;

	for (int i = 0; i < 5; i++) {
		struct span span = { &"abcdef"[i], 1000000000000 * i };
		struct small small = { (int16_t)(-i), (unsigned)i * 6,
				       -i * 70000 };
		struct outer outer = { { (int16_t)(i + 300), 1, i * 5 }, &far };

		sum += take(span, small, outer, i * 0.5);
	}
	return sum == 0;
}

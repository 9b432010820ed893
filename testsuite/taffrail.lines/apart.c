/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A function whose rarely run part compilers put apart: its other part jumps to
 * the instruction behind line 29. Blocks SIGTRAP, of which it dies where such a
 * jump ends in replaced code. */
#include <signal.h>
#include <stdio.h>

static volatile unsigned seen;

__attribute__((noinline, cold)) static void note(unsigned x)
{
	seen += x;
}

/* one of each is rare, for compilers */
#define RARELY(x)	__builtin_expect(x, 0)

__attribute__((noinline))
static unsigned mix(unsigned n, unsigned x, unsigned y)
{
	unsigned sum = x;

	for (unsigned i = 0; i < n; i++) {
		sum = sum * 17 + i;
		if (RARELY(sum % 97 == x % 97)) {
			note(sum);
			sum += 3;
			__asm__ volatile("" : "+r"(sum));
			sum ^= 9;	/* line 29 */
			__asm__ volatile("" : "+r"(sum));
			goto mixed;
		}
		sum ^= y;
		if (RARELY(sum % 31 == y % 31)) {
mixed:
			sum ^= 5;
			note(sum);
			sum *= 3;
			continue;
		}
		sum += 7;
	}
	return sum;
}

int main(void)
{
	unsigned sum = 0;
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	for (unsigned i = 0; i < 2000; i++)
		sum = sum * 31 + mix(50, i, i + 5);
	printf("%u %u\n", sum, seen);
	return 0;
}

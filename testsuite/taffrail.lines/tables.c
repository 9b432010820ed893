/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions that jump to short instructions by tables: a switch in the part put
 * apart, whose cases are in the other one, and offsets from a label, WORD each.
 * Blocks SIGTRAP, of which it dies where such a jump ends in replaced code. */
#include <signal.h>
#include <stdio.h>

#ifndef WORD
#define WORD int
#endif
#define KEEP(it)	it; __asm__ volatile("" : "+r"(sum))

static volatile int sink;

__attribute__((cold, noinline)) static void rare(int n)
{
	sink = n;
}

__attribute__((noinline)) static int choose(int kind, int n)
{
	int sum = n;

	if (__builtin_expect(kind < 0, 0)) {
		rare(n);
		switch (n & 7) {
		case 0:
			goto one;
		case 1:
			goto two;
		case 2:
			goto three;
		case 3:
			goto four;
		case 4:
			goto five;
		case 5:
			goto six;
		case 6:
			rare(1);
			return 3;
		case 7:
			rare(2);
			return 4;
		}
	}
one:
	KEEP(sum++);
two:
	KEEP(sum ^= n);
three:
	KEEP(sum *= 3);
four:
	KEEP(sum += 5);
five:
	KEEP(sum ^= 9);
six:
	sink = 6;
	return sum + sink;
}

__attribute__((noinline)) static int run(const unsigned char *code, int n)
{
	static const WORD at[] = {
		&&one - &&one, &&two - &&one, &&three - &&one, &&four - &&one,
		&&five - &&one, &&end - &&one,
	};
	int sum = n;

	goto *(&&one + at[*code++]);
one:
	KEEP(sum++);
two:
	KEEP(sum ^= n);
three:
	KEEP(sum *= 3);
four:
	KEEP(sum += 5);
five:
	KEEP(sum ^= 9);
	goto *(&&one + at[*code++]);
end:
	return sum;
}

int main(void)
{
	static unsigned char code[64];
	unsigned sum = 0;
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	for (int i = 0; i < 64; i++)
		code[i] = (unsigned char)(i < 63 ? i * 3 % 5 : 5);
	for (int i = 0; i < 2000; i++)
		sum = sum * 31 + (unsigned)(choose(i & 1 ? -1 : 1, i) +
					    run(code, i));
	printf("%u\n", sum);
	return 0;
}

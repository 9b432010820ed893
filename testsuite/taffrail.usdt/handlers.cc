// SPDX-License-Identifier: LGPL-2.1-or-later
// Probes in functions that catch exceptions or clean up, before calls that
// throw: those calls have to move. What follows each nop is an offset upwards,
// into `room`, so that no jump can be made of the nop alone.
#include <cstdio>
#include <sys/sdt.h>

#define ROUNDS	1000
#define APART	__attribute__((noinline, section(".text.zzz")))

char room[160 << 20];
static long caught, cleaned, passed;

APART static void throws()
{
	throw 42;
}

APART static void throws_not()
{
	asm volatile("");
}

struct cleaner {
	~cleaner() { cleaned++; }
};

// The call is all that is behind the nop.
__attribute__((noinline)) static void catches()
{
	try {
		DTRACE_PROBE(handlers, catches);
		throws();
	} catch (int value) {
		caught += value;
	}
}

__attribute__((noinline)) static void cleans()
{
	cleaner here;

	DTRACE_PROBE(handlers, cleans);
	throws();
}

__attribute__((noinline)) static void passes()
{
	cleaner here;

	DTRACE_PROBE(handlers, passes);
	throws_not();
	passed++;
}

int main()
{
	for (int i = 0; i < ROUNDS; i++) {
		catches();
		try {
			cleans();
		} catch (int value) {
			caught += value;
		}
		passes();
	}
	std::puts("ready");
	std::fflush(stdout);
	std::getchar();
	if (caught == 84 * ROUNDS && cleaned == 2 * ROUNDS && passed == ROUNDS)
		std::puts("right");
	else
		std::printf("wrong: %ld caught, %ld cleaned, %ld passed\n",
			    caught, cleaned, passed);
	room[passed & 1] = 1;
	return 0;
}

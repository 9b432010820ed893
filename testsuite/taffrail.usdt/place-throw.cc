// SPDX-License-Identifier: LGPL-2.1-or-later
// Exceptions through a frame whose call has moved (place-kinds.S).
#include <cstdint>
#include <cstdio>

extern "C" {
uint64_t kind_thrown(uint64_t a, uint64_t b);
extern void (*place_throw)();
}

static void thrower()
{
	throw 42;
}

int main()
{
	place_throw = thrower;
	int caught = 0;
	for (uint64_t n = 0; n < 100; n++)
		try {
			kind_thrown(n, 64);
		} catch (int value) {
			caught += value == 42;
		}
	std::printf(caught == 100 ? "right\n" : "wrong: %d\n", caught);
	return caught != 100;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * HITS: markers in an inlined function, where compilers describe the marker's
 * own variables as the function's, and in one whose arguments are there only
 * at its entry. C and C++.
 */
#include <stdlib.h>
#include <taffrail/marker.h>

#ifdef __clang__
#define ALONE	__attribute__((noinline))
#else
#define ALONE	__attribute__((noipa))
#endif

static volatile long sink;

ALONE static void use(long value)
{
	sink += value;
	__asm__ volatile("" : : : "memory");
}

ALONE static void finish(void)
{
	__asm__ volatile("");
}

static inline __attribute__((always_inline))
void work(int round, const char *name)
{
	long twice = sink * 2;

	TAFFRAIL_MARK(app, inner, "round %d name %s", round, name);
	TAFFRAIL_EVENT(app, typed, twice, TAFFRAIL_STR(name));
	use(twice);
}

ALONE static int serve(int round, long gone, const char *name)
{
	use(gone);
	TAFFRAIL_MARK(app, outer, "sink %ld", sink);
	work(round, name);
	return round;
}

int main(int argc, char **argv)
{
	int hits = argc > 1 ? atoi(argv[1]) : 1;

	for (int i = 0; i < hits; i++)
		use(serve(i, i + 7, argv[0]));
	finish();
	return 0;
}

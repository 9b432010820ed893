/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Five hundred markers with one u64 each, hit in turn: a channel with more
 * events than a compact header can number.
 *
 *	many ROUNDS	prints "flood emitted EVENTS"
 */
#include <stdio.h>
#include <stdlib.h>
#include <taffrail/marker.h>

#define ONE(a, b, c)	TAFFRAIL_EVENT(bench, flood##a##b##c, v);
#define TEN(a, b)							\
	ONE(a, b, 0) ONE(a, b, 1) ONE(a, b, 2) ONE(a, b, 3) ONE(a, b, 4) \
	ONE(a, b, 5) ONE(a, b, 6) ONE(a, b, 7) ONE(a, b, 8) ONE(a, b, 9)
#define HUNDRED(a)							\
	TEN(a, 0) TEN(a, 1) TEN(a, 2) TEN(a, 3) TEN(a, 4)		\
	TEN(a, 5) TEN(a, 6) TEN(a, 7) TEN(a, 8) TEN(a, 9)

#define MARKERS	500

int main(int argc, char **argv)
{
	uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	uint64_t v;

	for (v = 0; v < rounds; v++) {
		HUNDRED(0)
		HUNDRED(1)
		HUNDRED(2)
		HUNDRED(3)
		HUNDRED(4)
	}
	fprintf(stderr, "flood emitted %llu\n",
		(unsigned long long)(rounds * MARKERS));
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes events for those who read traces.
 *
 *	read small N	N events of a u64
 *	read mixed N	N events of an int64, a string and a double
 *	read pairs N	N events that begin and end something, in turn
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <taffrail/marker.h>

int main(int argc, char **argv)
{
	static const char *const words[] = {
		"hello", "world", "a longer string here",
	};
	const char *kind = argc > 1 ? argv[1] : "";
	long count = argc > 2 ? atol(argv[2]) : 0;

	for (long i = 0; i < count; i++) {
		uint64_t n = (uint64_t)i;

		if (!strcmp(kind, "small"))
			TAFFRAIL_EVENT(bench, small, n);
		else if (!strcmp(kind, "mixed"))
			TAFFRAIL_EVENT(bench, mixed, (int64_t)i,
				       words[i % 3], (double)i * 1.1);
		else if (i & 1)
			TAFFRAIL_EVENT(bench, work_end, n);
		else
			TAFFRAIL_EVENT(bench, work_begin, n);
	}
	return 0;
}

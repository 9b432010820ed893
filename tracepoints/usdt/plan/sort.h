/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sorting in place, without memory and without libc.
 */
#ifndef TRACEPOINTS_USDT_PLAN_SORT_H
#define TRACEPOINTS_USDT_PLAN_SORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

/* Tells whether one thing comes before another. */
typedef bool sort_before(const void *one, const void *other);

/* Orders things that begin with a number of 64 bits by it. */
static inline bool sort_number(const void *one, const void *other)
{
	return *(const uint64_t *)one < *(const uint64_t *)other;
}

/*
 * Sorts n things of some bytes each; those of which none comes before the
 * other get any order. `room` has as many bytes as a thing. Takes less time
 * where most are in order. SIGSAFE if `before` is.
 */
static ALWAYS_INLINE void sort_things(void *things, uint32_t n, size_t bytes,
				      void *room, sort_before *before)
{
	char *at = things;
	uint32_t gap = 1;
	uint32_t i, k;

	while (gap < n / 3)
		gap = gap * 3 + 1;
	for (; gap; gap /= 3) {
		for (i = gap; i < n; i++) {
			__builtin_memcpy(room, at + i * bytes, bytes);
			for (k = i; k >= gap &&
				    before(room, at + (k - gap) * bytes);
			     k -= gap)
				__builtin_memcpy(at + k * bytes,
						 at + (k - gap) * bytes, bytes);
			__builtin_memcpy(at + k * bytes, room, bytes);
		}
	}
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Arrays that grow by one element at a time, and double at powers of two: the
 * number of elements alone tells how many there is room for.
 */
#ifndef TRACES_ARRAY_H
#define TRACES_ARRAY_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for element n of an array of elements of so many bytes. `array` is
 * the address of the pointer to them, which is NULL before element 0. Returns
 * false without memory; the array then stays as it was. */
static inline bool array_grow(void *array, size_t n, size_t bytes)
{
	void *more;

	if (n & (n - 1))
		return true;
	/* the pointer has another type than void * to the compiler */
	memcpy(&more, array, sizeof(more));
	more = reallocarray(more, n ? 2 * n : 1, bytes);
	if (more)
		memcpy(array, &more, sizeof(more));
	return more;
}

/* Makes room for element `number` in an array of *n elements, and sets the new
 * ones to zero. Returns false without memory; the array then stays as it was.
 */
static inline bool array_reach(void *array, size_t *n, size_t number,
			       size_t bytes)
{
	size_t room = 2 * number + 1;
	char *more;

	if (number < *n)
		return true;
	memcpy(&more, array, sizeof(more));
	more = reallocarray(more, room, bytes);
	if (!more)
		return false;
	memset(more + *n * bytes, 0, (room - *n) * bytes);
	memcpy(array, &more, sizeof(more));
	*n = room;
	return true;
}

#endif

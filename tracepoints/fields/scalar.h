/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scalar types: how many bytes they have, the sort of value in them, and how
 * they are packed. fields.def has the types.
 */
#ifndef TRACEPOINTS_FIELDS_SCALAR_H
#define TRACEPOINTS_FIELDS_SCALAR_H

#include <stdint.h>

#include "include/taffrail/site.h"

/* The sort of value that the bytes of a scalar hold. */
enum scalar_sort {
	SCALAR_NONE,			/* the type is no scalar */
	SCALAR_UNSIGNED, SCALAR_SIGNED, SCALAR_REAL, SCALAR_ADDRESS,
	SCALAR_TRUTH,
};

/* Returns the bytes of a scalar, or of a sequence's element; 0: it is none. */
static inline uint32_t scalar_bytes(uint8_t type)
{
	static const uint8_t bytes[TAFFRAIL_T_SCALAR_MASK + 1] = {
#define FIELD_SCALAR(name, number, sort, size, ...) [number] = size,
#include "tracepoints/fields/fields.def"
	};

	return bytes[type & TAFFRAIL_T_SCALAR_MASK];
}

/* Returns the sort of a scalar, SCALAR_NONE of any other type. */
static inline enum scalar_sort scalar_sort(uint8_t type)
{
	static const uint8_t sorts[TAFFRAIL_T_SCALAR_MASK + 1] = {
#define FIELD_SCALAR(name, number, sort, ...) [number] = SCALAR_##sort,
#include "tracepoints/fields/fields.def"
	};

	return type > TAFFRAIL_T_SCALAR_MASK ? SCALAR_NONE :
					       (enum scalar_sort)sorts[type];
}

/* Returns the scalar of that sort with so many bytes, 0: there is none. */
static inline uint8_t scalar_of_sort(enum scalar_sort sort, uint64_t bytes)
{
	static const uint8_t types[SCALAR_TRUTH + 1][9] = {
#define FIELD_SCALAR(name, number, sort, size, ...)			\
		[SCALAR_##sort][size] = number,
#include "tracepoints/fields/fields.def"
	};

	return bytes < sizeof(types[0]) ? types[sort][bytes] : 0;
}

/* Returns the low bytes of a value, as a scalar of that type has them, extended
 * to 64 bits: by the sign if there is one, else by zeros. */
static inline uint64_t scalar_extend(uint8_t type, uint64_t value)
{
	uint32_t unused = 64 - 8 * scalar_bytes(type);

	value <<= unused;
	return scalar_sort(type) == SCALAR_SIGNED ?
		       (uint64_t)((int64_t)value >> unused) : value >> unused;
}

/* Stores the low bytes of a value, and returns the place behind them. */
static inline char *scalar_put(char *to, uint64_t value, uint32_t bytes)
{
	switch (bytes) {
	case 1:
		__builtin_memcpy(to, &value, 1);
		break;
	case 2:
		__builtin_memcpy(to, &value, 2);
		break;
	case 4:
		__builtin_memcpy(to, &value, 4);
		break;
	default:
		__builtin_memcpy(to, &value, 8);
	}
	return to + bytes;
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scalar types: how many bytes they have, and how they are packed.
 */
#ifndef TRACEPOINTS_FIELDS_SCALAR_H
#define TRACEPOINTS_FIELDS_SCALAR_H

#include <stdint.h>

#include "include/taffrail/site.h"

/* Returns the bytes of a scalar, or of a sequence's element; 0: it is none. */
static inline uint32_t scalar_bytes(uint8_t type)
{
	static const uint8_t bytes[TAFFRAIL_T_SCALAR_MASK + 1] = {
		[TAFFRAIL_T_S8] = 1,  [TAFFRAIL_T_U8] = 1,
		[TAFFRAIL_T_S16] = 2, [TAFFRAIL_T_U16] = 2,
		[TAFFRAIL_T_S32] = 4, [TAFFRAIL_T_U32] = 4,
		[TAFFRAIL_T_S64] = 8, [TAFFRAIL_T_U64] = 8,
		[TAFFRAIL_T_F32] = 4, [TAFFRAIL_T_F64] = 8,
		[TAFFRAIL_T_PTR] = 8, [TAFFRAIL_T_BOOL] = 1,
	};

	return bytes[type & TAFFRAIL_T_SCALAR_MASK];
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

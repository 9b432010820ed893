/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Doubles of conditions, as their 64 bits.
 *
 * Invariant: no function here raises a floating-point exception or sets a flag
 * of one. The host may have unmasked exceptions, or read the flags. Comparing
 * and converting therefore work on integers; the four operations run under the
 * agent's own control word (ax-double-x86_64.h).
 *
 * Facts: IEEE 754 binary32 and binary64, rounding to nearest, ties to even.
 */
#ifndef TRACEPOINTS_FIELDS_AX_DOUBLE_H
#define TRACEPOINTS_FIELDS_AX_DOUBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "tracepoints/fields/ax-double-x86_64.h"

#define DOUBLE_SIGN	(1ull << 63)
#define DOUBLE_INFINITY	(0x7ffull << 52)

/* Returns true for a NaN of any sign. */
static inline bool double_is_nan(uint64_t a)
{
	return (a & ~DOUBLE_SIGN) > DOUBLE_INFINITY;
}

/* Returns a number that is ordered as the doubles are; both zeros give 0. */
static inline int64_t double_order(uint64_t a)
{
	return a & DOUBLE_SIGN ? -(int64_t)(a & ~DOUBLE_SIGN) : (int64_t)a;
}

/* Return the result of a comparison as in C: with a NaN it is 0, and both zeros
 * are equal. */
static inline bool double_equal(uint64_t a, uint64_t b)
{
	return !double_is_nan(a) && !double_is_nan(b) &&
	       double_order(a) == double_order(b);
}

static inline bool double_less(uint64_t a, uint64_t b)
{
	return !double_is_nan(a) && !double_is_nan(b) &&
	       double_order(a) < double_order(b);
}

static inline bool double_less_equal(uint64_t a, uint64_t b)
{
	return !double_is_nan(a) && !double_is_nan(b) &&
	       double_order(a) <= double_order(b);
}

/*
 * Returns the double nearest to (m + a little, when `more`) * 2^exponent; the
 * highest bit of m is set.
 */
static inline uint64_t double_round(uint64_t m, int exponent, int more)
{
	int biased = exponent + 63 + 1023;
	int drop = biased > 0 ? 11 : 12 - biased;
	uint64_t kept, rest, half;

	if (biased >= 0x7ff)
		return DOUBLE_INFINITY;
	if (drop > 64)
		return 0;
	kept = drop > 63 ? 0 : m >> drop;
	rest = drop > 63 ? m : m & ((1ull << drop) - 1);
	half = 1ull << (drop - 1);
	/* the highest bit of a normal number adds 1 to the exponent */
	if (biased > 0)
		kept += (uint64_t)(biased - 1) << 52;
	if (rest > half || (rest == half && (more || (kept & 1))))
		kept++;
	return kept;
}

/* Return the double nearest to a 64-bit integer. */
static inline uint64_t double_of_unsigned(uint64_t a)
{
	int zeros;

	if (!a)
		return 0;
	zeros = __builtin_clzll(a);
	return double_round(a << zeros, -zeros, 0);
}

static inline uint64_t double_of_signed(uint64_t a)
{
	return a & DOUBLE_SIGN ? DOUBLE_SIGN | double_of_unsigned(0 - a) :
				 double_of_unsigned(a);
}

/* Takes the 32 bits of a float; the result is always exact. */
static inline uint64_t double_of_float(uint32_t a)
{
	uint64_t sign = (uint64_t)(a >> 31) << 63;
	uint32_t exponent = a >> 23 & 0xff;
	uint64_t fraction = a & 0x7fffff;
	int zeros;

	if (exponent == 0xff)
		return sign | DOUBLE_INFINITY | fraction << 29;
	if (exponent)
		return sign | (uint64_t)(exponent + 1023 - 127) << 52 |
		       fraction << 29;
	if (!fraction)
		return sign;
	zeros = __builtin_clzll(fraction);
	return sign | double_round(fraction << zeros, -zeros - 149, 0);
}

/* Returns the 32 bits of the float nearest to a double. */
static inline uint32_t float_of_double(uint64_t a)
{
	uint32_t sign = (uint32_t)(a >> 32) & 1u << 31;
	int exponent = (int)(a >> 52 & 0x7ff) - 1023 + 127;
	uint64_t fraction = a & ((1ull << 52) - 1);
	int drop = exponent > 0 ? 29 : 30 - exponent;
	uint64_t half;
	uint32_t kept;

	if (double_is_nan(a))
		return sign | 0x7fc00000 | (uint32_t)(fraction >> 29);
	if (exponent >= 0xff)
		return sign | 0x7f800000;
	if (drop > 53)
		return sign;
	fraction |= 1ull << 52;
	kept = (uint32_t)(fraction >> drop);
	half = 1ull << (drop - 1);
	fraction &= (half << 1) - 1;
	if (fraction > half || (fraction == half && (kept & 1)))
		kept++;
	/* the highest bit of a normal number adds 1 to the exponent */
	if (exponent > 0)
		kept += (uint32_t)(exponent - 1) << 23;
	return sign | kept;
}

/* Returns a double without the fraction, as an integer of 64 bits. A NaN, and
 * one that has more bits, give 1 << 63, as the processor does. */
static inline uint64_t integer_of_double(uint64_t a)
{
	int exponent = (int)(a >> 52 & 0x7ff) - 1023;
	uint64_t m = (a & ((1ull << 52) - 1)) | 1ull << 52;

	if (exponent < 0)
		return 0;
	if (exponent > 63)
		return DOUBLE_SIGN;
	m = exponent > 52 ? m << (exponent - 52) : m >> (52 - exponent);
	return a & DOUBLE_SIGN ? 0 - m : m;
}

#endif

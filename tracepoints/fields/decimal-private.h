/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Floating-point numbers as decimal digits, exactly: every double is a finite
 * decimal number, of up to 767 digits.
 *
 * Pure functions on integers: no libc, and no floating-point instruction, which
 * could change the host's exception flags. Any thread; SIGSAFE.
 *
 * Facts: IEEE 754 binary32 and binary64.
 */
#ifndef TRACEPOINTS_FIELDS_DECIMAL_PRIVATE_H
#define TRACEPOINTS_FIELDS_DECIMAL_PRIVATE_H

#include <stdint.h>

#define DECIMAL_DIGITS_MAX	792

/* 0.DIGITS * 10^point. The first digit and the last are not '0'. For the number
 * 0, n and point are 0. */
struct decimal {
	int n;
	int point;
	char digits[DECIMAL_DIGITS_MAX];
};

/* A floating-point number taken apart: (-1)^negative * m * 2^exponent. */
struct binary {
	uint64_t m;
	int exponent;
	uint8_t negative;
	uint8_t lowest;			/* m is the lowest of its exponent: the
					 * number below it is nearer */
	uint8_t infinite;
	uint8_t nan;
};

/* Take apart the number with these bits; set all members. Any bits are a
 * number, an infinite one or a NaN. */
void binary_of_double(struct binary *b, uint64_t bits);
void binary_of_float(struct binary *b, uint32_t bits);

/* Makes m * 2^exponent, exactly; exponent in -1076 .. 1023. */
void decimal_make(struct decimal *d, uint64_t m, int exponent);

/* Rounds to `keep` digits, to the nearest, ties to even. If `keep` is 0, leaves
 * 0, or a 1 at the next higher place; if it is negative, leaves 0. */
void decimal_round(struct decimal *d, int keep);

/* Makes the fewest digits from which this number is read back: they lie nearer
 * to it than to any other number of the format, or as near, if reading then
 * chooses this number. Of several such, makes the nearest. Not for an infinite
 * number or a NaN. */
void decimal_shortest(struct decimal *d, const struct binary *b);

#endif

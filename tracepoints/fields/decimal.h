/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Floating-point numbers as decimal digits, exactly: every double is a finite
 * decimal number, of up to 767 digits.
 *
 * Pure functions on integers: no libc, no floating-point instruction, so that
 * no flag of the host's is touched. Any thread; SIGSAFE.
 *
 * Facts: IEEE 754 binary32 and binary64.
 */
#ifndef TRACEPOINTS_FIELDS_DECIMAL_H
#define TRACEPOINTS_FIELDS_DECIMAL_H

#include <stdint.h>

#define DECIMAL_DIGITS_MAX	792

/* 0.DIGITS * 10^point. The first digit and the last are not '0'; n is 0 for
 * the number 0, and point then, too. */
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
	uint8_t lowest;			/* m is the lowest of its exponent, so
					 * that the number below is nearer */
	uint8_t infinite;
	uint8_t nan;
};

void binary_of_double(struct binary *b, uint64_t bits);
void binary_of_float(struct binary *b, uint32_t bits);

/* m * 2^exponent, exactly; exponent in -1076 .. 1023. */
void decimal_make(struct decimal *d, uint64_t m, int exponent);

/* To `keep` digits, to the nearest, ties to even. A `keep` of 0 leaves 0 or a
 * one at the next higher place; a negative one leaves 0. */
void decimal_round(struct decimal *d, int keep);

/* The digits of least number that lie nearer to this number than to any other
 * of its format (or as near, where reading them chooses it); of those the
 * nearest. For numbers that are neither infinite nor a NaN. */
void decimal_shortest(struct decimal *d, const struct binary *b);

#endif

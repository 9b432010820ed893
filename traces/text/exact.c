/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers of floating point as text from which the same number is read again.
 *
 * Invariant: a decimal number M / 10^D, where M is below 2^53
 * and D is at most 22, is read as the quotient of the two doubles, which both
 * are exact. So M / 10^D == value is proof.
 *
 * With 17 digits M is larger. Where long double has 64 bits, M and 10^D are
 * exact there, for D up to 27, and the quotient is rounded once. Rounded again,
 * to a double, it is what strtod() reads, but where it lies next to the middle
 * between two doubles.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "traces/text/number.h"

#define EXACT_MAX	0x1p53		/* integers below are exact */
#define SMALLEST	1e-5

static const struct tenth {
	int digits;
	double power;
} tenths[] = { { 3, 1e3 }, { 6, 1e6 }, { 9, 1e9 }, { 12, 1e12 },
	       { 15, 1e15 }, { 18, 1e18 } };

/* Writes 15 digits, or 17 if those are read as another number; 17 always
 * suffice. A number without point and exponent gets ".0". */
static char *by_printf(char *p, double value)
{
	int n = snprintf(p, NUMBER_REAL_BYTES, "%.15g", value);

	if (strtod(p, NULL) != value)
		n = snprintf(p, NUMBER_REAL_BYTES, "%.17g", value);
	if (!memchr(p, '.', (size_t)n) && !memchr(p, 'e', (size_t)n)) {
		memcpy(p + n, ".0", 2);
		n += 2;
	}
	return p + n;
}

#if LDBL_MANT_DIG == 64
#define POWER_MAX	27
#define DIGITS_MAX	17

static const long double powers[POWER_MAX + 1] = {
	1e0L, 1e1L, 1e2L, 1e3L, 1e4L, 1e5L, 1e6L, 1e7L, 1e8L, 1e9L, 1e10L,
	1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L,
	1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L,
};

/* Writes 16 or 17 digits, with a point among them. Returns NULL if they are no
 * proof. */
static char *by_digits(char *p, double value)
{
	long double size = fabsl((long double)value);
	char text[NUMBER_U64_BYTES];
	int whole = 1;

	if (!(size >= 1 && size < 1e15L))
		return NULL;
	while (size >= powers[whole])
		whole++;
	for (int digits = DIGITS_MAX - 1; digits <= DIGITS_MAX; digits++) {
		long double power = powers[digits - whole];
		uint64_t mantissa, m = (uint64_t)(size * power + 0.5L);
		long double quotient = (long double)m / power;
		int n = digits;

		/* the quotient may be rounded to another double than the exact
		 * value is, where the 11 bits that a double does not have are
		 * next to a half */
		memcpy(&mantissa, &quotient, sizeof(mantissa));
		mantissa = (mantissa & 0x7ff) - 0x3ff;
		if ((double)quotient != fabs(value) || mantissa <= 2 ||
		    m < (uint64_t)powers[digits - 1] ||
		    m >= (uint64_t)powers[digits])
			continue;
		if (value < 0)
			*p++ = '-';
		number_u64(text, m);
		while (n > whole + 1 && text[n - 1] == '0')
			n--;
		p = mempcpy(p, text, (size_t)whole);
		*p++ = '.';
		return mempcpy(p, text + whole, (size_t)(n - whole));
	}
	return NULL;
}
#else
static char *by_digits(char *p, double value)
{
	return NULL;
}
#endif

char *number_exact(char *p, double value)
{
	double size = fabs(value);
	char *end;

	if (size && !(size >= SMALLEST && size < EXACT_MAX))
		return by_printf(p, value);
	for (size_t i = 0; i < ARRAY_SIZE(tenths); i++) {
		double scaled = size * tenths[i].power;
		uint64_t m, power = (uint64_t)tenths[i].power, rest;

		if (!(scaled < EXACT_MAX))
			break;
		m = (uint64_t)(scaled + 0.5);
		if ((double)m / tenths[i].power != size)
			continue;
		if (signbit(value))
			*p++ = '-';
		p = number_u64(p, m / power);
		*p++ = '.';
		rest = m % power;
		for (int k = tenths[i].digits; k--; rest /= 10)
			p[k] = (char)('0' + rest % 10);
		/* no zeros at the end, but one digit behind the point */
		end = p + tenths[i].digits;
		while (end > p + 1 && end[-1] == '0')
			end--;
		return end;
	}
	end = by_digits(p, value);
	return end ? end : by_printf(p, value);
}

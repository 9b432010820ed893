/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers as text.
 *
 * Invariant: number_real() writes the same text as "%g", for every double. It
 * multiplies by a power of ten, which rounds once; where that could change the
 * sixth digit, it asks printf.
 */
#include "traces/text/number.h"

#include <math.h>
#include <stdio.h>

#include "base/base.h"

#define DIGITS		6
#define SMALLEST	100000		/* of so many digits */
#define TOO_NEAR	1e-9		/* to a half; errors are below 2e-10 */

const char number_pairs[201] =
	"00010203040506070809101112131415161718192021222324"
	"25262728293031323334353637383940414243444546474849"
	"50515253545556575859606162636465666768697071727374"
	"75767778798081828384858687888990919293949596979899";

/* Those that a double has exactly. */
static const double powers[] = {
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12,
	1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};

#define POWER_MAX	((int)ARRAY_SIZE(powers) - 1)

/* Splits the number into parts of 18 digits, of which the first has no
 * zeros. */
__extension__ char *number_wide(char *p, __int128 value)
{
	__extension__ unsigned __int128 rest = (unsigned __int128)value;
	const uint64_t part = 1000000000000000000ull;
	uint64_t parts[3];
	int n = 0;

	if (value < 0) {
		*p++ = '-';
		rest = 0 - rest;
	}
	do {
		parts[n++] = (uint64_t)(rest % part);
		rest /= part;
	} while (rest);
	p = number_u64(p, parts[--n]);
	while (n-- > 0) {
		p = number_digits(p, (uint32_t)(parts[n] / 1000000000), 9);
		p = number_digits(p, (uint32_t)(parts[n] % 1000000000), 9);
	}
	return p;
}

char *number_base(char *p, uint64_t value, unsigned int bits_a_digit)
{
	static const char digits[] = "0123456789ABCDEF";
	unsigned int n = 1;

	while (n * bits_a_digit < 64 && value >> (n * bits_a_digit))
		n++;
	for (unsigned int i = n; i--; value >>= bits_a_digit)
		p[i] = digits[value & ((1u << bits_a_digit) - 1)];
	return p + n;
}

/* Writes the number as printf does, which is slow and always right. */
static char *by_printf(char *p, double value)
{
	return p + snprintf(p, NUMBER_REAL_BYTES, "%g", value);
}

/* Writes DIGITS digits as "%g" does: the point behind the first, or where the
 * exponent puts it, and no zeros at the end. */
static char *put_decimal(char *p, uint32_t number, int exponent)
{
	char digits[8];
	int n = DIGITS;

	number_digits(digits, number, DIGITS);
	while (n > 1 && digits[n - 1] == '0')
		n--;
	if (exponent >= DIGITS || exponent < -4) {
		*p++ = digits[0];
		if (n > 1)
			*p++ = '.';
		memcpy(p, digits + 1, (size_t)n - 1);
		p += n - 1;
		*p++ = 'e';
		*p++ = exponent < 0 ? '-' : '+';
		return number_digits(p, (uint32_t)(exponent < 0 ? -exponent :
								  exponent), 2);
	}
	if (exponent < 0) {
		memcpy(p, "0.0000", 6);
		p += 1 - exponent;
		memcpy(p, digits, (size_t)n);
		return p + n;
	}
	memcpy(p, digits, (size_t)exponent + 1);
	p += exponent + 1;
	if (n <= exponent + 1)
		return p;
	*p++ = '.';
	memcpy(p, digits + exponent + 1, (size_t)(n - exponent - 1));
	return p + n - exponent - 1;
}

char *number_real(char *p, double value)
{
	double size = fabs(value), scaled, whole, rest;
	uint32_t number;
	uint64_t bits;
	int exponent;

	/* whole numbers of six digits, which are the most frequent; -0 is not
	 * among them, as "%g" keeps the sign */
	if (size < 1e6 && value == (double)(int32_t)value &&
	    !(value == 0 && signbit(value)))
		return number_s64(p, (int32_t)value);
	if (!(size >= 1e-15 && size < 1e21))
		return by_printf(p, value);
	/* a guess of the decimal exponent, which is right or 1 too small: the
	 * binary one times the logarithm of 2 to the base of 10, in 1/65536,
	 * rounded down */
	memcpy(&bits, &size, sizeof(bits));
	exponent = ((int)(bits >> 52 & 0x7ff) - 1023) * 19728 >> 16;
	if (exponent < POWER_MAX && exponent >= -1 && size >=
	    powers[exponent + 1])
		exponent++;
	for (;;) {
		int shift = DIGITS - 1 - exponent;

		if (shift > POWER_MAX || shift < -POWER_MAX)
			return by_printf(p, value);
		scaled = shift >= 0 ? size * powers[shift] :
				      size / powers[-shift];
		if (scaled < 10 * SMALLEST)
			break;
		exponent++;
	}
	whole = (double)(uint32_t)scaled;
	rest = scaled - whole;
	if (fabs(rest - 0.5) < TOO_NEAR || scaled < SMALLEST)
		return by_printf(p, value);
	number = (uint32_t)whole + (rest > 0.5);
	if (number == 10 * SMALLEST) {
		number = SMALLEST;
		exponent++;
	}
	if (value < 0)
		*p++ = '-';
	return put_decimal(p, number, exponent);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers of floating point as text from which the same number is read again.
 *
 * What must stay true here: a decimal number M / 10^D, where M is below 2^53
 * and D is at most 22, is read as the quotient of the two doubles, which both
 * are exact. So M / 10^D == value is proof.
 */
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

/* Writes M / 10^D, without zeros at the end, but with one digit behind the
 * point. */
static char *put(char *p, uint64_t m, const struct tenth *tenth)
{
	uint64_t power = (uint64_t)tenth->power;
	uint64_t rest = m % power;
	char *end;

	p = number_u64(p, m / power);
	*p++ = '.';
	for (int i = tenth->digits; i--; rest /= 10)
		p[i] = (char)('0' + rest % 10);
	end = p + tenth->digits;
	while (end > p + 1 && end[-1] == '0')
		end--;
	return end;
}

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

char *number_exact(char *p, double value)
{
	double size = fabs(value);

	if (size && !(size >= SMALLEST && size < EXACT_MAX))
		return by_printf(p, value);
	for (size_t i = 0; i < ARRAY_SIZE(tenths); i++) {
		double scaled = size * tenths[i].power;
		uint64_t m;

		if (!(scaled < EXACT_MAX))
			break;
		m = (uint64_t)(scaled + 0.5);
		if ((double)m / tenths[i].power != size)
			continue;
		if (signbit(value))
			*p++ = '-';
		return put(p, m, &tenths[i]);
	}
	return by_printf(p, value);
}

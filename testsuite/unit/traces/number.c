/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers as text, against printf() and strtod().
 */
#include "testsuite/unit/unit.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/text/number.h"

#define NUMBERS	200000u

/* Doubles of all bits, decimal ones, sums, halves of the last digits. */
static double number(unsigned int i)
{
	static const double special[] = {
		0, -0.0, 1, 0.1, 999999.5, 9999995, 0.000099999995, 1e6, 1e15,
		1e22, 1e23, 5e-324, DBL_MIN, DBL_MAX, 123456.5, 1234565,
		2097151.5, 9007199254740993.0, 1e-5, 9.5e-5,
	};
	char text[64];
	double value;
	uint64_t bits;

	if (i < sizeof(special) / sizeof(*special))
		return special[i];
	bits = unit_random();
	switch (i % 5) {
	case 0:
		memcpy(&value, &bits, sizeof(value));
		return isfinite(value) ? value : 1;
	case 1:
		return (double)i * 1.1;
	case 2:
		snprintf(text, sizeof(text), "%d.%06d5e%d", (int)(bits % 10),
			 (int)(bits >> 8) % 1000000,
			 (int)(bits >> 40) % 40 - 20);
		return strtod(text, NULL);
	case 3:
		return (double)(int64_t)bits / 1e7;
	default:
		return ldexp((double)(bits >> 11), -(int)(bits % 100));
	}
}

static void reals(void)
{
	char got[NUMBER_REAL_BYTES + 1], want[64];
	unsigned int short_ones = 0, exact = 0;

	for (unsigned int i = 0; i < NUMBERS; i++) {
		double value = number(i);

		*number_real(got, value) = '\0';
		snprintf(want, sizeof(want), "%g", value);
		short_ones += !strcmp(got, want);
		*number_exact(got, value) = '\0';
		exact += strtod(got, NULL) == value && strpbrk(got, ".e") &&
			 signbit(strtod(got, NULL)) == signbit(value);
	}
	unit_equal(short_ones, NUMBERS, "as %%g writes them");
	unit_equal(exact, NUMBERS, "read again, the same");
}

static void integers(void)
{
	static const uint64_t special[] = {
		0, 9, 10, 99, 100, 9999, 10000, UINT32_MAX, INT64_MAX,
		(uint64_t)INT64_MIN, UINT64_MAX,
	};
	char got[96], want[96];
	unsigned int right = 0;

	for (unsigned int i = 0; i < NUMBERS; i++) {
		uint64_t value = i < sizeof(special) / sizeof(*special) ?
				 special[i] : unit_random() >> (i % 64);
		char *p = number_u64(got, value);

		*p++ = ' ';
		p = number_s64(p, (int64_t)value);
		*p++ = ' ';
		p = number_base(p, value, 4);
		*p++ = ' ';
		*number_base(p, value, 3) = '\0';
		snprintf(want, sizeof(want), "%llu %lld %llX %llo",
			 (unsigned long long)value, (long long)value,
			 (unsigned long long)value, (unsigned long long)value);
		right += !strcmp(got, want);
	}
	unit_equal(right, NUMBERS, "integers");
}

int main(void)
{
	reals();
	integers();
	return unit_end();
}

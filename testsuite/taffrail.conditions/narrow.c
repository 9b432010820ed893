/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A long double in a marker, in C and C++: the nearest double, and no
 * floating-point exception or flag, whatever the program traps.
 */
#include <fenv.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <taffrail/marker.h>

static int differs(uint64_t mantissa, uint16_t top)
{
	long double number = 0;
	double want, got;

	memcpy(&number, &mantissa, 8);
	memcpy((char *)&number + 8, &top, 2);
	want = (double)number;
	got = taffrail_narrow_(number);
	return memcmp(&want, &got, sizeof(want)) != 0;
}

/* Numbers of all sizes, and those halfway between two doubles. */
static int count_different(void)
{
	uint64_t x = 88172645463325252ull;
	int wrong = 0;
	int i;

	for (i = 0; i < 1000000; i++) {
		uint64_t mantissa;
		uint16_t top;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		mantissa = x | 1ull << 63;
		if (i & 1)
			mantissa &= ~0ull << (x & 63);
		if (i & 2)
			mantissa |= 1ull << (x >> 6 & 63);
		mantissa |= 1ull << 63;
		top = (uint16_t)(x >> 17 & 0x8000);
		if (i & 4)
			top = (uint16_t)(top | (16383 - 1150 + i % 2300));
		else
			top = (uint16_t)(top | (i & 8 ? x >> 20 & 0x7fff :
							0x7fff));
		wrong += differs(mantissa, top);
	}
	wrong += differs(0, 0) + differs(0, 0x8000) + differs(1, 0);
	return wrong;
}

int main(void)
{
	static volatile long double values[] = { 1.1L, 1e4000L, -1e-4000L,
		1e-310L, -3, 0 };
	int wrong = count_different();
	int flags = 0;
	unsigned int i;

	feclearexcept(FE_ALL_EXCEPT);
	fesetround(FE_UPWARD);
	feenableexcept(FE_ALL_EXCEPT);
	for (i = 0; i < sizeof(values) / sizeof(*values); i++) {
		TAFFRAIL_EVENT(app, hit, TAFFRAIL_FIELD(x, values[i]));
		flags |= fetestexcept(FE_ALL_EXCEPT);
	}
	feclearexcept(FE_ALL_EXCEPT);
	fedisableexcept(FE_ALL_EXCEPT);
	printf("wrong %d flags %d\n", wrong, flags);
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conditions: reads a decimal number as the nearest double, exactly.
 *
 * The digits are one large integer, which is multiplied or divided by a power
 * of ten. Before a division the integer is shifted up: the quotient then has
 * more than 64 bits. A remainder is noted only as "a little more".
 */
#include "tracepoints/conditions/expr-private.h"

#include "base/base.h"
#include "tracepoints/fields/ax-double.h"

#define DIGITS_MAX	64
#define EXPONENT_MAX	400	/* beyond it: 0, or too large */
/* 64 digits are 213 bits; 10^464 has 1542; a quotient needs 65 more. */
#define LIMBS		64
#define TEN_9		1000000000u

/* A number of 32-bit limbs, lowest first. */
struct large {
	uint32_t limb[LIMBS];
	uint32_t n;
	int more;
};

/* Replaces a by a * factor + add. Limbs beyond LIMBS are dropped: no caller
 * needs them. */
static void large_multiply_add(struct large *a, uint32_t factor, uint32_t add)
{
	uint64_t carry = add;

	for (uint32_t i = 0; i < a->n; i++) {
		carry += (uint64_t)a->limb[i] * factor;
		a->limb[i] = (uint32_t)carry;
		carry >>= 32;
	}
	if (carry && a->n < LIMBS)
		a->limb[a->n++] = (uint32_t)carry;
}

/* Replaces a by the quotient, and notes in `more` that there is a remainder. */
static void large_divide(struct large *a, uint32_t divisor)
{
	uint64_t rest = 0;

	for (uint32_t i = a->n; i-- > 0;) {
		rest = rest << 32 | a->limb[i];
		a->limb[i] = (uint32_t)(rest / divisor);
		rest %= divisor;
	}
	a->more |= rest != 0;
	while (a->n && !a->limb[a->n - 1])
		a->n--;
}

/* Returns a limb; 0 below the lowest. */
static uint32_t limb_at(const struct large *a, int i)
{
	return i < 0 ? 0 : a->limb[i];
}

/* Returns a * 2^exponent, rounded. a is not 0. */
static uint64_t large_round(const struct large *a, int exponent)
{
	int last = (int)a->n - 1;
	int zeros = __builtin_clz(a->limb[last]);
	uint64_t high = (uint64_t)a->limb[last] << 32 | limb_at(a, last - 1);
	uint32_t low = limb_at(a, last - 2);
	uint64_t m = zeros ? high << zeros | low >> (32 - zeros) : high;
	bool more = a->more || (uint32_t)(low << zeros);

	for (int i = last - 3; i >= 0; i--)
		more |= a->limb[i] != 0;
	return double_round(m, exponent + 32 * (last - 1) - zeros, more);
}

/* Returns a * 10^ten, rounded. Changes a. */
static uint64_t large_scale(struct large *a, int ten)
{
	uint32_t limbs;

	if (!a->n || ten < -(EXPONENT_MAX + DIGITS_MAX))
		return 0;
	if (ten > EXPONENT_MAX)
		return DOUBLE_INFINITY;
	for (; ten >= 9; ten -= 9)
		large_multiply_add(a, TEN_9, 0);
	for (; ten > 0; ten--)
		large_multiply_add(a, 10, 0);
	if (!ten)
		return large_round(a, 0);
	/* 10^9 is less than 2^30: a limb for each nine, and three more */
	limbs = (uint32_t)(-ten) / 9 + 4;
	/* multiplies by 2^32 for each limb, which large_round() takes back */
	for (uint32_t i = a->n; i-- > 0;)
		a->limb[i + limbs] = a->limb[i];
	for (uint32_t i = 0; i < limbs; i++)
		a->limb[i] = 0;
	a->n += limbs;
	for (; ten <= -9; ten += 9)
		large_divide(a, TEN_9);
	for (; ten < 0; ten++)
		large_divide(a, 10);
	return large_round(a, -32 * (int)limbs);
}

SIGSAFE int expr_decimal(const char *p, const char *end, int ten,
			 uint64_t *bits)
{
	struct large a = { .n = 0 };
	uint32_t digits = 0;
	int point = 0, negative, number = 0;

	for (; p < end && *p != 'e' && *p != 'E'; p++) {
		if (*p == '.') {
			point = 1;
			continue;
		}
		if (digits || *p != '0')
			digits++;
		if (digits > DIGITS_MAX)
			return -1;
		large_multiply_add(&a, 10, (uint32_t)(*p - '0'));
		ten -= point;
	}
	/* behind 'e'; a very large exponent is cut off */
	negative = ++p < end && *p == '-';
	if (p < end && (*p == '-' || *p == '+'))
		p++;
	for (; p < end; p++)
		if (number < 100000)
			number = number * 10 + (*p - '0');
	ten += negative ? -number : number;
	*bits = large_scale(&a, ten);
	return *bits == DOUBLE_INFINITY ? -1 : 0;
}

SIGSAFE int expr_decimal_integer(const char *p, const char *end, int ten,
				 uint64_t *value)
{
	int64_t number = 0;
	bool point = false;

	for (; p < end || ten > 0; p++) {
		int digit = p < end ? *p - '0' : 0;

		if (p < end && *p == '.') {
			point = true;
			continue;
		}
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, digit, &number))
			return -1;
		ten -= p < end ? point : 1;
	}
	for (; ten < 0 && number % 10 == 0; ten++)
		number /= 10;
	*value = (uint64_t)number;
	return -(ten != 0);
}

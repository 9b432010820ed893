/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Floating-point numbers as decimal digits.
 *
 * m * 2^-k is m * 5^k with the point moved by k digits: one large integer. Its
 * limbs have nine decimal digits each, so each limb gives its digits directly.
 */
#include "tracepoints/fields/decimal-private.h"

#include <stdbool.h>
#include <stddef.h>

#define TEN_9		1000000000u
#define FIVE_13		1220703125u
#define LIMBS		88		/* 64 bits * 5^1076: 772 digits */
#define SHORT_DIGITS	17		/* tell any two doubles apart */

_Static_assert(DECIMAL_DIGITS_MAX >= LIMBS * 9, "digits of all limbs");

struct limbs {
	uint32_t n;
	uint32_t limb[LIMBS];		/* lowest first */
};

static void binary_make(struct binary *b, uint64_t fraction, uint32_t exponent,
			uint32_t exponent_max, int fraction_bits)
{
	int bias = (int)(exponent_max >> 1) + fraction_bits;

	b->infinite = exponent == exponent_max && !fraction;
	b->nan = exponent == exponent_max && fraction;
	b->lowest = exponent > 1 && !fraction;
	b->m = exponent ? fraction | 1ull << fraction_bits : fraction;
	b->exponent = (int)(exponent ? exponent : 1) - bias;
}

void binary_of_double(struct binary *b, uint64_t bits)
{
	b->negative = (uint8_t)(bits >> 63);
	binary_make(b, bits & ((1ull << 52) - 1), bits >> 52 & 0x7ff, 0x7ff,
		    52);
}

void binary_of_float(struct binary *b, uint32_t bits)
{
	b->negative = (uint8_t)(bits >> 31);
	binary_make(b, bits & ((1u << 23) - 1), bits >> 23 & 0xff, 0xff, 23);
}

static void limbs_multiply(struct limbs *a, uint32_t factor)
{
	uint64_t carry = 0;

	for (uint32_t i = 0; i < a->n; i++) {
		carry += (uint64_t)a->limb[i] * factor;
		a->limb[i] = (uint32_t)(carry % TEN_9);
		carry /= TEN_9;
	}
	for (; carry && a->n < LIMBS; carry /= TEN_9)
		a->limb[a->n++] = (uint32_t)(carry % TEN_9);
}

static void trim(struct decimal *d)
{
	while (d->n && d->digits[d->n - 1] == '0')
		d->n--;
	if (!d->n)
		d->point = 0;
}

/* Stores all digits, without leading zeros. */
static void digits_of(struct decimal *d, const struct limbs *a)
{
	d->n = 0;
	for (uint32_t i = a->n; i-- > 0;) {
		uint32_t place = TEN_9 / 10;

		for (; place; place /= 10) {
			uint32_t digit = a->limb[i] / place % 10;

			if (digit || d->n)
				d->digits[d->n++] = (char)('0' + digit);
		}
	}
}

void decimal_make(struct decimal *d, uint64_t m, int exponent)
{
	struct limbs a = { .n = 0 };
	int point = 0;

	for (; m && !(m & 1) && exponent < 0; m >>= 1)
		exponent++;
	for (; m; m /= TEN_9)
		a.limb[a.n++] = (uint32_t)(m % TEN_9);
	for (; exponent >= 31; exponent -= 31)
		limbs_multiply(&a, 1u << 31);
	if (exponent > 0)
		limbs_multiply(&a, 1u << exponent);
	for (; exponent <= -13; exponent += 13, point += 13)
		limbs_multiply(&a, FIVE_13);
	for (; exponent < 0; exponent++, point++)
		limbs_multiply(&a, 5);
	digits_of(d, &a);
	d->point = d->n - point;
	trim(d);
}

/* Drops all but the first n digits, and adds one to the last of these. */
static void count_up(struct decimal *d, int n)
{
	while (n && d->digits[n - 1] == '9')
		n--;
	if (n) {
		d->digits[n - 1]++;
		d->n = n;
	} else {
		d->digits[0] = '1';
		d->n = 1;
		d->point++;
	}
}

/* Returns true when the digits after the first n are more than a half, or a
 * half after an odd digit. */
static bool rounds_up(const struct decimal *d, int n)
{
	if (n < 0 || n >= d->n)
		return false;
	return d->digits[n] > '5' ||
	       (d->digits[n] == '5' &&
		(d->n > n + 1 || (n && (d->digits[n - 1] & 1))));
}

void decimal_round(struct decimal *d, int keep)
{
	if (keep >= d->n)
		return;
	if (rounds_up(d, keep)) {
		count_up(d, keep);
		return;
	}
	d->n = keep > 0 ? keep : 0;
	trim(d);
}

/* Returns -1, 0 or 1. */
static int compare(const struct decimal *a, const struct decimal *b)
{
	if (!a->n || !b->n)
		return (a->n > 0) - (b->n > 0);
	if (a->point != b->point)
		return a->point < b->point ? -1 : 1;
	for (int i = 0; i < a->n && i < b->n; i++)
		if (a->digits[i] != b->digits[i])
			return a->digits[i] < b->digits[i] ? -1 : 1;
	return (a->n > b->n) - (a->n < b->n);
}

/* Stores the first n digits of d; when `up`, adds one to the last. */
static void cut(struct decimal *to, const struct decimal *d, int n, int up)
{
	to->n = n;
	to->point = d->point;
	__builtin_memcpy(to->digits, d->digits, (size_t)n);
	if (up)
		count_up(to, n);
	else
		trim(to);
}

/*
 * `low` and `high` are the middles between this number and its neighbours. Any
 * number between them is read as this number; the middles are, too, when m is
 * even. If a number of n digits lies between them, then so does one of the two
 * numbers of n digits that are next to this number.
 */
void decimal_shortest(struct decimal *d, const struct binary *b)
{
	struct decimal low, high, try;
	int least = b->m & 1;	/* 1: the middles do not count */
	int n;

	decimal_make(d, b->m, b->exponent);
	if (!d->n)
		return;
	if (b->lowest)
		decimal_make(&low, 4 * b->m - 1, b->exponent - 2);
	else
		decimal_make(&low, 2 * b->m - 1, b->exponent - 1);
	decimal_make(&high, 2 * b->m + 1, b->exponent - 1);
	for (n = 1; n < d->n && n < SHORT_DIGITS; n++) {
		bool up = rounds_up(d, n);

		cut(&try, d, n, up);
		if (compare(&try, &low) >= least &&
		    compare(&high, &try) >= least)
			break;
		cut(&try, d, n, !up);
		if (compare(&try, &low) >= least &&
		    compare(&high, &try) >= least)
			break;
	}
	if (n < d->n && n < SHORT_DIGITS)
		cut(d, &try, try.n, 0);
	else
		decimal_round(d, SHORT_DIGITS);
}

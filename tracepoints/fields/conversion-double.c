/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conversions of floating-point numbers: all digits exact, rounded to the
 * nearest, ties to even.
 */
#include "tracepoints/fields/conversion-private.h"

#include "tracepoints/fields/decimal-private.h"

#define PLAIN_DIGITS	17	/* at most, before an exponent is used */
#define FRACTION_BITS	52
#define FRACTION_NIBBLES 13

/* Room for "e+308", "p-1074". */
struct exponent {
	char text[8];
	int n;
};

/* Returns true for a conversion that writes in capitals. */
static bool is_upper(char letter)
{
	return letter >= 'A' && letter <= 'Z';
}

/* Makes an exponent with a sign and at least so many digits. */
static void exponent_make(struct exponent *e, char letter, int value,
			  int digits)
{
	uint32_t rest = value < 0 ? 0 - (uint32_t)value : (uint32_t)value;
	int n = 1;

	for (uint32_t power = 10; power <= rest || n < digits; power *= 10)
		n++;
	e->text[0] = letter;
	e->text[1] = value < 0 ? '-' : '+';
	e->n = 2 + n;
	for (; n > 0; n--, rest /= 10)
		e->text[1 + n] = (char)('0' + rest % 10);
}

/* Adds n digits from place `from` on; places outside d's digits are zeros. */
static void add_digits(struct text *text, const struct decimal *d, int from,
		       int n)
{
	int to = from + n;

	for (; from < to && from < 0 && !text->cut; from++)
		text_add_char(text, '0');
	for (; from < to && from < d->n && !text->cut; from++)
		text_add_char(text, d->digits[from]);
	conversion_repeat(text, '0', to - from);
}

/* Adds d, which has been rounded to `precision` digits after the point. */
static void put_fixed(struct text *text, const struct conversion *c,
		      const char *sign, const struct decimal *d, int precision)
{
	int whole = d->point > 0 ? d->point : 1;
	bool dot = precision || c->flags & CONVERSION_ALT;
	int64_t pad = conversion_open(text, c, sign, whole + dot + precision,
				      c->flags & CONVERSION_ZERO);

	if (d->point > 0)
		add_digits(text, d, 0, whole);
	else
		text_add_char(text, '0');
	if (dot)
		text_add_char(text, '.');
	add_digits(text, d, d->point, precision);
	conversion_repeat(text, ' ', pad);
}

/* Adds d, which has been rounded to 1 + precision digits. */
static void put_scientific(struct text *text, const struct conversion *c,
			   const char *sign, const struct decimal *d,
			   int precision)
{
	bool dot = precision || c->flags & CONVERSION_ALT;
	struct exponent e;
	int64_t pad;

	exponent_make(&e, is_upper(c->letter) ? 'E' : 'e',
		      d->n ? d->point - 1 : 0, 2);
	pad = conversion_open(text, c, sign, 1 + dot + precision + e.n,
			      c->flags & CONVERSION_ZERO);
	add_digits(text, d, 0, 1);
	if (dot)
		text_add_char(text, '.');
	add_digits(text, d, 1, precision);
	text_add_bytes(text, e.text, (size_t)e.n);
	conversion_repeat(text, ' ', pad);
}

/* %g of digits that have been rounded to `precision`; without '#' the zeros at
 * the end are left out. */
static void put_general(struct text *text, const struct conversion *c,
			const char *sign, const struct decimal *d,
			int precision)
{
	int x = d->n ? d->point - 1 : 0;
	int alt = c->flags & CONVERSION_ALT;

	if (x < -4 || x >= precision)
		put_scientific(text, c, sign, d,
			       alt ? precision - 1 : d->n > 1 ? d->n - 1 : 0);
	else
		put_fixed(text, c, sign, d,
			  alt		? precision - 1 - x :
			  d->n > d->point	? d->n - d->point :
					  0);
}

/* %a: the digit before the point is 1, or 0 for a subnormal number. */
static void put_hexadecimal(struct text *text, const struct conversion *c,
			    const struct binary *b)
{
	const char *digits = is_upper(c->letter) ? "0123456789ABCDEF" :
						   "0123456789abcdef";
	int precision = c->precision;
	int exponent = b->m ? b->exponent + FRACTION_BITS : 0;
	uint64_t m = b->m;
	struct exponent e;
	char head[4];
	int64_t pad;
	bool dot;

	if (precision >= 0 && precision < FRACTION_NIBBLES) {
		int drop = 4 * (FRACTION_NIBBLES - precision);
		uint64_t half = 1ull << (drop - 1);
		uint64_t rest = m & (2 * half - 1);

		m -= rest;
		if (rest > half || (rest == half && m & 2 * half))
			m += 2 * half;
	}
	for (int i = FRACTION_NIBBLES; precision < 0 && i > 0; i--)
		if (m >> (FRACTION_BITS - 4 * i) & 15)
			precision = i;
	if (precision < 0)
		precision = 0;
	dot = precision || c->flags & CONVERSION_ALT;
	exponent_make(&e, is_upper(c->letter) ? 'P' : 'p', exponent, 1);
	text_copy(head, 2, conversion_sign(c, b->negative));
	text_copy(head + text_length(head), 3,
		  is_upper(c->letter) ? "0X" : "0x");
	pad = conversion_open(text, c, head, 1 + dot + precision + e.n,
			      c->flags & CONVERSION_ZERO);
	text_add_char(text, digits[m >> FRACTION_BITS]);
	if (dot)
		text_add_char(text, '.');
	for (int i = 1; i <= precision && i <= FRACTION_NIBBLES; i++)
		text_add_char(text, digits[m >> (FRACTION_BITS - 4 * i) & 15]);
	conversion_repeat(text, '0', precision - FRACTION_NIBBLES);
	text_add_bytes(text, e.text, (size_t)e.n);
	conversion_repeat(text, ' ', pad);
}

/* Adds infinity or NaN, never padded with zeros. */
static void put_word(struct text *text, const struct conversion *c,
		     const char *sign, const struct binary *b)
{
	const char *lower = b->nan ? "nan" : "inf";
	const char *upper = b->nan ? "NAN" : "INF";
	int64_t pad = conversion_open(text, c, sign, 3, 0);

	text_add(text, is_upper(c->letter) ? upper : lower);
	conversion_repeat(text, ' ', pad);
}

void conversion_double(struct text *text, const struct conversion *c,
		       uint64_t bits)
{
	int precision = c->precision < 0 ? 6 : c->precision;
	const char *sign;
	struct binary b;
	struct decimal d;

	binary_of_double(&b, bits);
	sign = conversion_sign(c, b.negative);
	if (b.infinite || b.nan) {
		put_word(text, c, sign, &b);
		return;
	}
	if (c->letter == 'a' || c->letter == 'A') {
		put_hexadecimal(text, c, &b);
		return;
	}
	decimal_make(&d, b.m, b.exponent);
	switch (c->letter) {
	case 'f':
	case 'F':
		decimal_round(&d, d.point + precision);
		put_fixed(text, c, sign, &d, precision);
		break;
	case 'e':
	case 'E':
		decimal_round(&d, 1 + precision);
		put_scientific(text, c, sign, &d, precision);
		break;
	default:
		precision = precision ? precision : 1;
		decimal_round(&d, precision);
		put_general(text, c, sign, &d, precision);
	}
}

/* Adds the fewest digits that tell the number from all others of the same
 * format. */
static void put_shortest(struct text *text, const struct binary *b)
{
	static const struct conversion plain = { .letter = 'g' };
	const char *sign = conversion_sign(&plain, b->negative);
	struct decimal d;

	if (b->infinite || b->nan) {
		put_word(text, &plain, sign, b);
		return;
	}
	decimal_shortest(&d, b);
	put_general(text, &plain, sign, &d, PLAIN_DIGITS);
}

void conversion_shortest_double(struct text *text, uint64_t bits)
{
	struct binary b;

	binary_of_double(&b, bits);
	put_shortest(text, &b);
}

void conversion_shortest_float(struct text *text, uint32_t bits)
{
	struct binary b;

	binary_of_float(&b, bits);
	put_shortest(text, &b);
}

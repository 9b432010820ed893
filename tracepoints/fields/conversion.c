/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conversions of a printf-like format: integers, strings, and helpers of all
 * conversions. Floating-point numbers are in conversion-double.c.
 */
#include <string.h>

#include "tracepoints/fields/conversion-private.h"

void conversion_repeat(struct text *text, char c, int64_t n)
{
	while (n-- > 0 && !text->cut)
		text_add_char(text, c);
}

int64_t conversion_open(struct text *text, const struct conversion *c,
			const char *head, int64_t length, int zeros)
{
	int64_t pad = c->width - length - (int64_t)text_length(head);
	bool left = !(c->flags & CONVERSION_MINUS);

	if (left && !zeros)
		conversion_repeat(text, ' ', pad);
	text_add(text, head);
	if (left && zeros)
		conversion_repeat(text, '0', pad);
	return left ? 0 : pad;
}

const char *conversion_sign(const struct conversion *c, int negative)
{
	if (negative)
		return "-";
	if (c->flags & CONVERSION_PLUS)
		return "+";
	return c->flags & CONVERSION_SPACE ? " " : "";
}

/* Stores the digits of a value, highest first, without leading zeros. Returns
 * how many: at most 22. */
static int digits_of(char *out, uint64_t value, char letter)
{
	const char *digits = letter == 'X' ? "0123456789ABCDEF" :
					     "0123456789abcdef";
	uint32_t base = letter == 'o' ? 8 :
			letter == 'x' || letter == 'X' || letter == 'p' ? 16 :
									  10;
	uint64_t rest = value;
	int n = 0;

	for (; rest; rest /= base)
		n++;
	for (int i = n; i-- > 0; value /= base)
		out[i] = digits[value % base];
	return n;
}

void conversion_integer(struct text *text, const struct conversion *c,
			uint64_t value)
{
	bool negative = (int64_t)value < 0;
	int precision = c->precision < 0 ? 1 : c->precision;
	bool zeros = c->precision < 0 && c->flags & CONVERSION_ZERO;
	const char *head = "";
	char digits[24];
	int64_t pad;
	int n;

	switch (c->letter) {
	case 'd':
	case 'i':
		head = conversion_sign(c, negative);
		value = negative ? 0 - value : value;
		break;
	case 'x':
	case 'X':
		if (value && c->flags & CONVERSION_ALT)
			head = c->letter == 'x' ? "0x" : "0X";
		break;
	case 'p':
		if (!value) {
			conversion_string(text, c, "(nil)", 5);
			return;
		}
		head = "0x";
		break;
	default:
		break;
	}
	n = digits_of(digits, value, c->letter);
	if (c->letter == 'o' && c->flags & CONVERSION_ALT && precision <= n)
		precision = n + 1;
	if (precision < n)
		precision = n;
	pad = conversion_open(text, c, head, precision, zeros);
	conversion_repeat(text, '0', precision - n);
	text_add_bytes(text, digits, (size_t)n);
	conversion_repeat(text, ' ', pad);
}

void conversion_string(struct text *text, const struct conversion *c,
		       const char *p, size_t n)
{
	int64_t pad;

	if (c->letter == 's' && c->precision >= 0 &&
	    n > (size_t)c->precision && (n != 6 || memcmp(p, "(null)", 6)))
		n = (size_t)c->precision;
	pad = conversion_open(text, c, "", (int64_t)n, 0);
	while (n-- && !text->cut)
		text_add_char(text, *p++);
	conversion_repeat(text, ' ', pad);
}

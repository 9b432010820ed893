/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One conversion of a printf-like format, as C says (C17, 7.21.6.1), in the C
 * locale, into a bounded text.
 *
 * Pure functions without libc and without floating-point instructions. They
 * stop when the text is full: a width of a million costs no more than the size
 * of the text. Any thread; SIGSAFE.
 */
#ifndef TRACEPOINTS_FIELDS_CONVERSION_PRIVATE_H
#define TRACEPOINTS_FIELDS_CONVERSION_PRIVATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum conversion_flag {
	CONVERSION_MINUS = 1u << 0,
	CONVERSION_PLUS	 = 1u << 1,
	CONVERSION_SPACE = 1u << 2,
	CONVERSION_ALT	 = 1u << 3,	/* # */
	CONVERSION_ZERO	 = 1u << 4,
};

#define CONVERSION_NONE		(-1)	/* no precision */
#define CONVERSION_MOST		(1 << 24)	/* width, precision at most */

struct conversion {
	char letter;			/* of "diouxXpcs" or "aAeEfFgG" */
	uint8_t flags;
	uint8_t bytes;			/* of the integer, by its length letter:
					 * hh 1, h 2, none 4, else 8 */
	int32_t width;			/* 0 .. CONVERSION_MOST */
	int32_t precision;		/* the same, or CONVERSION_NONE */
};

/* d i o u x X: all 64 bits of the value count, whatever `bytes` is. p: NULL is
 * "(nil)". */
void conversion_integer(struct text *text, const struct conversion *c,
			uint64_t value);

/* a A e E f F g G, of the 64 bits of a double. */
void conversion_double(struct text *text, const struct conversion *c,
		       uint64_t bits);

/* s: adds at most `precision` of n characters, but "(null)" whole. */
void conversion_string(struct text *text, const struct conversion *c,
		       const char *p, size_t n);

/* Adds the fewest digits from which the same double, or float, is read back:
 * 0.1, 250, 1e+20, -inf. */
void conversion_shortest_double(struct text *text, uint64_t bits);
void conversion_shortest_float(struct text *text, uint32_t bits);

/* For conversion.c and conversion-double.c alone. */

/* Adds c n times, or until the text is full. */
void conversion_repeat(struct text *text, char c, int64_t n);

/*
 * Begins a conversion of `length` characters after `head`: pads on the left
 * with blanks before the head, or with zeros after it. Returns how many blanks
 * the caller must add after the conversion.
 */
int64_t conversion_open(struct text *text, const struct conversion *c,
			const char *head, int64_t length, int zeros);

/* Returns the text before a number, which shows the sign. */
const char *conversion_sign(const struct conversion *c, int negative);

#endif

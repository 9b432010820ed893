/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text of programs as UTF-8. Facts: RFC 3629.
 *
 * A byte 0xNN that is no part of UTF-8 becomes the private character U+EFNN, so
 * that the result is UTF-8 and the bytes can be made of it again. Each of the
 * characters U+EF80 to U+EFFF itself counts as three such bytes.
 */
#ifndef TRACES_FORMATS_UTF8_PRIVATE_H
#define TRACES_FORMATS_UTF8_PRIVATE_H

#include "traces/text/out.h"

/* The bytes of such a private character. */
#define UTF8_PRIVATE_BYTES	3

static inline bool utf8_is_tail(uint8_t c)
{
	return (c & 0xc0) == 0x80;
}

/* Returns the bytes of the character that n bytes begin with, if it has 2 to 4;
 * or 0. */
static inline size_t utf8_bytes(const uint8_t *at, size_t n)
{
	uint8_t c = at[0];

	if (c < 0xc2 || c > 0xf4 || n < 2 || !utf8_is_tail(at[1]))
		return 0;
	if (c < 0xe0)
		return 2;
	if (n < 3 || !utf8_is_tail(at[2]))
		return 0;
	if (c < 0xf0) {
		if ((c == 0xe0 && at[1] < 0xa0) ||
		    (c == 0xed && at[1] > 0x9f) ||
		    (c == 0xee && at[1] > 0xbd))
			return 0;
		return 3;
	}
	if (n < 4 || !utf8_is_tail(at[3]) || (c == 0xf0 && at[1] < 0x90) ||
	    (c == 0xf4 && at[1] > 0x8f))
		return 0;
	return 4;
}

/* Writes the private character that stands for a byte from 0x80 on. */
static inline char *utf8_private(char *p, uint8_t byte)
{
	p[0] = (char)0xee;
	p[1] = (char)(byte < 0xc0 ? 0xbe : 0xbf);
	p[2] = (char)(0x80 | (byte & 0x3f));
	return p + UTF8_PRIVATE_BYTES;
}

/* Writes n bytes of text as UTF-8; between quotes, if `quote` is not 0, where
 * that character is doubled. */
void utf8_put(struct out *out, const char *text, size_t n, char quote);

/* Returns whether utf8_put() writes the text as it is. */
bool utf8_is_valid(const char *text, size_t n);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Building and reading short texts without libc: no locale, no allocation, no
 * errno. All of it is SIGSAFE.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A text of at most size - 1 characters, always terminated. Characters that do
 * not fit are left out, and `cut` is 1. */
struct text {
	char *start;
	size_t size;
	size_t used;
	int cut;
};

void text_open(struct text *text, char *buffer, size_t size);
void text_add_bytes(struct text *text, const char *p, size_t n);
void text_add(struct text *text, const char *string);
void text_add_char(struct text *text, char c);
void text_add_number(struct text *text, int64_t number);
void text_add_unsigned(struct text *text, uint64_t number);
void text_add_hex(struct text *text, uint64_t number, int digits);

size_t text_length(const char *string);
bool text_equal(const char *a, const char *b);

/* Returns the rest of `string` behind `prefix`, or NULL when the string does
 * not begin with it. */
const char *text_after(const char *string, const char *prefix);

/* Returns the part of a path behind the last '/'. */
const char *text_file_name(const char *path);

/* Copies with truncation; the result is terminated. */
void text_copy(char *to, size_t size, const char *from);

/* Reads decimal digits at *p and moves *p behind them. Returns -1 when there
 * are none or the number does not fit. */
int64_t text_number(const char **p);

/* Returns the length of the UTF-8 character that n bytes begin with (RFC 3629:
 * no surrogates, nothing that a shorter form has); 0 if they begin with none.
 * Text that ends with a NUL needs no length: n may be 4. */
static inline size_t utf8_bytes(const void *p, size_t n)
{
	const uint8_t *at = p;
	size_t bytes = at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
	size_t i;

	if (at[0] < 0x80)
		return 1;
	if (at[0] < 0xc2 || at[0] > 0xf4 || n < bytes)
		return 0;
	for (i = 1; i < bytes; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	/* the second byte tells the short forms, surrogates, large numbers */
	if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed &&
						at[1] > 0x9f) ||
	    (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f))
		return 0;
	return bytes;
}

/* Stores a code point, at most 0x10ffff, in up to 4 bytes. Returns their
 * number. */
static inline size_t utf8_encode(char *to, uint32_t code)
{
	size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	size_t i;

	for (i = n; i-- > 1; code >>= 6)
		to[i] = (char)(0x80 | (code & 63));
	/* n ones and a zero lead the first of several bytes */
	to[0] = (char)(n == 1 ? code : (0xf00 >> n & 0xff) | code);
	return n;
}

/* Reads a number of bytes, "4M": behind the digits may be K, M or G. Returns -1
 * when the text is something else, or the number does not fit. */
int64_t text_bytes(const char *text);

/* Reads a time, "10s", in milliseconds: behind the digits may be ms, s, m, min
 * or h; a number alone is seconds. Returns -1 as text_bytes(). */
int64_t text_time(const char *text);

#endif

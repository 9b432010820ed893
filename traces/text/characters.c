/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text that other programs chose. See characters.h.
 *
 * Invariant of printable(): a name can neither begin a new line nor send a
 * control sequence to a terminal, nor show the text around it in another order.
 *
 * Invariant of utf8_put() and json_put_string(): the output is UTF-8, whatever
 * the bytes are, and no two texts have the same output.
 */
#include "traces/text/characters.h"

#include "base/text.h"

/* The text is written in pieces, each of which fits in one out_room(). */
#define UTF8_PIECE_BYTES	(OUT_PIECE_BYTES / 4)
#define JSON_PIECE_BYTES	(OUT_PIECE_BYTES / 8)
#define PRIVATE_BYTES	3		/* of a private character */

/* How JSON writes a byte: 0 as it is, 'x' by four digits, 'h' as the UTF-8
 * character that begins there, else the letter behind a backslash. */
static const char needs[256] = {
	[0 ... 7] = 'x', ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\v'] = 'x',
	['\f'] = 'f', ['\r'] = 'r', [14 ... 31] = 'x', ['"'] = '"',
	['\\'] = '\\',
	[127] = 'x', [128 ... 255] = 'h',
};

/* U+0080 to U+009F; U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069;
 * U+2028 and U+2029. */
bool utf8_is_control(const void *p)
{
	const uint8_t *at = p;

	if (at[0] == 0xc2)
		return at[1] < 0xa0;
	if (at[0] == 0xd8)
		return at[1] == 0x9c;
	if (at[0] != 0xe2)
		return false;
	return at[1] == 0x80 ? (at[2] >= 0xa8 && at[2] <= 0xae) ||
			       at[2] == 0x8e || at[2] == 0x8f :
	       at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9;
}

void printable(char *text)
{
	unsigned char *s = (unsigned char *)text;

	while (*s) {
		size_t n = utf8_bytes(s, 4);

		if (!n) {
			*s = '?';
			n = 1;
		} else if (*s < ' ' || *s == 0x7f) {
			*s = '?';
		} else if (*s >= 0x80 && utf8_is_control(s)) {
			memset(s, '?', n);
		}
		s += n;
	}
}

/* Returns the length of a character that is written as it is, or 0 for a byte
 * that becomes a private character. */
static inline size_t plain_bytes(const uint8_t *at, size_t n)
{
	size_t bytes;

	if (*at < 0x80)
		return 1;
	bytes = utf8_bytes(at, n);
	return *at == 0xee && bytes && at[1] > 0xbd ? 0 : bytes;
}

void utf8_put(struct out *out, const char *text, size_t n, char quote)
{
	const uint8_t *at = (const uint8_t *)text;
	const uint8_t *end = at + n;

	if (quote)
		out_char(out, quote);
	while (at < end) {
		const uint8_t *stop = (size_t)(end - at) > UTF8_PIECE_BYTES ?
				      at + UTF8_PIECE_BYTES : end;
		char *p;

		/* a byte becomes three at most, and the last character of a
		 * piece may end behind it */
		out_room(out, UTF8_PIECE_BYTES * PRIVATE_BYTES + 4);
		for (p = out->p; at < stop;) {
			size_t bytes = plain_bytes(at, (size_t)(end - at));

			if (!bytes) {
				p += utf8_encode(p, 0xef00u | *at++);
				continue;
			}
			if (quote && *at == (uint8_t)quote)
				*p++ = quote;
			memcpy(p, at, bytes);
			p += bytes;
			at += bytes;
		}
		out->p = p;
	}
	if (quote)
		out_char(out, quote);
}

bool utf8_is_valid(const char *text, size_t n)
{
	const uint8_t *at = (const uint8_t *)text;
	const uint8_t *end = at + n;
	size_t bytes;

	for (; at < end; at += bytes) {
		bytes = plain_bytes(at, (size_t)(end - at));
		if (!bytes)
			return false;
	}
	return true;
}

/* Writes a byte as "\u00NN" or "\uefNN", and returns the end. */
static char *put_code(char *p, const char *lead, uint8_t c)
{
	static const char digits[] = "0123456789abcdef";

	memcpy(p, lead, 4);
	p[4] = digits[c >> 4];
	p[5] = digits[c & 15];
	return p + 6;
}

char *json_escape(char *p, const uint8_t *at, size_t n, size_t *bytes)
{
	char need = needs[*at];

	*bytes = 1;
	if (need == 'x')
		return put_code(p, "\\u00", *at);
	if (need && need != 'h') {
		p[0] = '\\';
		p[1] = need;
		return p + 2;
	}
	*bytes = plain_bytes(at, n);
	if (!*bytes) {
		*bytes = 1;
		return put_code(p, "\\uef", *at);
	}
	memcpy(p, at, *bytes);
	return p + *bytes;
}

void json_put_string(struct out *out, const char *text, size_t n)
{
	const uint8_t *at = (const uint8_t *)text;
	const uint8_t *end = at + n;

	out_char(out, '"');
	while (at < end) {
		const uint8_t *stop = (size_t)(end - at) > JSON_PIECE_BYTES ?
				      at + JSON_PIECE_BYTES : end;
		char *p;

		out_room(out, JSON_PIECE_BYTES * JSON_ESCAPED_BYTES);
		p = out->p;
		while (at < stop) {
			size_t bytes = 1;

			if (!needs[*at])
				*p++ = (char)*at;
			else
				p = json_escape(p, at, (size_t)(end - at),
						&bytes);
			at += bytes;
		}
		out->p = p;
	}
	out_char(out, '"');
}

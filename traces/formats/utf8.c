/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text of programs as UTF-8.
 */
#include "traces/formats/utf8-private.h"

#define PIECE_BYTES	(OUT_PIECE_BYTES / 4)
#define WRITTEN_BYTES	3		/* the most that one byte becomes */

void utf8_put(struct out *out, const char *text, size_t n, char quote)
{
	const uint8_t *at = (const uint8_t *)text;
	const uint8_t *end = at + n;

	if (quote)
		out_char(out, quote);
	while (at < end) {
		const uint8_t *stop = (size_t)(end - at) > PIECE_BYTES ?
				      at + PIECE_BYTES : end;
		char *p;

		out_room(out, PIECE_BYTES * WRITTEN_BYTES + 4);
		for (p = out->p; at < stop;) {
			size_t bytes = *at < 0x80 ? 1 :
				       utf8_bytes(at, (size_t)(end - at));

			if (!bytes) {
				p = utf8_private(p, *at++);
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

	while (at < end) {
		size_t bytes = *at < 0x80 ? 1 :
			       utf8_bytes(at, (size_t)(end - at));

		if (!bytes)
			return false;
		at += bytes;
	}
	return true;
}

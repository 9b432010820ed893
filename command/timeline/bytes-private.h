/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bytes that grow: the columns of the page's data.
 *
 *	number		seven bits a byte, the lowest first; the top bit says
 *			that another byte follows
 *	text		a number of bytes, and the bytes
 *
 * Invariant: where memory was lacking, `failed` is set, and everything that
 * follows is left out. A caller looks at it once, at the end.
 */
#ifndef COMMAND_TIMELINE_BYTES_PRIVATE_H
#define COMMAND_TIMELINE_BYTES_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* All zero: empty. */
struct bytes {
	uint8_t *p;
	size_t n;
	size_t room;
	bool failed;
};

/* Makes room for n more bytes. Returns false without memory. */
bool bytes_grow(struct bytes *b, size_t n);

/* Frees the bytes. They are empty then, and may be used again. */
void bytes_free(struct bytes *b);

/* Appends n bytes for the caller to fill, or returns NULL without memory. They
 * are valid until more is appended. */
uint8_t *bytes_take(struct bytes *b, size_t n);

/* Appends a text, and bytes with their number. */
void bytes_text(struct bytes *b, const char *text);
void bytes_section(struct bytes *b, const struct bytes *section);

/* Makes sure of room for n more bytes. Returns false without memory. */
static inline bool bytes_room(struct bytes *b, size_t n)
{
	return b->room - b->n >= n || bytes_grow(b, n);
}

/* Appends n bytes. */
static inline void bytes_put(struct bytes *b, const void *p, size_t n)
{
	if (bytes_room(b, n) && n) {
		memcpy(b->p + b->n, p, n);
		b->n += n;
	}
}

/* Appends a number, of 10 bytes at most. */
static inline void bytes_number(struct bytes *b, uint64_t v)
{
	if (!bytes_room(b, 10))
		return;
	for (; v >= 0x80; v >>= 7)
		b->p[b->n++] = (uint8_t)(v | 0x80);
	b->p[b->n++] = (uint8_t)v;
}

/* Appends a number that may be negative: 0, -1, 1, -2 ... are 0, 1, 2, 3 ... */
static inline void bytes_signed(struct bytes *b, int64_t v)
{
	bytes_number(b, (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0));
}

#endif

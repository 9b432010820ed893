/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A place among the events of a packet, and how it moves over an event's
 * header and contexts. For readers inside and outside the traced program: no
 * libc.
 *
 * Invariant: no load at or beyond `end`, whatever the bytes
 * say.
 */
#ifndef BUFFERS_CURSOR_H
#define BUFFERS_CURSOR_H

#include <errno.h>

#include "base/base.h"
#include "buffers/ctf.h"
#include "buffers/layout.h"

struct cursor {
	const uint8_t *p;
	const uint8_t *end;
	uint64_t clock;			/* of the last header; before: begin */
	uint32_t id;			/* in the last header */
};

static inline size_t cursor_room(const struct cursor *c)
{
	return (size_t)(c->end - c->p);
}

static inline int cursor_skip(struct cursor *c, uint64_t bytes)
{
	if (cursor_room(c) < bytes)
		return -EBADMSG;
	c->p += bytes;
	return 0;
}

/* Moves c->clock on to the next reading that has these low bits. */
static inline int cursor_advance(struct cursor *c, uint64_t low,
				 unsigned int bits)
{
	uint64_t mask = (1ull << bits) - 1;

	/* no clock gets that far */
	return __builtin_add_overflow(c->clock, (low - c->clock) & mask,
				      &c->clock) ? -EBADMSG : 0;
}

/* Takes an extended header: the id and the whole clock, `skip` bytes behind
 * c->p. */
static inline int cursor_extended(struct cursor *c, size_t skip)
{
	uint64_t clock;

	if (cursor_room(c) < skip + sizeof(c->id) + sizeof(clock))
		return -EBADMSG;
	__builtin_memcpy(&c->id, c->p + skip, sizeof(c->id));
	__builtin_memcpy(&clock, c->p + skip + sizeof(c->id), sizeof(clock));
	if (clock < c->clock)
		return -EBADMSG;
	c->clock = clock;
	c->p += skip + sizeof(c->id) + sizeof(clock);
	return 0;
}

/* How events begin: ctf.h. */
enum cursor_kind {
	CURSOR_EARLY,			/* compact; a 5-bit id may be 30 */
	CURSOR_LARGE,
	CURSOR_WIDE,			/* compact and wide */
};

/* Returns the kind that a session's or a ring's flags tell, and the id of
 * writer records with it. */
static inline enum cursor_kind cursor_kind(uint32_t flags)
{
	return flags & SESSION_WIDE ? CURSOR_WIDE :
	       flags & SESSION_LARGE_HEADER ? CURSOR_LARGE : CURSOR_EARLY;
}

static inline uint32_t cursor_writer_id(enum cursor_kind kind)
{
	return kind == CURSOR_WIDE ? WRITER_ID : WRITER_ID_EARLY;
}

/* Takes a header with the id in its first byte. */
static inline int cursor_short(struct cursor *c)
{
	uint32_t word;

	if (cursor_room(c) < CTF_COMPACT_BYTES)
		return -EBADMSG;
	__builtin_memcpy(&word, c->p, sizeof(word));
	c->id = word & CTF_COMPACT_ID_EXTENDED;
	c->p += CTF_COMPACT_BYTES;
	return cursor_advance(c, word >> CTF_COMPACT_ID_BITS,
			      CTF_COMPACT_CLOCK_BITS);
}

/* These three need c->p < c->end. */
static inline int cursor_compact(struct cursor *c)
{
	if ((*c->p & CTF_COMPACT_ID_EXTENDED) == CTF_COMPACT_ID_EXTENDED)
		return cursor_extended(c, 1);
	return cursor_short(c);
}

static inline int cursor_wide(struct cursor *c)
{
	uint16_t id;

	if ((*c->p & CTF_COMPACT_ID_EXTENDED) != CTF_COMPACT_ID_WIDE)
		return cursor_compact(c);
	if (cursor_room(c) < CTF_WIDE_BYTES)
		return -EBADMSG;
	__builtin_memcpy(&id, c->p + CTF_COMPACT_BYTES, sizeof(id));
	if (cursor_compact(c))
		return -EBADMSG;
	c->id = id;
	c->p += sizeof(id);
	return 0;
}

static inline int cursor_large(struct cursor *c)
{
	uint16_t id;
	uint32_t low;

	if (cursor_room(c) < CTF_LARGE_BYTES)
		return -EBADMSG;
	__builtin_memcpy(&id, c->p, sizeof(id));
	if (id == CTF_LARGE_ID_EXTENDED)
		return cursor_extended(c, sizeof(id));
	__builtin_memcpy(&low, c->p + sizeof(id), sizeof(low));
	c->id = id;
	c->p += CTF_LARGE_BYTES;
	return cursor_advance(c, low, CTF_LARGE_CLOCK_BITS);
}

/*
 * Takes the header at c->p, which is before c->end. Returns 0, or -EBADMSG when
 * the header makes no sense; the events before it do.
 */
static inline int cursor_header(struct cursor *c, enum cursor_kind kind)
{
	if (unlikely(kind == CURSOR_LARGE))
		return cursor_large(c);
	/* most events of either other kind */
	if (likely((*c->p & CTF_COMPACT_ID_EXTENDED) < CTF_COMPACT_ID_WIDE))
		return cursor_short(c);
	return kind == CURSOR_WIDE ? cursor_wide(c) : cursor_compact(c);
}

/* Returns the bytes of these contexts, or -EINVAL for an unknown one. */
static inline int cursor_context_bytes(uint32_t contexts)
{
	static const uint8_t bytes[] = { 4, 4, 16, 4, 8, 0, 8 };
	unsigned int bit;
	int sum = 0;

	if (contexts >> ARRAY_SIZE(bytes))
		return -EINVAL;
	for (bit = 0; bit < ARRAY_SIZE(bytes); bit++)
		if (contexts & (1u << bit))
			sum += bytes[bit];
	return sum;
}

#endif

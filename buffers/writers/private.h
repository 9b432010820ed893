/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Between the parts of the writer: fast sections, the general section, the
 * slow paths, the locked rings. Nobody outside buffers/ includes this.
 */
#ifndef BUFFERS_WRITERS_PRIVATE_H
#define BUFFERS_WRITERS_PRIVATE_H

#include "buffers/ctf.h"
#include "buffers/writers/write.h"

/* A piece of an event: n bytes at p, or a string (n is WRITE_STRING). */
struct write_part {
	const void *p;
	uint64_t n;
};

/* contexts, and for each variable field: fixed bytes, a count, itself; and what
 * is behind the last */
#define WRITE_PARTS(nvar)	(2 + 3 * (nvar))
#define WRITE_CONTEXT_BYTES	40

/* An event taken apart, on the stack of its writer: parts and counts are as
 * many as its shape needs. */
struct write_event {
	uint64_t id;			/* for the locked rings */
	uint64_t generation;		/* of the channel it is made for */
	const struct write_shape *shape;
	uint32_t nparts;
	uint32_t seldom;		/* 1: a path taken now and then only */
	uint32_t *counts;
	struct write_part *parts;
	uint64_t fixed;
	char context[WRITE_CONTEXT_BYTES];
};

/* How a section ended. */
enum write_verdict {
	WRITE_DONE,
	WRITE_FITS,	/* there is room now */
	WRITE_FULL,	/* not enough room in this sub-buffer */
	WRITE_LATE,	/* needs a full timestamp */
	WRITE_NONE,	/* no ring for this CPU, or off, or forked */
	WRITE_AGAIN,	/* aborted */
	WRITE_LOST,	/* given up and counted */
};

/* The step of a slot that needs the general writer: it fits nowhere, so that
 * a fast writer that was chosen before goes to write_hard(). */
#define WRITE_STEP_NONE	(1ull << 32 | 1ull << 31)

/* The fast writers (write-fast-*.c), by shape and header kind. */
write_fn *write_fast_word(int header);
write_fn *write_fast_string(int header);
write_fn *write_fast_block(const struct write_shape *shape, int header);
write_fn *write_fast_sequence(const struct write_shape *shape, int header);

/* The general writer: any shape, contexts, every slow path; `header` is the
 * kind of the fast writer that gave up. SIGSAFE. */
void write_hard(struct write_slot *slot, uint64_t fixed,
		const struct write_var *var, int header);

/* The same as a slot's writer: for what has no other. */
write_fn write_general;

/* Bytes of an event header. */
static inline uint32_t write_header_bytes(int header, int extended)
{
	if (header == WRITE_LARGE)
		return extended ? CTF_LARGE_EXT_BYTES : CTF_LARGE_BYTES;
	return extended ? CTF_COMPACT_EXT_BYTES : CTF_COMPACT_BYTES;
}

/* The id from which on an event needs the header that carries 32 bits of it. */
static inline uint32_t write_id_extended(int header)
{
	return header == WRITE_LARGE ? CTF_LARGE_ID_EXTENDED :
				       CTF_COMPACT_ID_EXTENDED;
}

/* One attempt by a section (write-section-*.c). `extended` asks for the
 * header that carries 64 bits of clock. SIGSAFE. */
enum write_verdict section_write(const struct write_slot *slot, int header,
				 int extended, const struct write_event *event);

/* Closes this CPU's packet and opens the next when `need` bytes do not fit.
 * WRITE_FITS: try the event again. WRITE_FULL: the reader has not made room.
 * SIGSAFE. */
enum write_verdict section_switch(const struct write_slot *slot, int header,
				  uint32_t need);

/* Counts one lost event in this CPU's ring. WRITE_DONE, _NONE or _AGAIN. */
enum write_verdict section_lose(const struct write_slot *slot, int header);

/* Writes under the lock of some ring, and sets event->seldom where the clock's
 * anchor is to be kept. WRITE_DONE; WRITE_LOST when it was counted as lost or
 * the channel is off; WRITE_AGAIN when the event was made for another channel.
 * SIGSAFE. */
enum write_verdict locked_write(const struct write_slot *slot, int header,
				struct channel *channel,
				struct write_event *event);

/* Closes the packets of the locked rings that nobody holds. */
void locked_flush(struct channel *channel);

/* The direct writers for channels whose rings are all locked. */
write_fn locked_write_word;
write_fn locked_write_any;

/* Takes an event apart, whose shape, parts and counts are set. SIGSAFE. */
void write_event_build(struct write_event *event,
		       const struct write_slot *slot,
		       const struct channel *channel, uint64_t fixed,
		       const struct write_var *var, uint64_t ip);

/* Counts an event larger than a sub-buffer, for its channel. SIGSAFE. */
void write_oversize_count(const struct write_event *event,
			  struct channel *channel);

/* Bytes of the parts, strings measured now. */
uint64_t write_event_bytes(const struct write_event *event);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the parts of the writer: fast sections, the general section, the
 * slow paths, the locked rings. Only files of this room include it.
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

/* Contexts; for each variable field the fixed bytes before it, a count, and the
 * field; the fixed bytes behind the last one. */
#define WRITE_PARTS(nvar)	(2 + 3 * (nvar))
#define WRITE_CONTEXT_BYTES	48

/* An event taken apart, on the writer's stack, with as many parts and counts as
 * the shape needs. */
struct write_event {
	uint64_t id;			/* for the locked rings */
	uint64_t generation;		/* of its channel */
	const struct write_shape *shape;
	uint32_t nparts;
	uint32_t seldom;		/* 1: it took a rare path */
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
	WRITE_OTHER,	/* the ring's last writer is another thread */
	WRITE_NONE,	/* no ring for this CPU; or off; or forked */
	WRITE_AGAIN,	/* aborted */
	WRITE_LOST,	/* given up and counted */
};

/* The step of a slot that needs the general writer. It never fits, so a fast
 * writer that was taken before goes to write_hard(). */
#define WRITE_STEP_NONE	(1ull << 32 | 1ull << 31)

/* Return the fast writer of a shape and header kind (fast-*.c,
 * sequence-*.c). */
write_fn *write_fast_word(int header);
write_fn *write_fast_string(int header);
write_fn *write_fast_block(const struct write_shape *shape, int header);
write_fn *write_fast_sequence(const struct write_shape *shape, int header);

/* The general writer: any shape, contexts, every slow path. `header` is the
 * kind of the fast writer that could not write the event. SIGSAFE. */
void write_hard(struct write_slot *slot, uint64_t fixed,
		const struct write_var *var, int header);

/* The general writer as a slot's writer. */
write_fn write_general;

/* Returns the bytes of an event header. */
static inline uint32_t write_header_bytes(int header, int extended)
{
	return extended ? CTF_COMPACT_EXT_BYTES :
	       header == WRITE_WIDE ? CTF_WIDE_BYTES : CTF_COMPACT_BYTES;
}

/* Returns the first id that needs the extended header. */
static inline uint32_t write_id_extended(int header)
{
	return header == WRITE_WIDE ? CTF_WIDE_IDS : CTF_COMPACT_ID_WIDE;
}

/* Returns the room that each event of a channel with these contexts needs
 * beside its own bytes: for a writer record before it. */
static inline uint32_t write_record_room(uint32_t contexts)
{
	return contexts & CONTEXT_WRITER ? WRITER_BYTES_MAX : 0;
}

/* Tries once to write an event by a section (section-*.c); `extended`: with the
 * header that has 64 bits of clock. SIGSAFE. */
enum write_verdict section_write(const struct write_slot *slot, int header,
				 int extended, const struct write_event *event);

/* Closes this CPU's packet and opens the next if `need` bytes do not fit.
 * WRITE_FITS: try the event again. WRITE_FULL: the reader has not made room.
 * SIGSAFE. */
enum write_verdict section_switch(const struct write_slot *slot, int header,
				  uint32_t need);

/* A thread's writer record, and the token that it is written for. */
struct writer {
	uint64_t token;
	uint64_t generation;		/* of the channel */
	struct writer_record record;
};

/*
 * Fills in the record of the calling thread, which gets a number. Returns false
 * if it may have none, nor a token: it is not certain that its thread-local
 * memory is its own, and with that its CPU number and its number. Inline, for
 * less stack (guarantees.md). SIGSAFE.
 */
static ALWAYS_INLINE bool writer_fill(struct writer *writer,
				      const struct channel *channel)
{
	/* the base before all else: a handler may fork */
	writer->token = load_relaxed(&channel->rings->base);
	__atomic_signal_fence(SEQ_CST(HOLD_MARK));
	if (channel->flags & SESSION_SHARED && channel->shared.member)
		store_release(&channel->shared.member->state, MEMBER_WROTE,
			      MEMBER_STATE);
	writer->record.vtid = host_tid();
	writer->record.vpid = process.page ? process.page->pid : 0;
	writer->record.process = (uint32_t)(writer->token >> 32);
	if (!host_tid_certain(writer->record.vtid))
		return false;
	writer_number_take();
	writer->token += load_relaxed(&writer_number);
	return true;
}

/*
 * Makes the calling thread the last writer of this CPU's ring, if `need` bytes,
 * which are those of the record and of the event behind it, fit. WRITE_FITS:
 * try the event again. WRITE_AGAIN: the record was made for another process or
 * channel, or the section was aborted. SIGSAFE.
 */
enum write_verdict section_writer(const struct write_slot *slot, int header,
				  const struct writer *writer, uint32_t need);

/* Counts a lost event in this CPU's ring. Returns WRITE_DONE, WRITE_NONE or
 * WRITE_AGAIN. */
enum write_verdict section_lose(const struct write_slot *slot, int header);

/* Writes under the lock of any ring, and sets event->seldom if the caller must
 * keep the clock's anchor. Returns WRITE_DONE; WRITE_LOST: it is counted as
 * lost or the channel is off; WRITE_AGAIN: the event was made for another
 * channel. SIGSAFE. */
enum write_verdict locked_write(const struct write_slot *slot, int header,
				struct channel *channel,
				struct write_event *event);

/* Closes the packets of the locked rings that are not held. */
void locked_flush(struct channel *channel);

/* The direct writers for channels whose rings are all locked. */
write_fn locked_write_word;
write_fn locked_write_any;

/* Takes an event apart; shape, parts and counts are set. SIGSAFE. */
void write_event_build(struct write_event *event,
		       const struct write_slot *slot,
		       const struct channel *channel, uint64_t fixed,
		       const struct write_var *var, uint64_t ip);

/* Counts an event larger than a sub-buffer, for the channel. SIGSAFE. */
void write_oversize_count(const struct write_event *event,
			  struct channel *channel);

/* Returns the bytes of the parts. Measures strings at each call. */
uint64_t write_event_bytes(const struct write_event *event);

#endif

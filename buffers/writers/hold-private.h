/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rings written under a lock, the inline parts: taking a ring, placing an event
 * in it, committing the event. locked.c has the rest.
 *
 * A writer tries the ring of the current CPU, then the others. It never waits
 * for a holder: the holder may be the thread that the writer's handler
 * interrupted. If all rings are held, the event is lost, and counted in the
 * session's page. The holder of a ring is the only writer, so one store of head
 * commits an event here too, and a killed holder leaves nothing to repair. A
 * siglongjmp over a holder costs that ring; spare rings replace it.
 *
 * A holder whose event does not fit releases the ring and looks for another one
 * (locked_write()). It holds one ring at a time, so a siglongjmp never costs
 * more than one. Only if no ring has room is the event lost.
 *
 * When a handler forks in the middle of a write, parent and child both continue
 * the write. The child commits and releases nothing, and the stores go to
 * private memory, which channels_forked() maps before the handler continues.
 * (Sections are restarted and find the child's own rings.)
 *
 * Pair LOCKED-OWNER: a writer that takes a ring sees everything that the last
 * holder wrote before the release. channel_stop() clears `active` before it
 * reads the lock; a writer reads `active` after it has taken the lock.
 */
#ifndef BUFFERS_WRITERS_HOLD_PRIVATE_H
#define BUFFERS_WRITERS_HOLD_PRIVATE_H

#include "base/host.h"
#include "buffers/clock.h"
#include "buffers/writers/private.h"

#define HOLD_COLD	COLD __attribute__((visibility("hidden")))

/* A ring that this thread of this process holds. */
struct hold {
	struct ring *ring;
	struct channel_lock *lock;
	uint64_t clock;		/* read before the lock; 0: to be read */
	uint32_t mark;
	uint32_t sub_bytes;	/* the channel's; spare rings have less */
	uint32_t first;		/* the ring that had no room ... */
	uint32_t looked;	/* ... and how many behind it were looked at */
	const struct channel *channel;	/* with writer records, or NULL */
	uint64_t token;		/* of the holder, or 0: it has no number yet */
};

/* Takes any free ring, from number `first` on. Returns true if it has one. */
HOLD_COLD bool hold_search(struct hold *hold, struct channel *channel,
			   uint32_t first);

/* Counts a lost event in a held ring, and returns true, if no ring had room a
 * moment ago. Else returns false, and a writer looks at the other rings. */
HOLD_COLD bool hold_lose_again(const struct hold *hold);

/* Closes the packet at `head`, opens the next. Returns the new head, or 0 when
 * the reader has not made room. */
HOLD_COLD uint64_t hold_open(const struct hold *hold, uint64_t head,
			     uint64_t clock);

/* The same as hold_open(); then keeps the clock's anchor. */
HOLD_COLD uint64_t hold_switch(const struct hold *hold, uint64_t head,
			       uint64_t clock);

/*
 * Writes the holder's writer record at `head`, where there is room. Returns the
 * new head, or 0 when the ring is the parent's.
 */
HOLD_COLD uint64_t hold_record(const struct hold *hold, uint64_t head,
			       uint64_t clock);

/* Sets until when short headers reach, after a header with the whole clock. */
HOLD_COLD void hold_limit(struct ring *ring, uint64_t clock);

/* The same as hold_limit(); then keeps the clock's anchor. */
HOLD_COLD void hold_stamp(struct ring *ring, uint64_t clock);

/* Returns false in a child that a handler forked since the ring was taken: ring
 * and lock are the parent's. */
static inline int hold_is_ours(const struct hold *hold)
{
	/* the compiler must not read the ring again after this */
	__atomic_signal_fence(SEQ_CST(HOLD_MARK));
	return likely(load_relaxed(fork_mark) == hold->mark);
}

/* Tries to take ring k. A lock with another mark was left by a fork, and is
 * free. */
static inline bool hold_try(struct hold *hold, struct channel *channel,
			    uint32_t k)
{
	struct channel_lock *lock = &channel->locks[k];
	uint32_t seen = load_relaxed(&lock->holder);

	hold->lock = lock;
	/* LOCKED-OWNER: seq_cst, so the load of `active` comes after it */
	return load_relaxed(&channel->locked[k]) && seen != hold->mark &&
	       __atomic_compare_exchange_n(&lock->holder, &seen, hold->mark, 0,
					   SEQ_CST(LOCKED_OWNER),
					   __ATOMIC_RELAXED);
}

static inline void hold_release(struct hold *hold)
{
	/* LOCKED-OWNER: head and data are written before */
	if (hold_is_ours(hold))
		store_release(&hold->lock->holder, 0, LOCKED_OWNER);
}

/* Completes hold_try(). Returns WRITE_FITS: a ring is held; WRITE_LOST: the
 * channel is off. */
static ALWAYS_INLINE enum write_verdict hold_enter(struct hold *hold,
					    struct channel *channel)
{
	/* LOCKED-OWNER: lock, then `active`, then the ring: it stays mapped
	 * until the lock is released */
	if (unlikely(!__atomic_load_n(&channel->active, SEQ_CST(LOCKED_OWNER))))
		goto off;
	hold->ring = load_acquire(&channel->locked[hold->lock - channel->locks],
				  LOCKED_RING);
	if (likely(hold->ring))
		return WRITE_FITS;
off:
	hold_release(hold);
	return WRITE_LOST;
}

/*
 * Takes a ring, the one of this CPU if it is free. Returns WRITE_FITS: a ring
 * is held; WRITE_FULL: none is free; WRITE_LOST: the channel is off;
 * WRITE_AGAIN: a forked child has no rings yet.
 */
static ALWAYS_INLINE enum write_verdict hold_take(struct hold *hold,
					   struct channel *channel)
{
	uint32_t k = host_cpu_kept();

	hold->sub_bytes = channel->sub_bytes;
	hold->mark = load_relaxed(fork_mark);
	hold->channel = NULL;
	if (channel->contexts & CONTEXT_WRITER) {
		hold->channel = channel;
		hold->token = load_relaxed(&writer_number) ?
				      load_relaxed(&channel->rings->base) +
					      load_relaxed(&writer_number) : 0;
	}
	/* rdtsc overlaps with the code behind it and waits for the code before
	 * it. A clock that is a counter gives the order, so it is read under
	 * the lock. */
	hold->clock = likely(clock_chosen == CLOCK_KIND_TSC) ?
			      clock_read_tsc() : 0;
	k = host_cpu_renew(k, hold->clock);
	if (unlikely(k >= channel->locked_max))
		k %= channel->locked_max;
	if (unlikely(!hold->mark))
		return WRITE_AGAIN;
	if (unlikely(!hold_try(hold, channel, k)) &&
	    !hold_search(hold, channel, k))
		return WRITE_FULL;
	return hold_enter(hold, channel);
}

static inline char *header_store(char *out, uint32_t id, uint64_t clock,
				 int extended)
{
	bool wide = write_header_of(id) == WRITE_WIDE;
	uint32_t word = (uint32_t)clock << CTF_COMPACT_ID_BITS |
			(wide ? CTF_COMPACT_ID_WIDE : id);
	uint16_t half = (uint16_t)id;

	if (extended) {
		*out++ = CTF_COMPACT_ID_EXTENDED;
		__builtin_memcpy(out, &id, 4);
		__builtin_memcpy(out + 4, &clock, 8);
		return out + 12;
	}
	__builtin_memcpy(out, &word, 4);
	if (wide)
		__builtin_memcpy(out + 4, &half, 2);
	return out + (wide ? CTF_WIDE_BYTES : CTF_COMPACT_BYTES);
}

/*
 * Returns the clock, or that of the ring's last event if it is later: the last
 * holder may have read the clock after this one.
 */
static inline uint64_t hold_clock(const struct hold *hold)
{
	uint64_t clock = hold->clock ? hold->clock : clock_read();

	if (unlikely(clock < hold->lock->clock))
		clock = hold->lock->clock;
	hold->lock->clock = clock;
	return clock;
}

/* Tells whether an event is too large for a sub-buffer. */
static inline int event_oversize(uint32_t sub_bytes, uint64_t need)
{
	return unlikely(need >= sub_bytes - PACKET_HEAD_BYTES);
}

/* The results of hold_place() where it places nothing, below any head. */
enum hold_refusal {
	HOLD_NOT_OURS,	/* the ring is the parent's */
	HOLD_OVERSIZE,	/* too large for any ring of the channel; counted */
	HOLD_SMALL,	/* too large for this ring; not counted */
	HOLD_ROOMLESS,	/* the reader has not made room; not counted */
};

/* Tells whether the holder must write a record before its event. */
static inline int hold_is_other(const struct hold *hold)
{
	return unlikely(hold->channel &&
			(!hold->token ||
			 load_acquire(&hold->ring->writer, RING_WRITER) !=
				 hold->token));
}

/* Returns the room for a writer record. */
static inline uint32_t hold_room(const struct hold *hold)
{
	return hold->channel ? WRITER_BYTES_MAX : 0;
}

/* Tells whether an event needs the header with the whole clock. */
static inline bool hold_extended(const struct ring *ring, uint32_t id,
				 uint64_t clock)
{
	return unlikely(clock >= ring->ts_limit) ||
	       unlikely(id >= CTF_WIDE_IDS);
}

/*
 * Finds room for `bytes` of payload in a held ring and writes the header, and
 * before it the holder's writer record, if the ring's last one is another's.
 * Returns where the payload goes, and in `*commit` the head that commits it; or
 * NULL, and an enum hold_refusal.
 * With `keep` it keeps the clock's anchor where that is due; without, the
 * caller does, with less on the stack.
 */
static ALWAYS_INLINE char *hold_place(const struct hold *hold, uint32_t id,
			       uint64_t bytes, uint64_t *commit, int keep)
{
	struct ring *ring = hold->ring;
	int header = write_header_of(id);
	uint64_t head = ring->head;
	uint64_t clock = hold_clock(hold);
	/* int: with bool, gcc 12 makes a write take some 1.5 % longer */
	int extended = hold_extended(ring, id, clock);
	uint64_t need = write_header_bytes(header, extended) + bytes;
	uint64_t most = need + hold_room(hold);
	uint32_t sub_mask = ring->sub_bytes - 1;
	uint32_t offset;
	char *out;

	*commit = HOLD_NOT_OURS;
	if (unlikely(!hold_is_ours(hold)))
		return NULL;
	if (event_oversize(ring->sub_bytes, most)) {
		*commit = HOLD_SMALL;
		if (event_oversize(hold->sub_bytes, most)) {
			*commit = HOLD_OVERSIZE;
			ring->lost++;
		}
		return NULL;
	}
	if (hold_is_other(hold))
		need = most;
	if (unlikely((uint32_t)((head + need) ^ head) & ~sub_mask)) {
		head = keep ? hold_switch(hold, head, clock) :
			      hold_open(hold, head, clock);
		if (unlikely(!head)) {
			if (hold_is_ours(hold))
				*commit = HOLD_ROOMLESS;
			return NULL;
		}
	}
	if (hold_is_other(hold)) {
		head = hold_record(hold, head, clock);
		if (!head)
			return NULL;
		extended = hold_extended(ring, id, clock);
	}
	need = write_header_bytes(header, extended) + bytes;
	offset = RING_POSITION(head) & (ring->ring_bytes - 1);
	out = header_store((char *)ring + RING_DATA_OFFSET + offset, id, clock,
			   extended);
	if (unlikely(extended) && keep)
		hold_stamp(ring, clock);
	else if (unlikely(extended))
		hold_limit(ring, clock);
	*commit = head + need + (1ull << 32);
	return out;
}

/* Commits an event. RING-HEAD: the payload is written before head. A child that
 * a handler forked in the middle of a write leaves the parent's ring alone. */
static inline void hold_commit(const struct hold *hold, uint64_t head)
{
	if (hold_is_ours(hold))
		store_release(&hold->ring->head, head, RING_HEAD);
}

/*
 * Copies with low vector registers only. libc's memcpy() may use others, which
 * a program at a USDT probe has not saved (docs/usdt.md).
 */
static inline void copy_low(char *to, const char *from, uint64_t n)
{
	for (; n >= 16; n -= 16, to += 16, from += 16) {
		__builtin_memcpy(to, from, 16);
		/* keeps the compiler from making a memcpy() of the loop */
		__asm__ volatile("" : : : "memory");
	}
	if (n & 8) {
		__builtin_memcpy(to, from, 8);
		to += 8;
		from += 8;
	}
	if (n & 4) {
		__builtin_memcpy(to, from, 4);
		to += 4;
		from += 4;
	}
	if (n & 2) {
		__builtin_memcpy(to, from, 2);
		to += 2;
		from += 2;
	}
	if (n & 1)
		*to = *from;
}

#endif

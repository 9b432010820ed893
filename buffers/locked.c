/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rings written under a lock: where rseq does not work, where the clock is not
 * the TSC, and for events that a section could not write.
 *
 * A writer tries the ring of its CPU, then the others, and never waits for a
 * holder: the holder may be the very thread that its handler interrupted.
 * While it holds a ring it is the only writer there, so that one store of
 * head commits an event here too, and a killed holder leaves nothing to
 * repair. A siglongjmp over a holder costs that ring; spare ones replace it.
 *
 * Pair LOCKED-OWNER: the acquire that takes a ring sees all that the release
 * of its last holder wrote. channel_stop() clears `active` before it looks at
 * `owner`; a writer looks at `active` after it has taken `owner`.
 */
#include "buffers/write-hard.h"

#include <sched.h>

#include "buffers/clock.h"
#include "buffers/ctf.h"

static int ring_try(struct ring *ring)
{
	uint64_t free = 0;

	/* LOCKED-OWNER: seq_cst, it must not pass the load of `active` */
	return ring && !load_relaxed(&ring->owner) &&
	       __atomic_compare_exchange_n(&ring->owner, &free, 1, 0,
					   __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

static void ring_release(struct ring *ring)
{
	/* LOCKED-OWNER: head and data come before */
	store_release(&ring->owner, 0);
}

static COLD struct ring *ring_search(struct channel *channel, uint32_t first)
{
	uint32_t passes;
	uint32_t i;

	for (passes = 0; passes < LOCKED_PASSES; passes++) {
		for (i = 0; i < channel->locked_max; i++) {
			uint32_t k = (first + i) % channel->locked_max;
			struct ring *ring = load_acquire(&channel->locked[k]);

			if (!ring && passes == 0 &&
			    channel_need_locked_ring(channel, k))
				ring = load_acquire(&channel->locked[k]);
			if (ring_try(ring))
				return ring;
		}
	}
	return NULL;
}

/* Takes a ring, of this CPU if it is free; NULL when none can be had. */
static inline struct ring *ring_take(struct channel *channel)
{
	uint32_t k = (uint32_t)sched_getcpu() % channel->locked_max;
	struct ring *ring = load_acquire(&channel->locked[k]);

	if (likely(ring_try(ring)))
		return ring;
	return ring_search(channel, k);
}

static struct packet_head *packet_at(struct ring *ring, uint32_t position)
{
	uint32_t offset = position & (ring->ring_bytes - 1) &
			  ~(ring->sub_bytes - 1);

	return (struct packet_head *)((char *)ring + RING_DATA_OFFSET + offset);
}

/* Closes the packet at `head`, opens the next. Returns the new head, or 0 when
 * the reader has not made room. The caller holds the ring. */
static COLD uint64_t ring_switch(struct ring *ring, uint64_t head,
				 uint64_t clock)
{
	uint32_t position = RING_POSITION(head);
	uint32_t sub_mask = ring->sub_bytes - 1;
	uint32_t next = (position | sub_mask) + 1;
	struct packet_head *old = packet_at(ring, position);
	struct packet_head *new = packet_at(ring, next);

	/* RING-TAIL: what is below it has been read */
	if (!(ring->flags & SESSION_OVERWRITE) &&
	    next - (uint32_t)load_acquire(&ring->tail) > ring->ring_bytes - 1)
		return 0;
	old->timestamp_end = clock;
	old->content_size =
		((uint64_t)(position & sub_mask) - PACKET_PRIVATE_BYTES) * 8;
	old->packet_size = old->content_size;
	old->events_discarded = ring->lost;
	new->events_before = old->events_before +
			     (uint32_t)(RING_EVENTS(head) -
					(uint32_t)old->events_before);
	new->magic = CTF_PACKET_MAGIC;
	__builtin_memcpy(new->uuid, ring->uuid, sizeof(new->uuid));
	new->stream_id = 0;
	new->stream_instance_id = ring->stream_instance_id;
	new->timestamp_begin = clock;
	new->timestamp_end = 0;
	new->content_size = 0;
	new->packet_size = 0;
	new->packet_seq_num = old->packet_seq_num + 1;
	new->events_discarded = 0;
	new->cpu_id = ring->cpu;
	head = (head & ~(uint64_t)UINT32_MAX) |
	       (uint32_t)(next + PACKET_HEAD_BYTES);
	/* RING-HEAD: the packet heads are written before */
	store_release(&ring->head, head);
	ring->ts_limit = clock + (ring->flags & SESSION_LARGE_HEADER ?
					  1ull << CTF_LARGE_CLOCK_BITS :
					  1ull << CTF_COMPACT_CLOCK_BITS);
	return head;
}

static char *header_store(struct ring *ring, char *out, uint32_t id,
			  uint64_t clock, int extended)
{
	uint32_t word = (uint32_t)clock;
	uint16_t half = (uint16_t)id;

	if (ring->flags & SESSION_LARGE_HEADER) {
		half = extended ? CTF_LARGE_ID_EXTENDED : half;
		__builtin_memcpy(out, &half, 2);
		out += 2;
	} else if (extended) {
		*out++ = CTF_COMPACT_ID_EXTENDED;
	} else {
		word = word << CTF_COMPACT_ID_BITS | id;
	}
	if (extended) {
		__builtin_memcpy(out, &id, 4);
		__builtin_memcpy(out + 4, &clock, 8);
		return out + 12;
	}
	__builtin_memcpy(out, &word, 4);
	return out + 4;
}

/*
 * Finds room for `bytes` of payload in a held ring and writes the header.
 * Returns where the payload goes and the head that commits it, or NULL after
 * it has counted a loss.
 */
static inline char *ring_place(struct ring *ring, uint32_t id, uint64_t bytes,
			       uint64_t *commit)
{
	int large = !!(ring->flags & SESSION_LARGE_HEADER);
	uint64_t head = ring->head;
	uint64_t clock = clock_read();
	int extended = clock >= ring->ts_limit ||
		       id >= (large ? CTF_LARGE_ID_EXTENDED :
				      CTF_COMPACT_ID_EXTENDED);
	uint64_t need = write_header_bytes(large, extended) + bytes;
	uint32_t sub_mask = ring->sub_bytes - 1;
	uint32_t offset;
	char *out;

	if (unlikely(need >= ring->sub_bytes - PACKET_HEAD_BYTES))
		goto lost;
	if (unlikely(((head + need) ^ head) & UINT32_MAX & ~(uint64_t)sub_mask)) {
		head = ring_switch(ring, head, clock);
		if (!head)
			goto lost;
	}
	offset = RING_POSITION(head) & (ring->ring_bytes - 1);
	out = header_store(ring, (char *)ring + RING_DATA_OFFSET + offset, id,
			   clock, extended);
	if (unlikely(extended))
		ring->ts_limit = clock + (large ?
					  1ull << CTF_LARGE_CLOCK_BITS :
					  1ull << CTF_COMPACT_CLOCK_BITS);
	*commit = head + need + (1ull << 32);
	return out;
lost:
	ring->lost++;
	return NULL;
}

/* RING-HEAD: payload before head. A child forked by a handler in the middle
 * of a write leaves its parent's ring alone. */
static void ring_commit(struct ring *ring, uint64_t head)
{
	if (likely(load_relaxed(fork_mark)))
		store_release(&ring->head, head);
}

static char *parts_copy(char *out, const char *end,
			const struct write_event *event)
{
	uint32_t i;

	for (i = 0; i < event->nparts; i++) {
		const char *p = event->parts[i].p;
		uint64_t n = event->parts[i].n;

		if (n != WRITE_STRING) {
			__builtin_memcpy(out, p, n);
			out += n;
			continue;
		}
		while (out < end - 1 && *p)
			*out++ = *p++;
		*out++ = 0;
	}
	return out;
}

/* Strings may change while they are measured and copied: what is committed is
 * what was copied, within the room that was measured. */
static enum write_verdict ring_write(struct ring *ring,
				     const struct write_event *event)
{
	uint64_t bytes = write_event_bytes(event);
	uint64_t commit;
	char *out = ring_place(ring, (uint32_t)event->id, bytes, &commit);
	char *end;

	if (!out) {
		if (event->shape->oversize &&
		    bytes >= ring->sub_bytes - PACKET_HEAD_BYTES)
			__atomic_fetch_add(event->shape->oversize, 1,
					   __ATOMIC_RELAXED);
		return WRITE_LOST;
	}
	end = parts_copy(out, out + bytes, event);
	ring_commit(ring, commit - bytes + (uint64_t)(end - out));
	return WRITE_DONE;
}

SIGSAFE enum write_verdict locked_write(const struct write_slot *slot,
					int header, struct channel *channel,
					const struct write_event *event)
{
	enum write_verdict verdict = WRITE_LOST;
	struct ring *ring = ring_take(channel);

	if (!ring) {
		if (channel->page)
			__atomic_fetch_add(&channel->page->lost_unplaced, 1,
					   __ATOMIC_RELAXED);
		return WRITE_LOST;
	}
	/* LOCKED-OWNER: still on, and still this slot's channel? */
	if (__atomic_load_n(&channel->active, __ATOMIC_SEQ_CST))
		verdict = load_acquire(&slot->rings[header]) ==
						  channel->rings &&
					  event->generation ==
						  channel->rings->generation ?
				  ring_write(ring, event) :
				  WRITE_AGAIN;
	ring_release(ring);
	return verdict;
}

static const struct rings *slot_rings(const struct write_slot *slot)
{
	const struct rings *rings = load_acquire(&slot->rings[WRITE_COMPACT]);

	return rings != &rings_off ? rings :
				     load_acquire(&slot->rings[WRITE_LARGE]);
}

SIGSAFE void locked_write_word(struct write_slot *slot, uint64_t fixed,
			       const struct write_var *var)
{
	const struct rings *rings = slot_rings(slot);
	struct channel *channel = rings->channel;
	struct ring *ring;
	uint64_t commit;
	char *out;

	if (unlikely(!channel)) {
		write_at(slot, fixed, var, 0);
		return;
	}
	ring = ring_take(channel);
	if (unlikely(!ring)) {
		write_at(slot, fixed, var, 0);
		return;
	}
	/* LOCKED-OWNER: as in locked_write() */
	if (__atomic_load_n(&channel->active, __ATOMIC_SEQ_CST) &&
	    slot_rings(slot) == rings) {
		uint32_t bytes = slot->shape->fixed_bytes;

		out = ring_place(ring, (uint32_t)slot->id, bytes, &commit);
		if (likely(out)) {
			if (likely(bytes == 8))
				__builtin_memcpy(out, &fixed, 8);
			else
				__builtin_memcpy(out, &fixed, bytes);
			ring_commit(ring, commit);
		}
	}
	ring_release(ring);
}

SIGSAFE void locked_write_any(struct write_slot *slot, uint64_t fixed,
			      const struct write_var *var)
{
	write_at(slot, fixed, var, (uint64_t)__builtin_return_address(0));
}

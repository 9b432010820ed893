/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rings written under a lock (hold-private.h): where rseq does not work, where
 * the clock is not the TSC, and for events that a section could not write.
 */
#include "buffers/writers/hold-private.h"

#include "buffers/rings/anchor.h"

COLD bool hold_search(struct hold *hold, struct channel *channel,
		      uint32_t first)
{
	/* one pass after a search that failed: else every write would take
	 * long once siglongjmp had left all rings held */
	uint32_t most = load_relaxed(&channel->crowded) ? 1 : LOCKED_PASSES;
	/* beside CPUs' rings: takes any existing ring before it makes one */
	uint32_t make = channel->cpus && most > 1;

	for (uint32_t passes = 0; passes < most; passes++) {
		for (uint32_t i = 0; i < channel->locked_max; i++) {
			uint32_t k = (first + i) % channel->locked_max;

			/* in a forked child, or if many are held */
			if (passes == make &&
			    unlikely(!load_acquire(&channel->locked[k],
						   LOCKED_RING)))
				channel_need_locked_ring(channel, k);
			if (!hold_try(hold, channel, k))
				continue;
			store_relaxed(&channel->crowded, 0);
			return true;
		}
	}
	store_relaxed(&channel->crowded, 1);
	return false;
}

static struct packet_head *packet_at(struct ring *ring, uint32_t position)
{
	uint32_t offset = position & (ring->ring_bytes - 1) &
			  ~(ring->sub_bytes - 1);

	return (struct packet_head *)((char *)ring + RING_DATA_OFFSET + offset);
}

COLD void hold_limit(struct ring *ring, uint64_t clock)
{
	ring->ts_limit = clock + (1ull << CTF_COMPACT_CLOCK_BITS);
}

COLD void hold_stamp(struct ring *ring, uint64_t clock)
{
	hold_limit(ring, clock);
	anchor_keep();
}

/* Closes the packet at `head` and opens the next, for the two functions below:
 * one frame beneath a write, not two. */
static ALWAYS_INLINE uint64_t packet_open(const struct hold *hold,
					  uint64_t head, uint64_t clock)
{
	struct ring *ring = hold->ring;
	uint32_t position = RING_POSITION(head);
	uint32_t sub_mask = ring->sub_bytes - 1;
	uint32_t next = (position | sub_mask) + 1;
	struct packet_head *old = packet_at(ring, position);
	struct packet_head *new = packet_at(ring, next);
	uint64_t before = old->events_before;
	uint64_t number = old->packet_seq_num + 1;
	uint64_t lost = ring->lost;

	/* RING-TAIL: the reader is done with all below tail */
	if (!(ring->flags & SESSION_OVERWRITE) &&
	    next - (uint32_t)load_acquire(&ring->tail, RING_TAIL) >
		    ring->ring_bytes - 1)
		return 0;
	if (!hold_is_ours(hold))
		return 0;
	/* PACKET-NUMBER: the first store to the new packet, which tells a
	 * reader that the old packet there is gone */
	new->packet_seq_num = number;
	__atomic_thread_fence(RELEASE(PACKET_NUMBER));
	old->timestamp_end = clock;
	old->content_size =
		((uint64_t)(position & sub_mask) - PACKET_PRIVATE_BYTES) * 8;
	old->packet_size = old->content_size;
	old->events_discarded = lost;
	new->events_before =
		before + (uint32_t)(RING_EVENTS(head) - (uint32_t)before);
	new->records_before =
		old->records_before +
		(uint32_t)(ring_records(ring->records, head) -
			   (uint32_t)old->records_before);
	new->magic = CTF_PACKET_MAGIC;
	__builtin_memcpy(new->uuid, ring->uuid, sizeof(new->uuid));
	new->stream_id = 0;
	new->stream_instance_id = ring->stream_instance_id;
	new->timestamp_begin = clock;
	new->timestamp_end = 0;
	new->content_size = 0;
	new->packet_size = 0;
	new->events_discarded = 0;
	new->cpu_id = ring->cpu;
	head = (head & ~(uint64_t)UINT32_MAX) |
	       (uint32_t)(next + PACKET_HEAD_BYTES);
	if (!hold_is_ours(hold))
		return 0;
	/* RING-WRITER: the packet has no record; `records` is anew */
	store_relaxed(&ring->writer, 0);
	ring->records = new->records_before << 32 | position;
	/* RING-HEAD: the packet heads are written before */
	store_release(&ring->head, head, RING_HEAD);
	hold_limit(ring, clock);
	return head;
}

COLD uint64_t hold_open(const struct hold *hold, uint64_t head, uint64_t clock)
{
	return packet_open(hold, head, clock);
}

COLD uint64_t hold_switch(const struct hold *hold, uint64_t head,
			  uint64_t clock)
{
	head = packet_open(hold, head, clock);
	if (head)
		anchor_keep();
	return head;
}

COLD uint64_t hold_record(const struct hold *hold, uint64_t head,
			  uint64_t clock)
{
	struct writer writer = { .token = 0 };
	struct ring *ring;
	uint32_t count;
	char *out;

	/* what can be had again is not kept over calls: taffrail_marker(3) has
	 * a limit of the stack */
	if (!writer_fill(&writer, hold->channel))
		writer.token = 0;
	if (!hold_is_ours(hold))
		return 0;
	ring = hold->ring;
	count = ring_records(ring->records, head) + 1;
	/* RING-WRITER, 1: the word is cleared */
	store_relaxed(&ring->writer, 0);
	out = header_store((char *)ring + RING_DATA_OFFSET +
				   (RING_POSITION(head) &
				    (ring->ring_bytes - 1)),
			   WRITER_ID, clock, clock >= ring->ts_limit);
	__builtin_memcpy(out, &writer.record, sizeof(writer.record));
	head += write_header_bytes(WRITE_WIDE, clock >= ring->ts_limit) +
		sizeof(writer.record);
	ring->records = (uint64_t)count << 32 | RING_POSITION(head);
	if (!hold_is_ours(hold))
		return 0;
	/* 3: head moves over the record, 4: the word */
	store_release(&ring->head, head, RING_HEAD);
	if (writer.token && hold_is_ours(hold))
		store_release(&ring->writer, writer.token, RING_WRITER);
	if (clock >= ring->ts_limit)
		hold_limit(ring, clock);
	return head;
}

static char *parts_copy(char *out, const char *end,
			const struct write_event *event)
{
	for (uint32_t i = 0; i < event->nparts; i++) {
		const char *p = event->parts[i].p;
		uint64_t n = event->parts[i].n;

		if (n != WRITE_STRING) {
			copy_low(out, p, n);
			out += n;
			continue;
		}
		while (out < end - 1 && *p)
			*out++ = *p++;
		*out++ = 0;
	}
	return out;
}

static inline void hold_lose(const struct hold *hold)
{
	if (hold_is_ours(hold))
		hold->ring->lost++;
}

static uint64_t hold_time(const struct hold *hold)
{
	return hold->clock ? hold->clock : clock_read_time();
}

COLD bool hold_lose_again(const struct hold *hold)
{
	if (hold_time(hold) - hold->lock->roomless >= ROOMLESS_TICKS)
		return false;
	hold_lose(hold);
	return true;
}

/*
 * Writes into a held ring. Returns WRITE_FULL, and counts nothing, if another
 * ring may have room; with `last` it counts the loss.
 *
 * Strings may change while they are measured and copied: the committed bytes
 * are the copied bytes, within the room that was measured.
 */
static enum write_verdict hold_write(const struct hold *hold,
				     struct write_event *event, int last,
				     int *oversize)
{
	uint64_t bytes = write_event_bytes(event);
	uint64_t limit = hold->ring->ts_limit;
	uint64_t commit;
	char *out = hold_place(hold, (uint32_t)event->id, bytes, &commit, 0);
	char *end;

	event->seldom |= hold->ring->ts_limit != limit;
	if (out) {
		end = parts_copy(out, out + bytes, event);
		hold_commit(hold, commit - bytes + (uint64_t)(end - out));
		return WRITE_DONE;
	}
	*oversize = commit == HOLD_OVERSIZE;
	if (commit < HOLD_SMALL)
		return WRITE_LOST;
	if (!last)
		return commit == HOLD_ROOMLESS && hold_lose_again(hold) ?
			       WRITE_LOST : WRITE_FULL;
	if (commit == HOLD_ROOMLESS)
		hold->lock->roomless = hold_time(hold);
	hold_lose(hold);
	return WRITE_LOST;
}

/* Writes into the ring that hold_try() has just taken, and releases it. Returns
 * the result of hold_write(); WRITE_AGAIN: the event was made for another
 * channel. */
static enum write_verdict held_write(struct hold *hold,
				     const struct write_slot *slot, int header,
				     struct channel *channel,
				     struct write_event *event, int last)
{
	const struct rings *rings = channel->rings;
	enum write_verdict verdict = WRITE_AGAIN;
	int oversize = 0;

	/* WRITE-SLOT: the id belongs to the channel that the slot has now */
	if (load_acquire(&slot->rings[header], WRITE_SLOT) == rings &&
	    event->generation == rings->generation)
		verdict = hold_write(hold, event, last, &oversize);
	hold_release(hold);
	if (oversize)
		write_oversize_count(event, channel);
	return verdict;
}

/*
 * Takes the next ring that may have room, behind ring hold->first, which had
 * none, and the hold->looked that were looked at. Returns the result of
 * hold_enter(), or WRITE_FULL if there is none. Beside CPUs' rings, it makes
 * the rings that are missing, after the others. The caller writes: so the
 * search takes no stack beneath the write.
 */
static COLD enum write_verdict roomy_take(struct hold *hold,
					  struct channel *channel, int header,
					  const struct write_event *event)
{
	uint64_t least =
		write_event_bytes(event) + write_header_bytes(header, 0) +
		write_record_room(channel->contexts);
	uint32_t passes = channel->cpus ? 2 : 1;

	while (++hold->looked < passes * channel->locked_max) {
		uint32_t k = (hold->first + hold->looked) % channel->locked_max;

		if (k == hold->first ||
		    event_oversize(channel_locked_bytes(channel, k) /
					   RING_SUB_BUFFERS,
				   least))
			continue;
		if (hold->looked >= channel->locked_max &&
		    (load_acquire(&channel->locked[k], LOCKED_RING) ||
		     !channel_need_locked_ring(channel, k)))
			continue;
		if (hold_try(hold, channel, k))
			return hold_enter(hold, channel);
	}
	return WRITE_FULL;
}

SIGSAFE COLD enum write_verdict locked_write(const struct write_slot *slot,
					     int header,
					     struct channel *channel,
					     struct write_event *event)
{
	enum write_verdict verdict;
	struct hold hold = { .lock = channel->locks };

	for (int last = 0; last < 2; last++) {
		verdict = hold_take(&hold, channel);
		/* `area` is never unmapped, whatever becomes of the channel */
		if (verdict == WRITE_FULL)
			return channel_count(channel, event->generation,
					     &channel->area->lost_unplaced) ?
				       WRITE_LOST : WRITE_AGAIN;
		hold.first = (uint32_t)(hold.lock - channel->locks);
		hold.looked = 0;
		do {
			if (verdict == WRITE_FITS)
				verdict = held_write(&hold, slot, header,
						     channel, event, last);
			if (verdict != WRITE_FULL)
				return verdict;
			verdict = roomy_take(&hold, channel, header, event);
		} while (verdict != WRITE_FULL);
	}
	return verdict;
}

/* Leaves out a ring that is held: the holder continues to write. */
void locked_flush(struct channel *channel)
{
	struct hold hold = { .mark = load_relaxed(fork_mark) };

	for (uint32_t k = 0; hold.mark && k < channel->locked_max; k++) {
		if (!hold_try(&hold, channel, k))
			continue;
		hold.ring = load_acquire(&channel->locked[k], LOCKED_RING);
		if ((RING_POSITION(hold.ring->head) &
		     (hold.ring->sub_bytes - 1)) > PACKET_HEAD_BYTES)
			hold_switch(&hold, hold.ring->head, hold_clock(&hold));
		hold_release(&hold);
	}
}

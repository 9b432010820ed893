/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rings written under a lock: where rseq does not work, where the clock is not
 * the TSC, and for events that a section could not write.
 *
 * A writer tries the ring of its CPU, then the others, and never waits for a
 * holder: the holder may be the very thread that its handler interrupted. When
 * all are held its event is lost, and counted in the session's page.
 * While it holds a ring it is the only writer there, so that one store of
 * head commits an event here too, and a killed holder leaves nothing to
 * repair. A siglongjmp over a holder costs that ring; spare ones replace it.
 *
 * When a handler forks in the middle of a write, parent and child both go on
 * with it. The child commits and releases nothing, and what it may still store
 * goes to private memory: channels_forked() puts some there before the handler
 * goes on. (Sections are restarted and find the child's own rings.)
 *
 * Pair LOCKED-OWNER: the acquire that takes a ring sees all that the release
 * of its last holder wrote. channel_stop() clears `active` before it looks at
 * the lock; a writer looks at `active` after it has taken the lock.
 */
#include "buffers/writers/private.h"

#include "base/host.h"
#include "base/sys.h"
#include "buffers/clock.h"
#include "buffers/rings/anchor.h"

/* A ring in somebody's hands: this thread's, in this process. */
struct hold {
	struct ring *ring;
	struct channel_lock *lock;
	uint64_t clock;		/* read before the lock; 0: to be read */
	uint32_t mark;
	uint32_t sub_bytes;	/* the channel's; a spare ring has less */
};

/* False in the child when a handler forked since the ring was taken: ring and
 * lock are its parent's. */
static inline int hold_is_ours(const struct hold *hold)
{
	/* what was read of the ring before is not read again after */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return likely(load_relaxed(fork_mark) == hold->mark);
}

/* A lock that carries another mark was left by a fork; it is free. */
static inline int hold_try(struct hold *hold, struct channel *channel,
			   uint32_t k)
{
	struct channel_lock *lock = &channel->locks[k];
	uint32_t seen = load_relaxed(&lock->holder);

	hold->lock = lock;
	/* LOCKED-OWNER: seq_cst, it must not pass the load of `active` */
	return load_relaxed(&channel->locked[k]) && seen != hold->mark &&
	       __atomic_compare_exchange_n(&lock->holder, &seen, hold->mark, 0,
					   __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

static inline void hold_release(struct hold *hold)
{
	/* LOCKED-OWNER: head and data come before */
	if (hold_is_ours(hold))
		store_release(&hold->lock->holder, 0);
}

static COLD int hold_search(struct hold *hold, struct channel *channel,
			    uint32_t first)
{
	/* after a search in vain one look is enough, or every write would
	 * take as long once all rings were left by siglongjmp */
	uint32_t most = load_relaxed(&channel->crowded) ? 1 : LOCKED_PASSES;
	/* beside CPUs' rings any that is there will do before one is made */
	uint32_t make = channel->cpus && most > 1;
	uint32_t passes;
	uint32_t i;

	for (passes = 0; passes < most; passes++) {
		for (i = 0; i < channel->locked_max; i++) {
			uint32_t k = (first + i) % channel->locked_max;

			/* in a forked child, or where many are held */
			if (passes == make &&
			    unlikely(!load_acquire(&channel->locked[k])))
				channel_need_locked_ring(channel, k);
			if (!hold_try(hold, channel, k))
				continue;
			store_relaxed(&channel->crowded, 0);
			return 1;
		}
	}
	store_relaxed(&channel->crowded, 1);
	return 0;
}

/*
 * Takes a ring, of this CPU if it is free. WRITE_FITS: it is held.
 * WRITE_FULL: none can be had. WRITE_LOST: the channel is off. WRITE_AGAIN:
 * a child that has no rings yet.
 */
static ALWAYS_INLINE enum write_verdict hold_take(struct hold *hold,
					   struct channel *channel)
{
	uint32_t k = host_cpu_kept();

	hold->sub_bytes = channel->sub_bytes;
	hold->mark = load_relaxed(fork_mark);
	/* rdtsc overlaps with what follows, and waits for what is before; a
	 * counter says the order, so it is read under the lock */
	hold->clock = likely(clock_chosen == CLOCK_KIND_TSC) ?
			      clock_read_tsc() :
			      0;
	k = host_cpu_renew(k, hold->clock);
	if (unlikely(k >= channel->locked_max))
		k %= channel->locked_max;
	if (unlikely(!hold->mark))
		return WRITE_AGAIN;
	if (unlikely(!hold_try(hold, channel, k)) &&
	    !hold_search(hold, channel, k))
		return WRITE_FULL;
	/* LOCKED-OWNER: the ring is looked at after `active`, which is after
	 * the lock: it is mapped until the lock is released */
	if (unlikely(!__atomic_load_n(&channel->active, __ATOMIC_SEQ_CST)))
		goto off;
	hold->ring = load_acquire(&channel->locked[hold->lock -
						   channel->locks]);
	if (likely(hold->ring))
		return WRITE_FITS;
off:
	hold_release(hold);
	return WRITE_LOST;
}

static struct packet_head *packet_at(struct ring *ring, uint32_t position)
{
	uint32_t offset = position & (ring->ring_bytes - 1) &
			  ~(ring->sub_bytes - 1);

	return (struct packet_head *)((char *)ring + RING_DATA_OFFSET + offset);
}

/* The ring has a whole clock now: until when its bits in headers do. */
static COLD void ring_limit(struct ring *ring, uint64_t clock)
{
	ring->ts_limit = clock + (ring->flags & SESSION_LARGE_HEADER ?
					  1ull << CTF_LARGE_CLOCK_BITS :
					  1ull << CTF_COMPACT_CLOCK_BITS);
}

/* The same where no caller keeps the clock's anchor later. */
static COLD void ring_stamp(struct ring *ring, uint64_t clock)
{
	ring_limit(ring, clock);
	anchor_keep();
}

/* Closes the packet at `head`, opens the next. Returns the new head, or 0 when
 * the reader has not made room. The caller holds the ring. */
static COLD uint64_t ring_open(const struct hold *hold, uint64_t head,
			       uint64_t clock)
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

	/* RING-TAIL: what is below it has been read */
	if (!(ring->flags & SESSION_OVERWRITE) &&
	    next - (uint32_t)load_acquire(&ring->tail) > ring->ring_bytes - 1)
		return 0;
	if (!hold_is_ours(hold))
		return 0;
	/* PACKET-NUMBER: the first store to the new packet; a reader sees by
	 * it that the packet which was there is gone */
	new->packet_seq_num = number;
	__atomic_thread_fence(__ATOMIC_RELEASE);
	old->timestamp_end = clock;
	old->content_size =
		((uint64_t)(position & sub_mask) - PACKET_PRIVATE_BYTES) * 8;
	old->packet_size = old->content_size;
	old->events_discarded = lost;
	new->events_before = before +
			     (uint32_t)(RING_EVENTS(head) - (uint32_t)before);
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
	/* RING-HEAD: the packet heads are written before */
	store_release(&ring->head, head);
	ring_limit(ring, clock);
	return head;
}

static COLD uint64_t ring_switch(const struct hold *hold, uint64_t head,
				 uint64_t clock)
{
	head = ring_open(hold, head, clock);
	if (head)
		anchor_keep();
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
 * The clock, never behind the ring's last event: it may have been read before
 * the last holder's was.
 */
static inline uint64_t hold_clock(const struct hold *hold)
{
	uint64_t clock = hold->clock ? hold->clock : clock_read();

	if (unlikely(clock < hold->lock->clock))
		clock = hold->lock->clock;
	hold->lock->clock = clock;
	return clock;
}

/* An event that is larger than a sub-buffer takes? */
static inline int event_oversize(uint32_t sub_bytes, uint64_t need)
{
	return unlikely(need >= sub_bytes - PACKET_HEAD_BYTES);
}

/*
 * Finds room for `bytes` of payload in a held ring and writes the header.
 * Returns where the payload goes and the head that commits it, or NULL after
 * it has counted a loss; `*commit` is then 1 when the event is too large. With
 * `keep` it keeps the clock's anchor where that is due; without, the caller
 * does so, with less on the stack.
 */
static ALWAYS_INLINE char *ring_place(const struct hold *hold, uint32_t id,
			       uint64_t bytes, uint64_t *commit, int keep)
{
	struct ring *ring = hold->ring;
	int large = !!(ring->flags & SESSION_LARGE_HEADER);
	uint64_t head = ring->head;
	uint64_t clock = hold_clock(hold);
	int extended = clock >= ring->ts_limit ||
		       id >= (large ? CTF_LARGE_ID_EXTENDED :
				      CTF_COMPACT_ID_EXTENDED);
	uint64_t need = write_header_bytes(large, extended) + bytes;
	uint32_t sub_mask = ring->sub_bytes - 1;
	uint32_t offset;
	char *out;

	*commit = 0;
	if (unlikely(!hold_is_ours(hold)))
		return NULL;
	if (event_oversize(ring->sub_bytes, need)) {
		*commit = (uint64_t)event_oversize(hold->sub_bytes, need);
		goto lost;
	}
	if (unlikely((uint32_t)((head + need) ^ head) & ~sub_mask)) {
		head = keep ? ring_switch(hold, head, clock) :
			      ring_open(hold, head, clock);
		if (!head)
			goto lost;
	}
	offset = RING_POSITION(head) & (ring->ring_bytes - 1);
	out = header_store(ring, (char *)ring + RING_DATA_OFFSET + offset, id,
			   clock, extended);
	if (unlikely(extended) && keep)
		ring_stamp(ring, clock);
	else if (unlikely(extended))
		ring_limit(ring, clock);
	*commit = head + need + (1ull << 32);
	return out;
lost:
	if (hold_is_ours(hold))
		ring->lost++;
	return NULL;
}

/* RING-HEAD: payload before head. A child forked by a handler in the middle
 * of a write leaves its parent's ring alone. */
static void ring_commit(const struct hold *hold, uint64_t head)
{
	if (hold_is_ours(hold))
		store_release(&hold->ring->head, head);
}

/*
 * memcpy() of libc may use vector registers that whoever was interrupted by a
 * probe has not given up (docs/usdt.md); this keeps to the low ones.
 */
static inline void copy(char *to, const char *from, uint64_t n)
{
	for (; n >= 16; n -= 16, to += 16, from += 16) {
		__builtin_memcpy(to, from, 16);
		/* or the loop is taken for a memcpy() */
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

static char *parts_copy(char *out, const char *end,
			const struct write_event *event)
{
	uint32_t i;

	for (i = 0; i < event->nparts; i++) {
		const char *p = event->parts[i].p;
		uint64_t n = event->parts[i].n;

		if (n != WRITE_STRING) {
			copy(out, p, n);
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
static enum write_verdict ring_write(const struct hold *hold,
				     struct write_event *event, int *oversize)
{
	uint64_t bytes = write_event_bytes(event);
	uint64_t limit = hold->ring->ts_limit;
	uint64_t commit;
	char *out = ring_place(hold, (uint32_t)event->id, bytes, &commit, 0);
	char *end;

	*oversize = !out && commit;
	event->seldom |= hold->ring->ts_limit != limit;
	if (!out)
		return WRITE_LOST;
	end = parts_copy(out, out + bytes, event);
	ring_commit(hold, commit - bytes + (uint64_t)(end - out));
	return WRITE_DONE;
}

SIGSAFE enum write_verdict locked_write(const struct write_slot *slot,
					int header, struct channel *channel,
					struct write_event *event)
{
	struct hold hold;
	enum write_verdict verdict = hold_take(&hold, channel);
	int oversize = 0;

	/* `area` is mapped for ever, whatever becomes of the channel */
	if (verdict == WRITE_FULL)
		return channel_count(channel, event->generation,
				     &channel->area->lost_unplaced) ?
			       WRITE_LOST :
			       WRITE_AGAIN;
	if (verdict != WRITE_FITS)
		return verdict;
	/* WRITE-SLOT: still this slot's channel, to which its id belongs? */
	verdict = load_acquire(&slot->rings[header]) == channel->rings &&
				  event->generation ==
					  channel->rings->generation ?
			  ring_write(&hold, event, &oversize) :
			  WRITE_AGAIN;
	hold_release(&hold);
	if (oversize)
		write_oversize_count(event, channel);
	return verdict;
}

/* A ring that is taken just now is left as it is: its holder goes on. */
void locked_flush(struct channel *channel)
{
	struct hold hold = { .mark = load_relaxed(fork_mark) };
	uint32_t k;

	for (k = 0; hold.mark && k < channel->locked_max; k++) {
		if (!hold_try(&hold, channel, k))
			continue;
		hold.ring = load_acquire(&channel->locked[k]);
		if ((RING_POSITION(hold.ring->head) &
		     (hold.ring->sub_bytes - 1)) > PACKET_HEAD_BYTES)
			ring_switch(&hold, hold.ring->head, hold_clock(&hold));
		hold_release(&hold);
	}
}

static const struct rings *slot_rings(const struct write_slot *slot)
{
	const struct rings *rings = load_acquire(&slot->rings[WRITE_COMPACT]);

	return rings != &rings_off ? rings :
				     load_acquire(&slot->rings[WRITE_LARGE]);
}

/* One word into a held ring; false when the slot has gone to other rings, so
 * that its id may be meant for those. */
static inline int word_write(const struct hold *hold,
			     const struct write_slot *slot,
			     const struct rings *rings, uint64_t fixed)
{
	uint32_t id = (uint32_t)load_acquire(&slot->id);
	uint32_t bytes = slot->shape->fixed_bytes;
	uint64_t commit;
	char *out;

	/* WRITE-SLOT: the id was read before */
	if (unlikely(slot_rings(slot) != rings))
		return 0;
	out = ring_place(hold, id, bytes, &commit, 1);
	if (unlikely(!out))
		return 1;
	if (likely(bytes == 8))
		__builtin_memcpy(out, &fixed, 8);
	else
		copy(out, (const char *)&fixed, bytes);
	ring_commit(hold, commit);
	return 1;
}

SIGSAFE void locked_write_word(struct write_slot *slot, uint64_t fixed,
			       const struct write_var *var)
{
	const struct rings *rings = slot_rings(slot);
	struct channel *channel = load_acquire(&rings->channel);
	struct hold hold;
	int done = 0;

	if (likely(channel && !channel->contexts &&
		   hold_take(&hold, channel) == WRITE_FITS)) {
		done = word_write(&hold, slot, rings, fixed);
		hold_release(&hold);
	}
	if (unlikely(!done))
		write_at(slot, fixed, var, 0);
}

SIGSAFE void locked_write_any(struct write_slot *slot, uint64_t fixed,
			      const struct write_var *var)
{
	write_at(slot, fixed, var, (uint64_t)__builtin_return_address(0));
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The general writer and the slow paths: events that a fast section could not
 * write.
 *
 * Every pass of write_pass() reads all shared state again, and ends in one
 * committing store, in a counted loss, or in another pass.
 */
#include "buffers/writers/private.h"

#include "base/host.h"
#include "buffers/rings/anchor.h"

static void lose_closed(struct write_slot *slot, uint64_t fixed,
			const struct write_var *var, uint64_t ip)
{
}

void (*write_closed)(struct write_slot *slot, uint64_t fixed,
		     const struct write_var *var, uint64_t ip) = lose_closed;

SIGSAFE void write_nothing(struct write_slot *slot, uint64_t fixed,
			   const struct write_var *var)
{
}

/* Returns how many bytes of a sub-buffer an event needs: the section of a
 * writer record and the switch must mean the same. */
static uint64_t bytes_needed(const struct channel *channel, int header,
			     int extended, const struct write_event *event)
{
	return write_event_bytes(event) +
	       write_header_bytes(header, extended) +
	       write_record_room(channel->contexts);
}

/* Counts a loss of the ring, and of this process if it shares the ring. Not
 * inline, and finds the channel again: its stack would be that of each event
 * (guarantees.md). */
static COLD __attribute__((noinline)) enum write_verdict
ring_lose(const struct write_slot *slot, int header)
{
	const struct rings *rings = load_acquire(&slot->rings[header],
						 WRITE_SLOT);
	uint64_t generation = load_acquire(&rings->generation,
					   RINGS_GENERATION);
	enum write_verdict verdict = section_lose(slot, header);
	struct channel *channel = load_acquire(&rings->channel, RINGS_CHANNEL);
	struct shared_member *member = channel ? channel->shared.member : NULL;

	if (verdict == WRITE_DONE && member &&
	    channel->flags & SESSION_SHARED)
		channel_count(channel, generation, &member->lost);
	return verdict;
}

/* After WRITE_FULL from a section: makes room, or counts a loss. */
static enum write_verdict room_make(const struct write_slot *slot, int header,
				    int extended, struct channel *channel,
				    const struct write_event *event)
{
	uint64_t need = bytes_needed(channel, header, extended, event);
	bool oversize = need >= channel->sub_bytes - PACKET_HEAD_BYTES;
	enum write_verdict verdict;

	if (!oversize) {
		verdict = section_switch(slot, header, (uint32_t)need);
		if (verdict != WRITE_FULL)
			return verdict;
	}
	verdict = ring_lose(slot, header);
	if (verdict != WRITE_DONE)
		return verdict;
	if (oversize)
		write_oversize_count(event, channel);
	return WRITE_LOST;
}

/*
 * After WRITE_NONE from a section. A forked child gets rings: WRITE_AGAIN. A
 * CPU without a ring: WRITE_AGAIN if it has one by now, else WRITE_NONE for
 * the locked rings. WRITE_LOST: the channel is off.
 */
static enum write_verdict ring_find(const struct rings *rings,
				    struct channel *channel, uint32_t *tries)
{
	uint32_t cpu;

	if (!load_relaxed(fork_mark) && channel_revive && (*tries)++ < 2 &&
	    channel_revive())
		return WRITE_AGAIN;
	/* a handler or another thread may have given the child rings */
	if (!channel && load_acquire(&rings->channel, RINGS_CHANNEL))
		return WRITE_AGAIN;
	if (!channel || !load_relaxed(fork_mark)) {
		channel_orphan_lose(rings);
		return WRITE_LOST;
	}
	if (!load_acquire(&channel->active, CHANNEL_ACTIVE))
		return WRITE_LOST;
	cpu = host_cpu();
	if (cpu < load_relaxed(&rings->nr) && (*tries)++ < 2 &&
	    channel_need_cpu_ring(channel, cpu))
		return WRITE_AGAIN;
	return WRITE_NONE;
}

/* After WRITE_OTHER from a section: writes the thread's record. Not inline: its
 * stack would be that of each event (guarantees.md). */
static COLD enum write_verdict
writer_enter(const struct write_slot *slot, int header, int extended,
	     const struct channel *channel, const struct write_event *event)
{
	uint64_t need = bytes_needed(channel, header, extended, event);
	struct writer writer = { .generation = event->generation };

	if (!writer_fill(&writer, channel))
		return WRITE_NONE;
	return section_writer(slot, header, &writer,
			      (uint32_t)min_u64(need, channel->sub_bytes));
}

/* Handles a verdict that asks for a writer record, another ring or more room.
 * Returns WRITE_AGAIN if the section must try again. */
static enum write_verdict write_mend(const struct write_slot *slot, int header,
				     int extended, const struct rings *rings,
				     struct channel *channel,
				     struct write_event *event,
				     enum write_verdict verdict,
				     uint32_t *tries)
{
	if (verdict == WRITE_OTHER) {
		verdict = writer_enter(slot, header, extended, channel, event);
		if (verdict == WRITE_FITS)
			return verdict;
	}
	if (verdict == WRITE_FULL) {
		verdict = room_make(slot, header, extended, channel, event);
		if (verdict == WRITE_FITS)
			return verdict;
	}
	if (verdict == WRITE_NONE)
		verdict = ring_find(rings, channel, tries);
	if (verdict == WRITE_AGAIN && ++*tries > SECTION_ABORTS_MAX)
		verdict = WRITE_NONE;
	if (verdict == WRITE_NONE && channel)
		verdict = locked_write(slot, header, channel, event);
	return verdict;
}

/* Writes an event. Returns whether it took a rare path. */
static COLD __attribute__((noinline)) int
write_pass(struct write_slot *slot, uint64_t fixed,
	   const struct write_var *var, int header, uint64_t ip)
{
	struct write_event event;
	uint32_t nvar = slot->shape->nvar;
	uint32_t tries = 0;
	bool extended = false;

	/* the program's stack may be small: 16 fields take 864 bytes */
	event.shape = slot->shape;
	event.seldom = 0;
	event.parts = __builtin_alloca(WRITE_PARTS(nvar) *
					       sizeof(*event.parts) +
				       nvar * sizeof(*event.counts));
	event.counts = (uint32_t *)(event.parts + WRITE_PARTS(nvar));
	for (;;) {
		const struct rings *rings =
			load_acquire(&slot->rings[header], WRITE_SLOT);
		/* read once: after a fork it is NULL, also in a child that
		 * a handler forked */
		struct channel *channel =
			load_acquire(&rings->channel, RINGS_CHANNEL);
		enum write_verdict verdict = WRITE_NONE;

		if (rings == &rings_off) {
			write_closed(slot, fixed, var, ip);
			return 0;
		}
		if (channel)
			write_event_build(&event, slot, channel, fixed, var,
					  ip);
		if (channel && channel->cpus)
			verdict = section_write(slot, header, extended, &event);
		else if (channel && load_relaxed(fork_mark))
			verdict = locked_write(slot, header, channel, &event);
		if (verdict == WRITE_LATE) {
			extended = true;
			event.seldom |= event.id < write_id_extended(header);
			continue;
		}
		if (verdict != WRITE_DONE)
			verdict = write_mend(slot, header, extended, rings,
					     channel, &event, verdict, &tries);
		event.seldom |= verdict == WRITE_FITS;
		if (verdict == WRITE_DONE || verdict == WRITE_LOST ||
		    verdict == WRITE_NONE)
			return (int)event.seldom;
	}
}

/* Keeps the clock's anchor after the write has freed the stack. */
static void write_any(struct write_slot *slot, uint64_t fixed,
		      const struct write_var *var, int header, uint64_t ip)
{
	if (write_pass(slot, fixed, var, header, ip))
		anchor_keep();
}

COLD SIGSAFE void write_hard(struct write_slot *slot, uint64_t fixed,
			     const struct write_var *var, int header)
{
	write_any(slot, fixed, var, header, 0);
}

SIGSAFE void write_at(struct write_slot *slot, uint64_t fixed,
		      const struct write_var *var, uint64_t ip)
{
	int header = load_acquire(&slot->rings[WRITE_WIDE], WRITE_SLOT) ==
				     &rings_off ? WRITE_COMPACT : WRITE_WIDE;

	write_any(slot, fixed, var, header, ip);
}

SIGSAFE void write_general(struct write_slot *slot, uint64_t fixed,
			   const struct write_var *var)
{
	write_at(slot, fixed, var, (uint64_t)__builtin_return_address(0));
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A channel's number and first rings; smaller rings where there is little room.
 *
 * Invariant: a session without room for rings runs. The events are counted as
 * lost (session_page.lost_unplaced), and the slow path of a writer tries again
 * to make the ring that it misses (channel.c). All rings of the CPUs have one
 * size, which only replace.c changes once writers are let in.
 */
#include "buffers/rings/private.h"

#include <errno.h>
#include <stdbool.h>

/* Each waits for another thread that makes rings, MAKING_WAITS times. */
#define FIRST_TRIES	10

int channel_create_next(struct channel *channel, uint64_t *begun,
			const char *name, uint32_t flags, uint32_t contexts,
			uint64_t ring_bytes, uint32_t cpus)
{
	int ret = -EEXIST;

	for (uint32_t i = 0; i < SESSION_FILES_MAX && ret == -EEXIST; i++) {
		ret = channel_create(channel,
				     (uint32_t)(*begun % SESSION_FILES_MAX),
				     name, flags, contexts, ring_bytes, cpus);
		if (!ret)
			channel->page->serial = *begun;
		if (!ret || ret == -EEXIST)
			++*begun;
	}
	return ret == -EEXIST ? -ENOSPC : ret;
}

void channel_expect(struct channel *channel, uint32_t full)
{
	if (channel->cpus)
		full = 0;
	channel->locked_full = (uint32_t)min_u64(full, LOCKED_MAX);
	channel->locked_max = (uint32_t)min_u64(full + LOCKED_SPARE,
						LOCKED_MAX);
	channel->locked_spare_bytes =
		(uint32_t)min_u64(channel->ring_bytes, LOCKED_SPARE_BYTES);
}

/* Makes the rings that writers need at once. Returns 0, or the first error. */
static int rings_make(struct channel *channel)
{
	uint32_t locked = channel->cpus ? LOCKED_AHEAD : channel->locked_max;
	int ret;

	if (channel->flags & SESSION_SHARED)
		return channel->cpus ? channel_cpu_ring_make(channel, 0) : 0;
	for (uint32_t i = 0; i < channel->cpus; i++) {
		ret = channel_cpu_ring_make(channel, i);
		if (ret)
			return ret;
	}
	for (uint32_t i = 0; i < locked; i++) {
		ret = channel_locked_ring_make(channel, i);
		if (ret)
			return ret;
	}
	return 0;
}

/* Returns true when smaller rings may be possible. */
static bool no_room(int error)
{
	return error == -ENOSPC || error == -EDQUOT || error == -EFBIG ||
	       error == -ENOMEM;
}

void channel_fit(struct channel *channel)
{
	uint64_t rings = channel->cpus ? channel->cpus : 1;
	int admitted;

	while (channel->ring_bytes > RING_LEAST_BYTES &&
	       !(channel->flags & SESSION_SHARED)) {
		admitted = channel_room_admit(channel,
					      rings * (RING_DATA_OFFSET +
					      (uint64_t)channel->ring_bytes));
		if (admitted >= 0 && channel_made)
			channel_made(admitted);
		if (!no_room(admitted))
			break;
		channel->page->small_error = -admitted;
		channel_size_set(channel, channel->ring_bytes / 2);
	}
	channel->page->sub_bytes = channel->sub_bytes;
	channel->page->ring_bytes = channel->ring_bytes;
}

/* Makes the first rings, smaller ones where there is no room, and notes the
 * result in the session's page. The caller has taken `making`, or no other
 * thread knows the channel. */
static void first_make(struct channel *channel)
{
	uint32_t full = channel->locked_full;
	int ret = rings_make(channel);

	while (no_room(ret) && channel->ring_bytes > RING_LEAST_BYTES &&
	       !(channel->flags & SESSION_SHARED)) {
		channel->page->small_error = -ret;
		channel_rings_remove(channel);
		channel_rings_unmap(channel);
		/* SESSION-RINGS: their files are gone, and not missed */
		__atomic_store_n(&channel->page->rings, 0,
				 RELEASE(SESSION_RINGS));
		channel_size_set(channel, channel->ring_bytes / 2);
		channel_expect(channel, full);
		ret = rings_make(channel);
	}
	/* The smallest rings that were made stay, and have the events of their
	 * CPUs. */
	channel->page->sub_bytes = channel->sub_bytes;
	channel->page->ring_bytes = channel->ring_bytes;
	if (!ret)
		channel->page->roomless = 0;
	if (!channel->deferred)
		return;
	channel->deferred = NULL;
	/* SESSION-MAKING: as in channel_resume() */
	store_release(&channel->page->making, 0, SESSION_MAKING);
}

void channel_start(struct channel *channel, uint32_t full)
{
	channel_expect(channel, full);
	first_make(channel);
	channel_resume(channel);
}

void channel_defer(struct channel *channel, uint32_t full)
{
	channel_expect(channel, full);
	channel->deferred = first_make;
	channel_resume(channel);
}

void channel_rings_make(struct channel *channel)
{
	int tries = FIRST_TRIES;

	while (load_relaxed(&channel->deferred) && tries--) {
		if (channel_making_take(channel)) {
			if (!load_acquire(&channel->active, CHANNEL_ACTIVE))
				return;
			continue;
		}
		/* another thread may have made them meanwhile */
		if (channel->deferred)
			first_make(channel);
		store_release(&channel->making, 0, RING_MAKING);
	}
}

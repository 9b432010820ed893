/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Trace frames: the data that gdb's tracepoints have collected, read by the
 * process that wrote it.
 *
 * A frame is an event (tracepoints/frames/collect.h) in the rings of the
 * channel that belongs to gdb. The index over all of that channel's rings is in
 * the order of the clock; frame n is the n-th entry, from 0 on.
 *
 * Invariant: no thread writes into the channel while there is an index (the run
 * is stopped and channel_grace() has returned 0). Every offset is checked
 * against the sub-buffer, because a stray store of the program may have hit the
 * rings. No libc: the service thread reads.
 */
#ifndef TRACEPOINTS_FRAMES_FRAMES_H
#define TRACEPOINTS_FRAMES_FRAMES_H

#include <stdint.h>

#include "buffers/rings/channel.h"

struct frame {
	uint64_t clock;
	uint32_t tracepoint;		/* GDB's number */
	int32_t tid;
	uint64_t address;		/* of the site that was hit */
	const uint8_t *blocks;		/* enum collect_block, in the ring */
	uint32_t bytes;
};

/* Opaque to callers; in its own mapped memory. */
struct frames;

/*
 * Builds the index: all frames that the channel's rings hold, per-CPU and
 * locked ones, in discard mode (from the tail on) and overwrite mode. Of a
 * damaged packet, only the frames before the damage. `id` is the frame event's
 * id; another id counts as damage. Returns NULL without memory. For one thread;
 * the caller closes the index before the channel is destroyed. Takes 16 bytes a
 * frame.
 */
struct frames *frames_open(const struct channel *channel, uint32_t id);

/* Frees the index; the rings stay as they are. */
void frames_close(struct frames *frames);

/* Returns how many frames the index has; at most INT32_MAX. */
uint32_t frames_count(const struct frames *frames);

/* Finds frame n. Returns 0, or -ENOENT beyond the last. */
int frames_get(const struct frames *frames, uint32_t n, struct frame *frame);

/*
 * Counts how many frames the channel's rings hold, how many were ever written,
 * how many were lost (no room, no ring, too large). Threads may write
 * meanwhile: the numbers of a ring are those of one instant. If no ring is
 * damaged, `held` is the count of an index. A damaged ring counts as empty.
 * Rings are numbered as in the channel: those of CPUs, then, from
 * CHANNEL_CPUS_MAX on, locked ones.
 */
struct frames_tally {
	uint64_t held;
	uint64_t written;
	uint64_t lost;
	uint64_t bytes_held;		/* of the rings, with unused ends */
	uint64_t bytes_room;		/* all rings but unused spare ones */
	uint32_t full;			/* the first ring that lost frames */
	uint32_t nfull;			/* how many rings lost frames */
};
void frames_tally(const struct channel *channel, struct frames_tally *tally);

/*
 * Finds the next block of a frame. *at is 0 at first. Returns true and moves
 * *at on, or false at the end (or where the rest is damaged).
 */
struct frame_block {
	uint8_t kind;			/* enum collect_block */
	uint64_t address;		/* of COLLECT_BLOCK_MEMORY */
	int64_t value;			/* of COLLECT_BLOCK_VARIABLE */
	int32_t variable;
	const uint8_t *bytes;		/* of registers, memory, static data */
	uint32_t nbytes;
	uint32_t start;			/* offset of the block in the frame */
	uint32_t size;			/* of the whole block */
};
bool frame_block_next(const struct frame *frame, uint32_t *at,
		      struct frame_block *block);

#endif

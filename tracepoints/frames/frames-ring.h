/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One ring of a channel, as the process that writes the ring reads it: for
 * frames*.c, and for code that counts the contents of rings.
 */
#ifndef TRACEPOINTS_FRAMES_FRAMES_RING_H
#define TRACEPOINTS_FRAMES_FRAMES_RING_H

#include "buffers/ring-view.h"
#include "buffers/rings/channel.h"

/* Rings of a channel are numbered: those of CPUs, then locked ones. */
#define FRAME_RINGS_MAX	(CHANNEL_CPUS_MAX + LOCKED_MAX)

struct frame_ring {
	/* constant; from the channel, not from the ring */
	struct ring_view view;
	uint32_t bytes;			/* of all sub-buffers */
	int overwrite;
	/* as of one instant; packets have numbers */
	uint64_t first;			/* the oldest intact packet */
	uint64_t current;		/* the open packet */
	uint32_t used;			/* bytes used of its sub-buffer */
	uint64_t held;			/* events in first .. current */
	uint64_t written;		/* events ever */
	uint64_t lost;
};

/* Opens ring `number` of a channel. Returns 0, or -ENOENT if there is none. */
int frame_ring_open(struct frame_ring *r, const struct channel *channel,
		    uint32_t number);

/* Looks at the ring, while the writer may go on. Returns 0; or -EBADMSG when
 * the ring is damaged, or the writer was too fast too often: then all counts
 * are 0. */
int frame_ring_look(struct frame_ring *r);

/* The events of a packet, and the range of their clock values. */
struct frame_packet {
	const uint8_t *p;
	const uint8_t *end;
	uint64_t clock_begin;
	uint64_t clock_end;
};

/* Finds packet `number` of first .. current, in a ring that no thread writes.
 * Returns 0 or -EBADMSG. */
int frame_ring_packet(const struct frame_ring *r, uint64_t number,
		      struct frame_packet *packet);

#endif

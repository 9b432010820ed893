/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A ring that a writer may be writing, as a reader sees it: which packets it
 * holds, and how many events were written. For readers in the process that
 * writes the ring, and in the command.
 *
 * Packets are numbered from 0 without a gap, and number n lies in sub-buffer n
 * mod nsub. `head` is in the current, open packet; the packets before it are
 * closed. In discard mode the writer takes no sub-buffer that is not read yet.
 * In overwrite mode it takes the oldest one, so events that were read count
 * only if the writer had not taken the sub-buffer by then.
 *
 * Invariant: sizes come from the view, which the owner has checked; every word
 * of the ring is read once, and checked.
 */
#ifndef BUFFERS_RING_VIEW_H
#define BUFFERS_RING_VIEW_H

#include <stdbool.h>

#include "buffers/layout.h"

#define CTF_HEAD_BYTES	(PACKET_HEAD_BYTES - PACKET_PRIVATE_BYTES)

/* How often to look at a ring whose writer comes round meanwhile. */
#define RING_LOOKS	1000

struct ring_view {
	const struct ring *ring;
	uint32_t sub_bytes;
	uint32_t nsub;
	uint64_t instance;
	uint32_t uuid_bytes;		/* 16; 0: `uuid` is not asked for */
	uint8_t uuid[16];
};

/* The counts of a ring at one instant. */
struct ring_count {
	uint64_t committed;		/* events ever written into it */
	uint64_t before;		/* those before the open packet */
	uint64_t lost;
	uint64_t current;		/* number of the open packet */
	uint32_t used;			/* bytes of the sub-buffer in use */
};

static inline const char *ring_slot(const struct ring_view *view,
				    uint64_t number)
{
	return (const char *)view->ring + RING_DATA_OFFSET +
	       (number & (view->nsub - 1)) * view->sub_bytes;
}

/*
 * Looks once. Returns 0; -EAGAIN when the writer has come round meanwhile;
 * -EBADMSG when the ring makes no sense. All counts are 0 before the ring's
 * first packet, and after an error. Any thread.
 */
int ring_look(const struct ring_view *view, struct ring_count *count);

/* Returns by how many packets the head has moved on since packet `number` was
 * the open one. Loads before this call come before the load of the head. */
uint32_t ring_moved(const struct ring_view *view, uint64_t number);

/* Reads the head of packet `number`, which is aligned to 8 bytes. The result
 * counts only if the packet is still there. */
void ring_head_read(const struct ring_view *view, uint64_t number,
		    struct packet_head *head);

/* Returns true if this is the head of packet `number` of this ring. */
bool ring_head_belongs(const struct ring_view *view,
		       const struct packet_head *head, uint64_t number);

/* Returns true if the sizes and times in a closed packet's copied head can be
 * true. */
bool ring_head_closed(const struct ring_view *view,
		      const struct packet_head *head);

/* Returns the oldest packet that may still be there at `count`. */
uint64_t ring_oldest(const struct ring_view *view,
		     const struct ring_count *count);

/* Finds the first packet that no reader has given back. Returns false when the
 * tail is impossible, else 1. */
bool ring_unread(const struct ring_view *view, const struct ring_count *count,
		 uint64_t *number);

#endif

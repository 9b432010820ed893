/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the files that read rings: ring.c counts and empties them, copy.c
 * copies them.
 */
#ifndef BUFFERS_READER_PRIVATE_H
#define BUFFERS_READER_PRIVATE_H

#include "buffers/reader/reader.h"

/* The writer may lap a reader that sleeps: how often it is read again. */
#define COPY_TRIES	20

/* Finds the events of a packet whose head is at `at`, behind the first `from`
 * bytes of the packet. */
static inline void packet_set_events(struct packet *packet, const char *at,
				     uint32_t from)
{
	packet->events = at + from;
	packet->event_bytes = (uint32_t)(packet->head.content_size / 8) +
			      PACKET_PRIVATE_BYTES - from;
}

/* Marks a ring that made no sense. Returns -EBADMSG. */
int ring_broken(struct ring_reader *ring);

/* Finds the first packet not yet taken, from the tail. Returns false when the
 * tail makes no sense. */
bool ring_place(struct ring_reader *ring, const struct ring_count *count);

/* Completes the copied head of an open packet at `at`, for the events behind
 * the first `from` bytes. */
int ring_finish(const struct packet_format *format, struct packet *packet,
		const char *at, uint32_t from, const struct ring_count *count);

/* Returns whether packet `number` is still in the sub-buffer. */
bool ring_still_there(const struct ring_reader *ring, uint64_t number);

/* Reads the events before packet `number`. Returns false when the packet is not
 * there any more, or not yet complete. */
bool ring_events_before(const struct ring_reader *ring, uint64_t number,
			uint64_t *events);

#endif

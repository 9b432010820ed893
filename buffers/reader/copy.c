/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copies rings without changing them, in either mode, while writers go on.
 *
 * What must stay true here: the copy of a packet counts only if the writer had
 * not taken its sub-buffer when the copy was complete (PACKET-NUMBER).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "buffers/reader/private.h"

static char *copied(const struct ring_copy *copy, uint64_t number)
{
	const struct ring_reader *ring = copy->ring;

	return copy->data + (number & (ring->nsub - 1)) * ring->sub_bytes;
}

/* Copies the oldest packet first. Drops a packet that was lapped before its
 * copy was complete, and all packets before it: a gap would be read as
 * losses. */
static void copy_packets(struct ring_copy *copy)
{
	const struct ring_reader *ring = copy->ring;
	uint64_t current = copy->count.current;
	uint64_t number;

	for (number = copy->first; number <= current; number++) {
		size_t bytes = number == current ? copy->count.used
						 : ring->sub_bytes;

		memcpy(copied(copy, number), ring_slot(ring, number), bytes);
		if (!ring_still_there(ring, number))
			copy->first = number + 1;
	}
}

/* In discard mode, the events before the first packet that was not taken have
 * all been taken: none is overwritten. */
static uint64_t events_taken(const struct ring_reader *ring,
			     const struct ring_count *count, uint64_t first)
{
	uint64_t events;

	return ring_events_before(ring, first, &events) &&
	       events <= count->committed ? events : 0;
}

/* Counts and copies the ring once. Returns as ring_copy_make(). */
static int copy_once(struct ring_copy *copy)
{
	struct ring_reader *ring = copy->ring;
	struct ring_count *count = &copy->count;
	int ret = ring_count(ring, count);

	if (ret || !count->used)
		return ret;
	copy->first = ring_oldest(ring, count);
	copy->taken = 0;
	if (!ring->peek && !(ring->flags & SESSION_OVERWRITE) &&
	    ring_place(ring, count)) {
		copy->first = ring->next;
		copy->taken = events_taken(ring, count, copy->first);
	}
	copy_packets(copy);
	return 1;
}

void ring_copy_free(struct ring_copy *copy)
{
	free(copy->data);
	copy->data = NULL;
}

int ring_copy_make(struct ring_copy *copy, struct ring_reader *ring)
{
	int tries = 0;
	int ret;

	memset(copy, 0, sizeof(*copy));
	copy->ring = ring;
	copy->data = malloc(ring->ring_bytes);
	if (!copy->data)
		return -ENOMEM;
	/* the reader may have slept while the writer lapped the whole ring */
	do
		ret = copy_once(copy);
	while (ret > 0 && copy->first > copy->count.current &&
	       ++tries < COPY_TRIES);
	if (ret <= 0)
		ring_copy_free(copy);
	return ret;
}

/*
 * Takes a closed packet out of the copy. The writer may have been changing the
 * head of the oldest packet (it opens a packet before it moves `head` there),
 * or was killed there: only a head that agrees with its events is accepted.
 */
static bool closed_packet(const struct ring_copy *copy,
			  const struct packet_format *format, uint64_t number,
			  struct packet *packet)
{
	const char *at = copied(copy, number);
	struct packet_walk walk;

	memcpy(&packet->head, at, sizeof(packet->head));
	if (!ring_head_belongs(copy->ring, &packet->head, number) ||
	    !ring_head_closed(copy->ring, &packet->head))
		return false;
	packet_set_events(packet, at);
	if (packet_walk(format, packet->head.timestamp_begin, packet->events,
			packet->event_bytes, &walk) ||
	    walk.last > packet->head.timestamp_end)
		return false;
	packet->count = walk.count;
	return true;
}

/* Passes on the consistent part of the copy's open packet. */
static int give_open(const struct ring_copy *copy,
		     const struct packet_format *format, packet_call *call,
		     void *priv)
{
	const char *at = copied(copy, copy->count.current);
	struct packet packet;
	int bad;
	int ret = 0;

	memcpy(&packet.head, at, sizeof(packet.head));
	if (!ring_head_belongs(copy->ring, &packet.head, copy->count.current))
		return -EBADMSG;
	bad = ring_finish(format, &packet, at, &copy->count);
	if (packet.count || packet.head.events_discarded)
		ret = call(&packet, priv);
	return ret ? ret : bad;
}

int ring_copy_each(const struct ring_copy *copy,
		   const struct packet_format *format, packet_call *call,
		   void *priv)
{
	uint64_t number = copy->first;
	struct packet packet;
	int ret = 0;

	for (; !ret && number < copy->count.current; number++) {
		if (closed_packet(copy, format, number, &packet))
			ret = call(&packet, priv);
		else if (number != copy->first)
			return -EBADMSG;
	}
	if (ret || number > copy->count.current)
		return ret;
	return give_open(copy, format, call, priv);
}

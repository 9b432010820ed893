/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copies rings without changing them, in either mode, while writers go on.
 *
 * Invariant: the copy of a packet counts only if the writer had not taken the
 * sub-buffer when the copy was complete (PACKET-NUMBER).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "buffers/reader/private.h"

static char *packet_copy(const struct ring_copy *copy, uint64_t number)
{
	return copy->data + (number - copy->base) * copy->ring->view.sub_bytes;
}

static void copy_packet(const struct ring_copy *copy, uint64_t number,
			uint32_t to)
{
	const char *at = ring_slot(&copy->ring->view, number);
	uint32_t from = number == copy->first ? copy->from : 0;

	if (from)
		memcpy(packet_copy(copy, number), at, PACKET_HEAD_BYTES);
	memcpy(packet_copy(copy, number) + from, at + from, to - from);
}

/* Copies the oldest packet first. Drops a packet that was lapped before the
 * copy was complete, and all packets before it: a gap would be read as losses.
 */
static void copy_packets(struct ring_copy *copy)
{
	const struct ring_reader *ring = copy->ring;
	uint64_t current = copy->count.current;

	for (uint64_t number = copy->first; number <= current; number++) {
		copy_packet(copy, number,
			    number == current ? copy->count.used :
						ring->view.sub_bytes);
		if (ring_still_there(ring, number))
			continue;
		copy->first = number + 1;
		copy->from = 0;
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

/* Begins at the mark, if that is still there. Returns 1, 0: nothing is new, or
 * -EBADMSG: it was never there. */
static int begin_at(struct ring_copy *copy)
{
	const struct ring_count *count = &copy->count;
	const struct ring_mark *mark = copy->mark;

	if (mark->number > count->current ||
	    (mark->number == count->current && mark->used > count->used))
		return ring_broken(copy->ring);
	if (mark->number == count->current && mark->used == count->used &&
	    mark->lost == count->lost)
		return 0;
	if (mark->number >= copy->first) {
		copy->first = mark->number;
		copy->from = mark->used;
	}
	return 1;
}

/* Makes room for all packets from the first on. */
static int need_room(struct ring_copy *copy)
{
	size_t room = (size_t)(copy->count.current + 1 - copy->first) *
		      copy->ring->view.sub_bytes;
	char *more = room > copy->room ? realloc(copy->data, room) : copy->data;

	if (!more)
		return -ENOMEM;
	copy->data = more;
	copy->room = room > copy->room ? room : copy->room;
	copy->base = copy->first;
	return 1;
}

/* Counts and copies the ring once. Returns as ring_copy_make(). */
static int copy_once(struct ring_copy *copy)
{
	struct ring_reader *ring = copy->ring;
	struct ring_count *count = &copy->count;
	int ret = ring_count(ring, count);

	if (ret || !count->used)
		return ret;
	copy->first = ring_oldest(&ring->view, count);
	copy->from = 0;
	copy->taken = 0;
	if (copy->mark && copy->mark->known) {
		ret = begin_at(copy);
		if (ret <= 0)
			return ret;
	} else if (!ring->peek && !(ring->flags & SESSION_OVERWRITE) &&
		   ring_place(ring, count)) {
		copy->first = ring->next;
		copy->taken = events_taken(ring, count, copy->first);
	}
	ret = need_room(copy);
	if (ret > 0)
		copy_packets(copy);
	return ret;
}

void ring_copy_free(struct ring_copy *copy)
{
	free(copy->data);
	copy->data = NULL;
}

int ring_copy_more(struct ring_copy *copy, struct ring_reader *ring,
		   struct ring_mark *mark)
{
	int tries = 0;
	int ret;

	memset(copy, 0, sizeof(*copy));
	copy->ring = ring;
	copy->mark = mark;
	/* the reader may have slept while the writer lapped the whole ring */
	do
		ret = copy_once(copy);
	while (ret > 0 && copy->first > copy->count.current &&
	       ++tries < COPY_TRIES);
	if (ret <= 0)
		ring_copy_free(copy);
	return ret;
}

int ring_copy_make(struct ring_copy *copy, struct ring_reader *ring)
{
	return ring_copy_more(copy, ring, NULL);
}

/* Takes the head of a packet, as the mark leaves it, and counts the events that
 * were overwritten before it. Returns where the events begin. */
static uint32_t take_head(const struct ring_copy *copy, uint64_t number,
			  struct packet *packet)
{
	const struct ring_mark *mark = copy->mark;
	uint32_t from = number == copy->first ? copy->from : 0;

	memset(packet, 0, sizeof(*packet));
	memcpy(&packet->head, packet_copy(copy, number), sizeof(packet->head));
	if (from) {
		packet->head.timestamp_begin = mark->clock;
		packet->writer = mark->writer;
	} else if (mark && mark->known &&
		 packet->head.events_before > mark->events) {
		packet->missed = packet->head.events_before - mark->events;
	}
	return from ? from : PACKET_HEAD_BYTES;
}

/* Gives a packet to the caller, unless it has nothing new, and moves the mark
 * behind it. */
static int packet_give(const struct ring_copy *copy,
		       const struct packet *packet, bool anyway,
		       packet_call *call, void *priv)
{
	const struct packet_head *head = &packet->head;
	struct ring_mark *mark = copy->mark;
	bool whole = !mark || !mark->known || head->packet_seq_num !=
						      mark->number;
	bool wanted = packet->count || packet->missed;

	if (!mark || !mark->known)
		wanted = wanted || anyway;
	else
		wanted = wanted || head->events_discarded > mark->lost;
	if (mark) {
		mark->events = (whole ? head->events_before : mark->events) +
			       packet->count;
		mark->known = true;
		mark->number = head->packet_seq_num;
		mark->used = (uint32_t)(head->content_size / 8) +
			     PACKET_PRIVATE_BYTES;
		mark->clock = head->timestamp_end;
		mark->lost = head->events_discarded;
		mark->writer = packet->last;
	}
	return wanted ? call(packet, priv) : 0;
}

/*
 * Takes a closed packet out of the copy. The writer may have been changing the
 * head of the oldest packet (it opens a packet before it moves `head` there),
 * or was killed there: only a head that agrees with the events is accepted.
 */
static bool closed_packet(const struct ring_copy *copy,
			  const struct packet_format *format, uint64_t number,
			  struct packet *packet)
{
	uint32_t from = take_head(copy, number, packet);
	struct packet_walk walk;

	if (!ring_head_belongs(&copy->ring->view, &packet->head, number) ||
	    !ring_head_closed(&copy->ring->view, &packet->head) ||
	    packet->head.content_size / 8 + PACKET_PRIVATE_BYTES < from)
		return false;
	packet_set_events(packet, packet_copy(copy, number), from);
	if (packet_walk(format, packet->head.timestamp_begin, packet->events,
			packet->event_bytes, &walk) ||
	    walk.last > packet->head.timestamp_end)
		return false;
	packet->count = walk.count;
	packet->records = walk.records;
	packet->last = walk.records ? walk.writer : packet->writer;
	return true;
}

/* Passes on the consistent part of the copy's open packet. */
static int give_open(const struct ring_copy *copy,
		     const struct packet_format *format, packet_call *call,
		     void *priv)
{
	uint64_t number = copy->count.current;
	struct packet packet;
	uint32_t from = take_head(copy, number, &packet);
	int bad, ret;

	if (!ring_head_belongs(&copy->ring->view, &packet.head, number))
		return -EBADMSG;
	bad = ring_finish(format, &packet, packet_copy(copy, number), from,
			  &copy->count);
	ret = packet_give(copy, &packet, packet.head.events_discarded, call,
			  priv);
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
			ret = packet_give(copy, &packet, true, call, priv);
		else if (number != copy->first)
			return -EBADMSG;
	}
	if (ret || number > copy->count.current)
		return ret;
	return give_open(copy, format, call, priv);
}

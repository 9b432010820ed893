/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Looks at a ring in the process that writes it: which packets it holds, and
 * how many events are in them.
 *
 * Invariant: the sizes of the ring come from the channel, where a stray store
 * into the ring does not change them (buffers/ring-view.h).
 */
#include "tracepoints/frames/frames-ring.h"

#include <errno.h>

#include "base/base.h"

int frame_ring_open(struct frame_ring *r, const struct channel *channel,
		    uint32_t number)
{
	const struct ring *ring = NULL;
	uint32_t k = number - CHANNEL_CPUS_MAX;

	if (number < CHANNEL_CPUS_MAX && number < channel->cpus)
		ring = load_acquire(&channel->rings->tab[number], CPU_RING);
	else if (number >= CHANNEL_CPUS_MAX && k < LOCKED_MAX)
		ring = load_acquire(&channel->locked[k], LOCKED_RING);
	if (!ring || ring == &ring_absent)
		return -ENOENT;
	__builtin_memset(r, 0, sizeof(*r));
	r->view.ring = ring;
	r->view.instance = number < CHANNEL_CPUS_MAX ?
			   number + channel->replacements * RING_STRIDE :
			   number;
	r->view.nsub = RING_SUB_BUFFERS;
	r->bytes = number < CHANNEL_CPUS_MAX ?
			   channel->ring_bytes :
			   channel_locked_bytes(channel, k);
	r->view.sub_bytes = r->bytes / RING_SUB_BUFFERS;
	r->overwrite = !!(channel->flags & SESSION_OVERWRITE);
	return 0;
}

/*
 * Returns the events before packet `number`, which is not the open one; ~0 when
 * the packet is not intact. A switch that was given up has written into the
 * oldest head, first the number of the coming packet (PACKET-NUMBER).
 */
static uint64_t events_before(const struct frame_ring *r, uint64_t number)
{
	struct packet_head head __attribute__((aligned(8)));
	struct packet_head follower __attribute__((aligned(8)));

	ring_head_read(&r->view, number, &head);
	ring_head_read(&r->view, number + 1, &follower);
	if (!ring_head_belongs(&r->view, &head, number) ||
	    !ring_head_closed(&r->view, &head) ||
	    head.events_before > follower.events_before)
		return ~0ull;
	return head.events_before;
}

/* Looks once. Returns -EAGAIN when the writer has come round meanwhile. */
static int look_once(struct frame_ring *r)
{
	struct ring_count count;
	uint64_t before, number;
	int ret = ring_look(&r->view, &count);

	if (ret)
		return ret;
	if (!count.used)
		return -EBADMSG;	/* a ring begins with a packet */
	before = count.before;
	r->first = !r->overwrite && ring_unread(&r->view, &count, &number) ?
			   number : ring_oldest(&r->view, &count);
	for (; r->first < count.current; r->first++) {
		before = events_before(r, r->first);
		if (before <= count.before)
			break;
		before = count.before;
	}
	r->current = count.current;
	r->used = count.used;
	r->held = count.committed - before;
	r->written = count.committed;
	r->lost = count.lost;
	return r->current - r->first + ring_moved(&r->view, r->current) >=
			       r->view.nsub ? -EAGAIN : 0;
}

int frame_ring_look(struct frame_ring *r)
{
	int ret = -EAGAIN;

	for (int tries = 0; ret == -EAGAIN && tries < RING_LOOKS; tries++)
		ret = look_once(r);
	if (!ret)
		return 0;
	r->held = r->written = r->lost = 0;
	return -EBADMSG;
}

int frame_ring_packet(const struct frame_ring *r, uint64_t number,
		      struct frame_packet *packet)
{
	const uint8_t *at = (const uint8_t *)ring_slot(&r->view, number);
	struct packet_head head __attribute__((aligned(8)));

	ring_head_read(&r->view, number, &head);
	if (!ring_head_belongs(&r->view, &head, number))
		return -EBADMSG;
	packet->p = at + PACKET_HEAD_BYTES;
	packet->end = at + r->used;
	packet->clock_begin = head.timestamp_begin;
	packet->clock_end = ~0ull;
	if (number == r->current)
		return 0;
	if (!ring_head_closed(&r->view, &head))
		return -EBADMSG;
	packet->end = at + PACKET_PRIVATE_BYTES + head.content_size / 8;
	packet->clock_end = head.timestamp_end;
	return 0;
}

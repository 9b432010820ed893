/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Looks at a ring in the process that writes it: which packets it holds, and
 * how many events are in them.
 *
 * Packets are numbered from 0 without a gap, and number n lies in sub-buffer
 * n mod nsub. `head` is in the current, open packet; the packets before it are
 * closed. In overwrite mode the writer reuses the oldest sub-buffer: data read
 * from it counts only if the writer had not begun to do so.
 *
 * What must stay true here: the sizes of the ring come from the channel, where
 * a stray store into the ring does not change them. Every word of the ring is
 * read once and checked.
 */
#include "tracepoints/frames/frames-ring.h"

#include <errno.h>

#include "buffers/ctf.h"

#define LOOK_TRIES	1000
#define CTF_HEAD_BYTES	(PACKET_HEAD_BYTES - PACKET_PRIVATE_BYTES)

_Static_assert(PACKET_HEAD_BYTES % 8 == 0, "heads are read word by word");

typedef uint64_t __attribute__((may_alias)) word;

/*
 * Reads words that a thread may be writing, each once: the result counts only
 * when packets_since() says so. The race is intended; the thread sanitizer must
 * not report it.
 */
static __attribute__((noinline, no_sanitize("thread")))
void words_read(void *to, const void *from, size_t bytes)
{
	const volatile word *p = from;
	word *out = to;
	size_t i;

	for (i = 0; i < bytes / sizeof(*p); i++)
		out[i] = p[i];
}

static const uint8_t *slot(const struct frame_ring *r, uint64_t number)
{
	return (const uint8_t *)r->ring + RING_DATA_OFFSET +
	       (number & (r->nsub - 1)) * r->sub_bytes;
}

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
	r->ring = ring;
	r->instance = number;
	r->bytes = number < CHANNEL_CPUS_MAX ?
			   channel->ring_bytes :
			   channel_locked_bytes(channel, k);
	r->nsub = RING_SUB_BUFFERS;
	r->sub_bytes = r->bytes / RING_SUB_BUFFERS;
	r->overwrite = !!(channel->flags & SESSION_OVERWRITE);
	return 0;
}

/* Returns whether this is the head of packet `number` of this ring. */
static int head_belongs(const struct frame_ring *r,
			const struct packet_head *head, uint64_t number)
{
	return head->magic == CTF_PACKET_MAGIC && !head->stream_id &&
	       head->packet_seq_num == number &&
	       head->stream_instance_id == r->instance;
}

/* Returns whether the sizes and times of a copied head are possible for a
 * closed packet. */
static int head_closed(const struct frame_ring *r,
		       const struct packet_head *head)
{
	return head->content_size == head->packet_size &&
	       !(head->content_size & 7) &&
	       head->content_size / 8 >= CTF_HEAD_BYTES &&
	       head->content_size / 8 <= r->sub_bytes - PACKET_PRIVATE_BYTES &&
	       head->timestamp_begin <= head->timestamp_end;
}

/* Returns the position of the open packet's first byte; stores the bytes used
 * in it. */
static uint32_t open_start(const struct frame_ring *r, uint64_t head,
			   uint32_t *used)
{
	uint32_t position = RING_POSITION(head);

	*used = position & (r->sub_bytes - 1);
	if (!*used)
		*used = r->sub_bytes;	/* full to the last byte */
	return position - *used;
}

/* Returns by how many packets the head has moved on since the packet at
 * `start`. */
static uint32_t packets_since(const struct frame_ring *r, uint32_t start)
{
	uint32_t used;
	uint64_t head;

	/* RING-HEAD: earlier reads must not move below this load, or a packet
	 * head that was written meanwhile would pass as intact */
	__atomic_thread_fence(ACQUIRE(RING_HEAD));
	head = load_acquire(&r->ring->head, RING_HEAD);
	return (open_start(r, head, &used) - start) / r->sub_bytes;
}

/* Returns the oldest packet that may still be in the ring. */
static uint64_t oldest(const struct frame_ring *r)
{
	uint64_t first = r->current + 1 > r->nsub ? r->current + 1 - r->nsub :
						    0;
	uint32_t behind;

	if (r->overwrite)
		return first;
	behind = (uint32_t)(r->current * r->sub_bytes) -
		 (uint32_t)load_relaxed(&r->ring->tail);
	if (behind % r->sub_bytes ||
	    behind / r->sub_bytes > r->current - first)
		return first;	/* the tail is impossible */
	return r->current - behind / r->sub_bytes;
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

	words_read(&head, slot(r, number), sizeof(head));
	words_read(&follower, slot(r, number + 1), sizeof(follower));
	if (!head_belongs(r, &head, number) || !head_closed(r, &head) ||
	    head.events_before > follower.events_before)
		return ~0ull;
	return head.events_before;
}

/* Looks once. Returns -EAGAIN when the writer has come round meanwhile. */
static int look_once(struct frame_ring *r)
{
	struct packet_head open __attribute__((aligned(8)));
	uint64_t before;
	uint64_t lost;
	uint64_t head;
	uint32_t start;

	/* may be read before `head` or after it: it is not compared with the
	 * packets' own counts of lost events */
	words_read(&lost, &r->ring->lost, sizeof(lost));
	/* RING-HEAD: everything below the head was stored before it; without
	 * the order this could read what was there before */
	head = load_acquire(&r->ring->head, RING_HEAD);
	start = open_start(r, head, &r->used);
	words_read(&open, slot(r, start / r->sub_bytes), sizeof(open));
	if (packets_since(r, start) + 1 >= r->nsub)
		return -EAGAIN;
	if (r->used < PACKET_HEAD_BYTES ||
	    (uint32_t)(open.packet_seq_num * r->sub_bytes) != start ||
	    !head_belongs(r, &open, open.packet_seq_num))
		return -EBADMSG;
	r->current = open.packet_seq_num;
	before = open.events_before;
	r->written = before + (uint32_t)(RING_EVENTS(head) - (uint32_t)before);
	for (r->first = oldest(r); r->first < r->current; r->first++) {
		before = events_before(r, r->first);
		if (before <= open.events_before)
			break;
		before = open.events_before;
	}
	r->held = r->written - before;
	r->lost = lost;
	return r->current - r->first + packets_since(r, start) >= r->nsub ?
		       -EAGAIN :
		       0;
}

int frame_ring_look(struct frame_ring *r)
{
	int ret = -EAGAIN;
	int tries;

	for (tries = 0; ret == -EAGAIN && tries < LOOK_TRIES; tries++)
		ret = look_once(r);
	if (!ret)
		return 0;
	r->held = r->written = r->lost = 0;
	return -EBADMSG;
}

int frame_ring_packet(const struct frame_ring *r, uint64_t number,
		      struct frame_packet *packet)
{
	const uint8_t *at = slot(r, number);
	struct packet_head head __attribute__((aligned(8)));

	words_read(&head, at, sizeof(head));
	if (!head_belongs(r, &head, number))
		return -EBADMSG;
	packet->p = at + PACKET_HEAD_BYTES;
	packet->end = at + r->used;
	packet->clock_begin = head.timestamp_begin;
	packet->clock_end = ~0ull;
	if (number == r->current)
		return 0;
	if (!head_closed(r, &head))
		return -EBADMSG;
	packet->end = at + PACKET_PRIVATE_BYTES + head.content_size / 8;
	packet->clock_end = head.timestamp_end;
	return 0;
}

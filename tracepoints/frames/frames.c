/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The index over the frames of a channel, and the blocks of a frame.
 *
 * Each ring is in the order of the clock already. The index is made in two
 * walks over the rings: one counts the frames, the other merges the rings into
 * an array of that size, with a heap of the rings' next frames.
 *
 * Invariant: the walk ends for any contents of the rings, and no load leaves
 * the sub-buffer that it is in. A stray store costs no more than the packet it
 * hit: no packet is needed to read another.
 */
#include "tracepoints/frames/frames.h"

#include <errno.h>

#include "base/sys.h"
#include "buffers/cursor.h"
#include "tracepoints/frames/collect.h"
#include "tracepoints/frames/frames-ring.h"
#include "tracepoints/program/snapshot.h"

/* A frame event, after header and contexts; the blocks follow. */
struct frame_fixed {
	uint32_t tracepoint;
	int32_t tid;
	uint32_t bytes;			/* of address and blocks */
	uint64_t address;
} __attribute__((packed));

#define ADDRESS_BYTES	8u

struct entry {
	uint64_t clock;
	uint32_t offset;		/* of its struct frame_fixed */
	uint32_t stream;
};

_Static_assert(sizeof(struct entry) == 16, "what frames.h says");

/* A walk over a ring. */
struct stream {
	struct frame_ring ring;
	const uint8_t *data;		/* its sub-buffers */
	struct cursor at;		/* in the packet before `next` */
	uint64_t next;			/* packet to enter next */
	uint64_t clock_end;		/* of the packet */
	uint64_t clock;			/* of the frame found last */
	uint32_t offset;		/* of that frame */
};

struct frames {
	uint64_t bytes;			/* of this mapping */
	uint64_t entry_bytes;		/* of the mapping of `entries` */
	struct entry *entries;
	uint32_t count;
	uint32_t id;
	enum cursor_kind kind;
	uint32_t context_bytes;
	uint32_t nstreams;
	uint32_t nheap;
	uint16_t heap[FRAME_RINGS_MAX];	/* of streams, the earliest first */
	struct stream streams[];
};

/* Takes the event at the cursor. Returns 0, or a negative errno when it is no
 * frame. */
static int event_take(const struct frames *frames, struct stream *s)
{
	struct frame_fixed fixed;
	int ret = cursor_header(&s->at, frames->kind);

	if (ret)
		return ret;
	if (s->at.id != frames->id || s->at.clock < s->clock ||
	    s->at.clock > s->clock_end)
		return -EBADMSG;
	ret = cursor_skip(&s->at, frames->context_bytes);
	if (ret || cursor_room(&s->at) < sizeof(fixed))
		return -EBADMSG;
	__builtin_memcpy(&fixed, s->at.p, sizeof(fixed));
	s->offset = (uint32_t)(s->at.p - s->data);
	if (fixed.bytes < ADDRESS_BYTES)
		return -EBADMSG;
	ret = cursor_skip(&s->at, sizeof(fixed) - ADDRESS_BYTES +
					  (uint64_t)fixed.bytes);
	if (ret)
		return ret;
	s->clock = s->at.clock;
	return 0;
}

/* Goes on to the next frame of a ring. Returns false when there is none. */
static bool stream_next(const struct frames *frames, struct stream *s)
{
	struct frame_packet packet;

	for (;;) {
		if (s->at.p < s->at.end && !event_take(frames, s))
			return true;
		s->at.p = s->at.end;
		if (s->next > s->ring.current)
			return false;
		if (frame_ring_packet(&s->ring, s->next++, &packet) ||
		    packet.clock_begin < s->clock)
			continue;
		s->at.p = packet.p;
		s->at.end = packet.end;
		s->at.clock = packet.clock_begin;
		s->clock_end = packet.clock_end;
	}
}

/* Goes to the first frame of a ring. Returns false when there is none. */
static bool stream_rewind(const struct frames *frames, struct stream *s)
{
	s->at.p = s->at.end = NULL;
	s->clock = 0;
	if (frame_ring_look(&s->ring))
		return false;
	s->next = s->ring.first;
	return stream_next(frames, s);
}

/* Compares the next frames of two rings. At the same clock, the ring with the
 * lower number is earlier. */
static bool frame_precedes(const struct frames *frames, uint32_t a, uint32_t b)
{
	uint64_t clock_a = frames->streams[frames->heap[a]].clock;
	uint64_t clock_b = frames->streams[frames->heap[b]].clock;

	return clock_a != clock_b ? clock_a < clock_b :
				    frames->heap[a] < frames->heap[b];
}

/* Moves the ring at i down the heap, below every ring whose next frame is
 * earlier. */
static void heap_sink(struct frames *frames, uint32_t i)
{
	for (;;) {
		uint32_t child = 2 * i + 1;
		uint16_t swap;

		if (child >= frames->nheap)
			return;
		if (child + 1 < frames->nheap &&
		    frame_precedes(frames, child + 1, child))
			child++;
		if (!frame_precedes(frames, child, i))
			return;
		swap = frames->heap[i];
		frames->heap[i] = frames->heap[child];
		frames->heap[child] = swap;
		i = child;
	}
}

/* Fills the index with the frames of all rings, by their clock. `room` bounds
 * it: the count was made earlier. */
static void rings_merge(struct frames *frames, uint32_t room)
{
	frames->nheap = 0;
	for (uint32_t i = 0; i < frames->nstreams; i++)
		if (stream_rewind(frames, &frames->streams[i]))
			frames->heap[frames->nheap++] = (uint16_t)i;
	for (uint32_t i = frames->nheap / 2; i-- > 0;)
		heap_sink(frames, i);
	while (frames->nheap && frames->count < room) {
		uint32_t first = frames->heap[0];
		struct stream *s = &frames->streams[first];

		frames->entries[frames->count++] =
			(struct entry){ s->clock, s->offset, first };
		if (!stream_next(frames, s))
			frames->heap[0] = frames->heap[--frames->nheap];
		heap_sink(frames, 0);
	}
}

struct frames *frames_open(const struct channel *channel, uint32_t id)
{
	int context_bytes = cursor_context_bytes(channel->contexts);
	struct frame_ring ring;
	struct frames *frames;
	uint64_t count = 0;
	uint64_t bytes;
	uint32_t n = 0;
	bool more;

	/* a stream for each ring that exists */
	for (uint32_t i = 0; i < FRAME_RINGS_MAX; i++)
		n += !frame_ring_open(&ring, channel, i);
	bytes = sizeof(*frames) + n * sizeof(frames->streams[0]);
	frames = sys_map_anonymous(bytes);
	if (!frames)
		return NULL;
	frames->bytes = bytes;
	for (uint32_t i = 0; i < FRAME_RINGS_MAX && frames->nstreams < n; i++) {
		struct stream *s = &frames->streams[frames->nstreams];

		if (frame_ring_open(&s->ring, channel, i))
			continue;
		s->data = (const uint8_t *)s->ring.view.ring + RING_DATA_OFFSET;
		frames->nstreams++;
	}
	frames->id = id;
	frames->kind = cursor_kind(channel->flags);
	if (context_bytes < 0)
		return frames;
	frames->context_bytes = (uint32_t)context_bytes;
	for (uint32_t i = 0; i < frames->nstreams; i++) {
		struct stream *s = &frames->streams[i];

		for (more = stream_rewind(frames, s); more;
		     more = stream_next(frames, s))
			count++;
	}
	/* gdb counts frames in an int */
	count = min_u64(count, INT32_MAX);
	if (!count)
		return frames;
	frames->entry_bytes = count * sizeof(struct entry);
	frames->entries = sys_map_anonymous(frames->entry_bytes);
	if (!frames->entries) {
		frames_close(frames);
		return NULL;
	}
	rings_merge(frames, (uint32_t)count);
	return frames;
}

void frames_close(struct frames *frames)
{
	if (frames->entries)
		sys_munmap(frames->entries, frames->entry_bytes);
	sys_munmap(frames, frames->bytes);
}

uint32_t frames_count(const struct frames *frames)
{
	return frames->count;
}

int frames_get(const struct frames *frames, uint32_t n, struct frame *frame)
{
	const struct entry *entry = &frames->entries[n];
	const struct stream *s;
	struct frame_fixed fixed;
	uint32_t sub_bytes, room;

	if (n >= frames->count)
		return -ENOENT;
	s = &frames->streams[entry->stream];
	sub_bytes = s->ring.view.sub_bytes;
	room = sub_bytes - (entry->offset & (sub_bytes - 1)) - sizeof(fixed);
	__builtin_memcpy(&fixed, s->data + entry->offset, sizeof(fixed));
	frame->clock = entry->clock;
	frame->tracepoint = fixed.tracepoint;
	frame->tid = fixed.tid;
	frame->address = fixed.address;
	frame->blocks = s->data + entry->offset + sizeof(fixed);
	/* a stray store may have changed it since it was checked */
	fixed.bytes -= ADDRESS_BYTES;
	frame->bytes = fixed.bytes <= room ? fixed.bytes : 0;
	return 0;
}

void frames_tally(const struct channel *channel, struct frames_tally *tally)
{
	struct frame_ring r;
	int ret;

	__builtin_memset(tally, 0, sizeof(*tally));
	for (uint32_t i = 0; i < FRAME_RINGS_MAX; i++) {
		if (frame_ring_open(&r, channel, i))
			continue;
		ret = frame_ring_look(&r);
		if (i >= CHANNEL_CPUS_MAX + channel->locked_full &&
		    !r.written && !r.lost)
			continue;	/* an unused spare ring */
		tally->bytes_room += r.bytes;
		if (ret)
			continue;
		tally->held += r.held;
		tally->written += r.written;
		tally->lost += r.lost;
		if (r.lost && !tally->nfull++)
			tally->full = i;
		tally->bytes_held += (r.current - r.first) * r.view.sub_bytes +
				     r.used;
	}
	if (channel->page)
		tally->lost += load_relaxed(&channel->page->lost_unplaced);
}

/* A block whose kind is not known, or that goes on past the frame, ends the
 * walk: no length in it is believed. */
bool frame_block_next(const struct frame *frame, uint32_t *at,
		      struct frame_block *block)
{
	const uint8_t *p = frame->blocks + *at;
	uint32_t head = 1;
	uint16_t n = 0;
	uint32_t room;

	__builtin_memset(block, 0, sizeof(*block));
	if (*at >= frame->bytes)
		return false;
	room = frame->bytes - *at;
	block->start = *at;
	block->kind = *p;
	switch (block->kind) {
	case COLLECT_BLOCK_REGISTERS:
		n = REGISTERS_BLOCK_BYTES;
		break;
	case COLLECT_BLOCK_MEMORY:
		head = 1 + 8 + 2;
		if (room < head)
			return false;
		__builtin_memcpy(&block->address, p + 1, 8);
		__builtin_memcpy(&n, p + 9, 2);
		break;
	case COLLECT_BLOCK_VARIABLE:
		head = 1 + 4 + 8;
		if (room < head)
			return false;
		__builtin_memcpy(&block->variable, p + 1, 4);
		__builtin_memcpy(&block->value, p + 5, 8);
		break;
	case COLLECT_BLOCK_STATIC:
		head = 1 + 2;
		if (room < head)
			return false;
		__builtin_memcpy(&n, p + 1, 2);
		break;
	default:
		return false;
	}
	block->bytes = p + head;
	block->nbytes = n;
	if (room - head < n)
		return false;
	block->size = head + n;
	*at += block->size;
	return true;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads rings: counts, and empties one while its writer goes on (discard mode).
 * copy.c copies one without changing it.
 *
 * Packets are numbered from 0 without a gap, and number n lies in sub-buffer
 * n mod nsub. `head` is in the current, open packet; the packets before it are
 * closed. In discard mode the writer takes no sub-buffer that is not read yet.
 * In overwrite mode it takes the oldest one, and the copy of a packet counts
 * only if the writer had not taken its sub-buffer when the copy was complete.
 *
 * What must stay true here: every size, offset and number comes from a local
 * copy that was checked; a ring that once made no sense stays `broken`.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"
#include "buffers/ctf.h"
#include "buffers/reader/private.h"

#define SUB_BYTES_MIN		1024u
#define RING_BYTES_LIMIT	(1u << 31)	/* positions are mod 2^32 */
#define COUNT_TRIES		1000

static const struct ring *shared(const struct ring_reader *ring)
{
	return ring->map.address;
}

/* Returns whether the file was cut. It may be long again: then there are zeros
 * in the place of the magic. */
static bool was_cut(const struct ring_reader *ring)
{
	return load_relaxed(&shared(ring)->magic) != RING_MAGIC ||
	       map_guard_cut(ring->map.address);
}

int ring_broken(struct ring_reader *ring)
{
	ring->broken = true;
	ring->cut |= was_cut(ring);
	return -EBADMSG;
}

/* Copies the constants, then checks the copies. */
static int copy_constants(struct ring_reader *ring)
{
	struct ring page;

	/* the other constants were stored before the magic, with release */
	load_acquire(&shared(ring)->magic, RING_CONSTANTS);
	memcpy(&page, ring->map.address, sizeof(page));
	if (!page.magic)
		return -EAGAIN;
	if (page.magic != RING_MAGIC)
		return -EBADMSG;
	if (page.version != LAYOUT_VERSION)
		return -EPROTO;
	if (!is_power_of_two(page.sub_bytes) ||
	    !is_power_of_two(page.ring_bytes) ||
	    page.sub_bytes < SUB_BYTES_MIN ||
	    page.ring_bytes > RING_BYTES_LIMIT ||
	    page.ring_bytes < 2 * page.sub_bytes ||
	    page.ring_bytes > ring->map.bytes - RING_DATA_OFFSET)
		return -EBADMSG;
	ring->sub_bytes = page.sub_bytes;
	ring->ring_bytes = page.ring_bytes;
	ring->nsub = page.ring_bytes / page.sub_bytes;
	ring->flags = page.flags;
	ring->cpu = page.cpu;
	ring->instance = page.stream_instance_id;
	memcpy(ring->uuid, page.uuid, sizeof(ring->uuid));
	return 0;
}

/* Maps only the tail's page writable: a bug here cannot harm the data. */
static int map_control(struct ring_reader *ring, int imagefd, const char *path)
{
	int fd = openat(imagefd, path, O_RDWR | O_CLOEXEC | O_NOFOLLOW |
					       O_NONBLOCK | O_NOCTTY);
	void *p;
	int ret;

	if (fd < 0)
		return -errno;
	p = mmap(NULL, RING_DATA_OFFSET, PROT_READ | PROT_WRITE, MAP_SHARED,
		 fd, 0);
	ret = p == MAP_FAILED ? map_error() : 0;
	close(fd);
	if (ret)
		return ret;
	ret = map_guard_add(p, RING_DATA_OFFSET);
	if (ret) {
		munmap(p, RING_DATA_OFFSET);
		return ret;
	}
	ring->control = p;
	return 0;
}

int ring_open(struct ring_reader *ring, int imagefd, uint32_t index,
	      const char *name, bool consume)
{
	char path[48];
	int ret;

	memset(ring, 0, sizeof(*ring));
	snprintf(ring->name, sizeof(ring->name), "%s", name);
	snprintf(path, sizeof(path), "ring.%u.%s", index, name);
	ret = file_map_open_shared(&ring->map, imagefd, path,
				   RING_DATA_OFFSET, 0);
	/* a short file is not published yet: it gets its magic later */
	if (ret == -EBADMSG)
		return -EAGAIN;
	if (ret)
		return ret;
	ret = copy_constants(ring);
	if (!ret && consume)
		ret = map_control(ring, imagefd, path);
	if (ret) {
		ring_close(ring);
		return ret;
	}
	close(ring->map.fd);	/* the mapping suffices */
	ring->map.fd = -1;
	return 0;
}

void ring_close(struct ring_reader *ring)
{
	if (ring->control) {
		map_guard_remove(ring->control);
		munmap(ring->control, RING_DATA_OFFSET);
	}
	ring->control = NULL;
	file_map_close(&ring->map);
}

bool ring_head_belongs(const struct ring_reader *ring,
		       const struct packet_head *head, uint64_t number)
{
	return head->magic == CTF_PACKET_MAGIC && !head->stream_id &&
	       head->packet_seq_num == number &&
	       head->stream_instance_id == ring->instance &&
	       !memcmp(head->uuid, ring->uuid, sizeof(ring->uuid));
}

/* Returns the position of the open packet's first byte; `used` gets the bytes
 * used in it. */
static uint32_t open_start(const struct ring_reader *ring, uint64_t head,
			   uint32_t *used)
{
	uint32_t position = RING_POSITION(head);

	*used = position & (ring->sub_bytes - 1);
	if (!*used)
		*used = ring->sub_bytes;	/* full to the last byte */
	return position - *used;
}

/* Returns by how many packets the head has moved since `start`. */
static uint32_t packets_since(const struct ring_reader *ring, uint32_t start)
{
	uint32_t used;
	uint64_t head;

	/* RING-HEAD: the copy made before must not move below this load, or
	 * a sub-buffer written meanwhile would pass as intact */
	__atomic_thread_fence(ACQUIRE(RING_HEAD));
	head = load_acquire(&shared(ring)->head, RING_HEAD);
	return (open_start(ring, head, &used) - start) / ring->sub_bytes;
}

int ring_count(struct ring_reader *ring, struct ring_count *count)
{
	struct packet_head copy;
	int tries;

	memset(count, 0, sizeof(*count));
	for (tries = 0; tries < COUNT_TRIES && !ring->broken; tries++) {
		/* RING-HEAD: everything below head was stored before it */
		uint64_t head = load_acquire(&shared(ring)->head, RING_HEAD);
		uint32_t start = open_start(ring, head, &count->used);

		if (!head) {
			if (was_cut(ring))
				break;
			count->used = 0;	/* no packet yet */
			return 0;
		}
		memcpy(&copy, ring_slot(ring, start / ring->sub_bytes),
		       sizeof(copy));
		if (packets_since(ring, start) + 1 >= ring->nsub)
			continue;
		/* larger numbers would wrap as 64-bit positions */
		if (count->used < PACKET_HEAD_BYTES ||
		    copy.packet_seq_num > UINT64_MAX / ring->sub_bytes ||
		    (uint32_t)(copy.packet_seq_num * ring->sub_bytes) !=
			    start ||
		    !ring_head_belongs(ring, &copy, copy.packet_seq_num))
			break;
		/* RING-LOST: read after head, so it is no less than the number
		 * in any packet that was closed before */
		count->lost = load_relaxed(&shared(ring)->lost);
		count->current = copy.packet_seq_num;
		count->committed = copy.events_before +
				   (uint32_t)(RING_EVENTS(head) -
					      (uint32_t)copy.events_before);
		return 0;
	}
	return ring_broken(ring);
}

bool ring_head_closed(const struct ring_reader *ring,
		      const struct packet_head *head)
{
	return head->content_size == head->packet_size &&
	       !(head->content_size & 7) &&
	       head->content_size / 8 >= CTF_HEAD_BYTES &&
	       head->content_size / 8 <=
		       ring->sub_bytes - PACKET_PRIVATE_BYTES &&
	       head->timestamp_begin <= head->timestamp_end;
}

bool ring_place(struct ring_reader *ring, const struct ring_count *count)
{
	uint64_t tail = load_relaxed(&shared(ring)->tail);
	uint32_t behind = (uint32_t)(count->current * ring->sub_bytes) -
			  (uint32_t)tail;

	if (ring->placed)
		return count->current - ring->next < ring->nsub;
	if (behind & (ring->sub_bytes - 1))
		return false;
	behind /= ring->sub_bytes;
	if (behind >= ring->nsub || behind > count->current)
		return false;
	ring->next = count->current - behind;
	ring->placed = true;
	return true;
}

int ring_take(struct ring_reader *ring, struct packet *packet)
{
	struct packet_head follower;
	struct ring_count count;
	const char *at;
	int ret = ring_count(ring, &count);

	if (ret || !count.used)
		return ret;
	if (ring->placed && ring->next == count.current + 1)
		return 0;		/* the open one was taken, too */
	if (!ring_place(ring, &count))
		return ring_broken(ring);
	if (ring->next == count.current)
		return 0;
	at = ring_slot(ring, ring->next);
	memcpy(&packet->head, at, sizeof(packet->head));
	memcpy(&follower, ring_slot(ring, ring->next + 1), sizeof(follower));
	if (!ring_head_belongs(ring, &packet->head, ring->next) ||
	    !ring_head_closed(ring, &packet->head) ||
	    follower.events_before < packet->head.events_before)
		return ring_broken(ring);
	packet->count = follower.events_before - packet->head.events_before;
	packet_set_events(packet, at, PACKET_HEAD_BYTES);
	ring->discarded = packet->head.events_discarded;
	return 1;
}

void ring_release(struct ring_reader *ring)
{
	ring->next++;
	/* RING-TAIL: the reader's loads from the sub-buffer come before; else
	 * the writer would put new events where the reader is still copying */
	store_release(&ring->control->tail, ring->next * ring->sub_bytes,
		      RING_TAIL);
}

int ring_finish(const struct packet_format *format, struct packet *packet,
		const char *at, uint32_t from, const struct ring_count *count)
{
	struct packet_head *head = &packet->head;
	struct packet_walk walk;
	int ret = packet_walk(format, head->timestamp_begin, at + from,
			      count->used - from, &walk);

	/* the packet ends before the first event that makes no sense */
	head->timestamp_end = walk.last;
	head->content_size = (from - PACKET_PRIVATE_BYTES + walk.bytes) * 8;
	head->packet_size = head->content_size;
	head->events_discarded = count->lost;
	packet->count = walk.count;
	packet_set_events(packet, at, from);
	return ret;
}

int ring_take_open(struct ring_reader *ring, const struct packet_format *format,
		   struct packet *packet)
{
	struct ring_count count;
	const char *at;
	int ret = ring_count(ring, &count);

	if (ret || !count.used)
		return ret;
	if (ring->placed && ring->next == count.current + 1)
		return 0;
	if (!ring_place(ring, &count))
		return ring_broken(ring);
	if (ring->next != count.current)
		return -EAGAIN;
	at = ring_slot(ring, count.current);
	memcpy(&packet->head, at, sizeof(packet->head));
	if (!ring_head_belongs(ring, &packet->head, count.current))
		return ring_broken(ring);
	if (ring_finish(format, packet, at, PACKET_HEAD_BYTES, &count))
		ring_broken(ring);
	ring->next++;
	return packet->count || count.lost != ring->discarded;
}

bool ring_still_there(const struct ring_reader *ring, uint64_t number)
{
	const volatile struct packet_head *head =
		(const void *)ring_slot(ring, number);

	/* PACKET-NUMBER: the copy made before must not move below this load;
	 * a writer that takes the sub-buffer stores its number first */
	__atomic_thread_fence(ACQUIRE(PACKET_NUMBER));
	return head->packet_seq_num == number;
}

uint64_t ring_oldest(const struct ring_reader *ring,
		       const struct ring_count *count)
{
	return count->current + 1 > ring->nsub
		       ? count->current + 1 - ring->nsub : 0;
}

bool ring_events_before(const struct ring_reader *ring, uint64_t number,
			uint64_t *events)
{
	struct packet_head head;

	memcpy(&head, ring_slot(ring, number), sizeof(head));
	*events = head.events_before;
	return ring_still_there(ring, number) &&
	       ring_head_belongs(ring, &head, number);
}

int ring_count_all(struct ring_reader *ring, struct ring_count *count,
		   uint64_t *overwritten)
{
	uint64_t number;
	int tries;
	int ret;

	for (tries = 0; tries < COPY_TRIES; tries++) {
		*overwritten = 0;
		ret = ring_count(ring, count);
		if (ret || !count->used || !(ring->flags & SESSION_OVERWRITE))
			return ret;
		/* a packet whose sub-buffer is being taken counts as gone */
		number = ring_oldest(ring, count);
		for (; number <= count->current; number++)
			if (ring_events_before(ring, number, overwritten) &&
			    *overwritten <= count->committed)
				return 0;
	}
	return -EAGAIN;
}

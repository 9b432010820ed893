/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads rings: counts, and empties one while the writer goes on (discard mode).
 * copy.c copies one without changing it. Both look by buffers/ring-view.h.
 *
 * Invariant: every size, offset and number comes from a local
 * copy that was checked; a ring that once made no sense stays `broken`.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"
#include "buffers/reader/private.h"

#define SUB_BYTES_MIN		1024u
#define RING_BYTES_LIMIT	(1u << 31)	/* positions are mod 2^32 */

static const struct ring *ring_shared(const struct ring_reader *ring)
{
	return ring->view.ring;
}

/* Returns whether the file was cut. It may be long again: then there are zeros
 * in the place of the magic. */
static bool was_cut(const struct ring_reader *ring)
{
	return load_relaxed(&ring_shared(ring)->magic) != RING_MAGIC ||
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
	load_acquire(&ring_shared(ring)->magic, RING_CONSTANTS);
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
	ring->view.sub_bytes = page.sub_bytes;
	ring->ring_bytes = page.ring_bytes;
	ring->view.nsub = page.ring_bytes / page.sub_bytes;
	ring->flags = page.flags;
	ring->cpu = page.cpu;
	ring->view.instance = page.stream_instance_id;
	ring->view.uuid_bytes = sizeof(ring->view.uuid);
	memcpy(ring->view.uuid, page.uuid, sizeof(ring->view.uuid));
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
	/* a short file is not published yet: the magic is stored later */
	if (ret == -EBADMSG)
		return -EAGAIN;
	if (ret)
		return ret;
	ring->view.ring = ring->map.address;
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

int ring_count(struct ring_reader *ring, struct ring_count *count)
{
	int ret = -EAGAIN;
	int tries;

	memset(count, 0, sizeof(*count));
	for (tries = 0; ret == -EAGAIN && tries < RING_LOOKS && !ring->broken;
	     tries++)
		ret = ring_look(&ring->view, count);
	if (!ret && !count->used && was_cut(ring))
		ret = -EBADMSG;
	return ret ? ring_broken(ring) : 0;
}

bool ring_place(struct ring_reader *ring, const struct ring_count *count)
{
	if (ring->placed)
		return count->current - ring->next < ring->view.nsub;
	ring->placed = ring_unread(&ring->view, count, &ring->next);
	return ring->placed;
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
	at = ring_slot(&ring->view, ring->next);
	memcpy(&packet->head, at, sizeof(packet->head));
	memcpy(&follower, ring_slot(&ring->view, ring->next + 1),
	       sizeof(follower));
	if (!ring_head_belongs(&ring->view, &packet->head, ring->next) ||
	    !ring_head_closed(&ring->view, &packet->head) ||
	    follower.events_before < packet->head.events_before)
		return ring_broken(ring);
	packet->count = follower.events_before - packet->head.events_before;
	packet->records = follower.records_before - packet->head.records_before;
	packet_set_events(packet, at, PACKET_HEAD_BYTES);
	ring->discarded = packet->head.events_discarded;
	return 1;
}

void ring_release(struct ring_reader *ring)
{
	ring->next++;
	/* RING-TAIL: the reader's loads from the sub-buffer come before; else
	 * the writer would put new events where the reader is still copying */
	store_release(&ring->control->tail, ring->next * ring->view.sub_bytes,
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
	packet->records = walk.records;
	packet->last = walk.records ? walk.writer : packet->writer;
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
	at = ring_slot(&ring->view, count.current);
	memset(packet, 0, sizeof(*packet));
	memcpy(&packet->head, at, sizeof(packet->head));
	if (!ring_head_belongs(&ring->view, &packet->head, count.current))
		return ring_broken(ring);
	if (ring_finish(format, packet, at, PACKET_HEAD_BYTES, &count))
		ring_broken(ring);
	ring->next++;
	return packet->count || count.lost != ring->discarded;
}

bool ring_still_there(const struct ring_reader *ring, uint64_t number)
{
	const volatile struct packet_head *head =
		(const void *)ring_slot(&ring->view, number);

	/* PACKET-NUMBER: the copy made before must not move below this load; a
	 * writer that takes the sub-buffer stores the number first */
	__atomic_thread_fence(ACQUIRE(PACKET_NUMBER));
	return head->packet_seq_num == number;
}

/* Copies the head of packet `number`. Returns false when the packet is not
 * there any more, or not yet complete. */
static bool head_copy(const struct ring_reader *ring, uint64_t number,
		      struct packet_head *head)
{
	memcpy(head, ring_slot(&ring->view, number), sizeof(*head));
	return ring_still_there(ring, number) &&
	       ring_head_belongs(&ring->view, head, number);
}

bool ring_events_before(const struct ring_reader *ring, uint64_t number,
			uint64_t *events)
{
	struct packet_head head;
	bool there = head_copy(ring, number, &head);

	*events = head.events_before;
	return there;
}

int ring_count_all(struct ring_reader *ring, struct ring_count *count,
		   uint64_t *overwritten)
{
	uint64_t number;
	int ret;

	for (int tries = 0; tries < COPY_TRIES; tries++) {
		*overwritten = 0;
		ret = ring_count(ring, count);
		if (ret || !count->used || !(ring->flags & SESSION_OVERWRITE))
			return ret;
		/* a packet whose sub-buffer is being taken counts as gone */
		number = ring_oldest(&ring->view, count);
		for (; number <= count->current; number++)
			if (ring_events_before(ring, number, overwritten) &&
			    *overwritten <= count->committed)
				return 0;
	}
	return -EAGAIN;
}

int ring_reach(struct ring_reader *ring, const struct packet_format *format,
	       struct ring_reach *reach)
{
	struct ring_count count;
	struct packet_head head;
	struct packet_walk walk;
	uint64_t number;
	int ret;

	memset(reach, 0, sizeof(*reach));
	for (int tries = 0; tries < COPY_TRIES; tries++) {
		ret = ring_count(ring, &count);
		if (ret)
			return ret;
		reach->none = !count.committed;
		number = ring_oldest(&ring->view, &count);
		for (; number <= count.current; number++) {
			if (!head_copy(ring, number, &head))
				continue;
			reach->begin = head.timestamp_begin;
			reach->whole = !number;
			break;
		}
		if (number > count.current)
			continue;
		if (!format || reach->none)
			return 0;
		/* in the open packet; a packet without an event ends where it
		 * begins. What makes no sense ends the walk */
		if (!head_copy(ring, count.current, &head))
			continue;
		packet_walk(format, head.timestamp_begin,
			    ring_slot(&ring->view, count.current) +
				    PACKET_HEAD_BYTES,
			    count.used - PACKET_HEAD_BYTES, &walk);
		reach->end = walk.last;
		return 0;
	}
	return -EAGAIN;
}

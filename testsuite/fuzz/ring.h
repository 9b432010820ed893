/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rings for the fuzz targets that lie to the reader: a ring with three kinds of
 * events, and everything that a reader does with one.
 */
#ifndef TESTSUITE_FUZZ_RING_H
#define TESTSUITE_FUZZ_RING_H

#include "testsuite/fuzz/fuzz.h"

#include <errno.h>

#include "base/base.h"
#include "buffers/reader/reader.h"
#include "testsuite/unit/rings.h"

#define FUZZ_SUB	1024u
#define FUZZ_NSUB	4u
#define FUZZ_RING	(RING_DATA_OFFSET + FUZZ_SUB * FUZZ_NSUB)

/* What the reader is told of events 1 to 3. */
static struct event_shape fuzz_shapes[4] = {
	[1] = { .steps = { 8 }, .known = 1 },
	[2] = { .steps = { 4, STEP_STRING }, .known = 1 },
	[3] = { .steps = { STEP_SEQUENCE | 2, 1, STEP_STRING }, .known = 1 },
};

static inline void fuzz_event(struct fuzz *fuzz, struct fake_ring *r)
{
	char payload[64] = "12345678";
	uint32_t n = (uint32_t)fuzz_less(fuzz, 12);

	switch (fuzz_less(fuzz, 3)) {
	case 0:
		fake_write(r, 1, fuzz_less(fuzz, 1000), payload, 8);
		break;
	case 1:
		memset(payload + 4, 'x', n);
		payload[4 + n] = '\0';
		fake_write(r, 2, fuzz_less(fuzz, 1ull << 29), payload, 5 + n);
		break;
	default:
		memset(payload, 0, sizeof(payload));
		payload[0] = (char)n;
		fake_write(r, 3, fuzz_less(fuzz, 1000), payload,
			   4 + 2 * n + 2);
	}
}

enum { FUZZ_IMAGES = 16 };

static uint8_t fuzz_images[FUZZ_IMAGES][FUZZ_RING];

/* Four rings, empty to lapped, as a writer leaves them. */
static inline void fuzz_images_fill(struct fuzz *fuzz, int first,
				    uint32_t flags)
{
	struct fake_ring writer;
	struct fake fake;
	int i;

	fake_open(&fake, flags, 0);
	for (i = 0; i < 4; i++) {
		int n = i * 70 + 1;

		fake_ring_open(&writer, &fake, "0", 1, FUZZ_SUB, FUZZ_NSUB, 0);
		while (n--)
			fuzz_event(fuzz, &writer);
		memcpy(fuzz_images[first + i], writer.ring, FUZZ_RING);
		fake_ring_close(&writer);
	}
	fake_close(&fake);
}

/* In either mode, with either header. */
static inline void fuzz_images_make(struct fuzz *fuzz)
{
	fuzz_images_fill(fuzz, 0, 0);
	fuzz_images_fill(fuzz, 4, SESSION_LARGE_HEADER);
	fuzz_images_fill(fuzz, 8, SESSION_OVERWRITE);
	fuzz_images_fill(fuzz, 12, SESSION_OVERWRITE | SESSION_LARGE_HEADER);
}

/* A ring becomes one of them, page of numbers and data. */
static inline void fuzz_image_take(struct fuzz *fuzz, void *ring)
{
	const uint8_t *image = fuzz_images[fuzz_less(fuzz, FUZZ_IMAGES)];

	memcpy(ring, image, sizeof(struct ring));
	memcpy((uint8_t *)ring + RING_DATA_OFFSET, image + RING_DATA_OFFSET,
	       FUZZ_SUB * FUZZ_NSUB);
}

/* A number of the ring's or of a packet's. */
static inline void fuzz_number_change(struct fuzz *fuzz, void *ring)
{
	uint64_t number = fuzz_number(fuzz);
	size_t packet = RING_DATA_OFFSET + FUZZ_SUB * fuzz_less(fuzz, 4);
	size_t at = fuzz_less(fuzz, 3) ?
			    packet + 4 * fuzz_less(fuzz, 24) :
			    4 * fuzz_less(fuzz, 40);
	uint8_t *p = (uint8_t *)ring + at;
	uint64_t was;

	memcpy(&was, p, sizeof(was));
	if (fuzz_less(fuzz, 2))
		number = was + fuzz_less(fuzz, 9) - 4;
	memcpy(p, &number, fuzz_less(fuzz, 2) ? 4 : 8);
}

/* Reads every byte that a packet is said to have. */
static inline uint32_t packet_sum(const struct packet *packet)
{
	const uint8_t *p = packet->events;
	uint32_t sum = 0;
	uint32_t i;

	for (i = 0; i < packet->event_bytes; i++)
		sum = sum * 31 + p[i];
	return sum;
}

/* What the reading of a ring has come to. */
struct ring_seen {
	const struct packet_format *format;
	const char *wrong;
	uint32_t packets;
	uint64_t next;		/* number that the next packet has */
	volatile uint32_t sum;
};

static inline void packet_see(const struct packet *packet,
			      struct ring_seen *seen)
{
	const struct packet_head *head = &packet->head;

	if (packet->event_bytes > FUZZ_SUB - PACKET_HEAD_BYTES)
		seen->wrong = "a packet larger than a sub-buffer";
	else if (head->content_size != 8ull * (PACKET_HEAD_BYTES -
			PACKET_PRIVATE_BYTES + packet->event_bytes))
		seen->wrong = "a packet of another size than it says";
	else if (head->timestamp_begin > head->timestamp_end)
		seen->wrong = "a packet ends before it begins";
	else
		seen->sum += packet_sum(packet);
	if (seen->packets++ && head->packet_seq_num != seen->next)
		seen->wrong = "packets are not in order";
	seen->next = head->packet_seq_num + 1;
	if (seen->packets > FUZZ_NSUB)
		seen->wrong = "more packets than sub-buffers";
}

/* Of a copy nothing can have changed since it was checked. */
static inline int packet_copied(const struct packet *packet, void *priv)
{
	struct ring_seen *seen = priv;
	struct packet_walk walk;

	packet_see(packet, seen);
	if (!seen->wrong &&
	    (packet_walk(seen->format, packet->head.timestamp_begin,
			 packet->events, packet->event_bytes, &walk) ||
	     walk.count != packet->count ||
	     walk.last > packet->head.timestamp_end))
		seen->wrong = "a copied packet does not hold what it says";
	return 0;
}

static inline void ring_copy_see(struct ring_reader *ring,
				 struct ring_seen *seen)
{
	struct ring_count count;
	struct ring_copy copy;
	uint64_t overwritten;
	int ret = ring_copy_make(&copy, ring);

	if (ret > 0) {
		ring_copy_each(&copy, seen->format, packet_copied, seen);
		ring_copy_free(&copy);
	}
	if (!ring_count_all(ring, &count, &overwritten) &&
	    overwritten > count.committed)
		seen->wrong = "more is overwritten than there was";
}

/* What is behind a mark is part of a packet; it must hold what it says, too. */
static inline int packet_behind(const struct packet *packet, void *priv)
{
	struct ring_seen *seen = priv;
	struct packet_walk walk;

	if (packet->event_bytes > FUZZ_SUB - PACKET_HEAD_BYTES) {
		seen->wrong = "more behind a mark than a sub-buffer holds";
		return 0;
	}
	seen->sum += packet_sum(packet);
	seen->packets++;
	if (packet_walk(seen->format, packet->head.timestamp_begin,
			packet->events, packet->event_bytes, &walk) ||
	    walk.count != packet->count ||
	    walk.last > packet->head.timestamp_end)
		seen->wrong = "what is behind a mark is not what it says";
	return 0;
}

/* Goes on from where the ring before this one ended, or begins. */
static inline void ring_more_see(struct ring_reader *ring,
				 struct ring_seen *seen, bool begin)
{
	static struct ring_mark mark;
	struct ring_copy copy;

	if (begin)
		memset(&mark, 0, sizeof(mark));
	if (ring_copy_more(&copy, ring, &mark) > 0) {
		ring_copy_each(&copy, seen->format, packet_behind, seen);
		ring_copy_free(&copy);
	}
}

/* A live ring's packets may change under us: only what was copied counts. */
static inline void ring_empty_see(struct ring_reader *ring,
				  struct ring_seen *seen)
{
	struct packet packet;
	uint32_t i;

	for (i = 0; i <= FUZZ_NSUB && ring_take(ring, &packet) > 0; i++) {
		packet_see(&packet, seen);
		ring_release(ring);
	}
	if (ring_take_open(ring, seen->format, &packet) > 0)
		packet_see(&packet, seen);
}

#endif

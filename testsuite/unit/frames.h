/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A channel made of fake rings, and what an index over it must say, kept aside
 * and sorted by code that shares nothing with the product's.
 */
#ifndef TESTSUITE_FRAMES_H
#define TESTSUITE_FRAMES_H

#include <errno.h>

#include "testsuite/unit/rings.h"
#include "testsuite/unit/unit.h"
#include "tracepoints/frames/collect.h"
#include "tracepoints/frames/frames.h"

#define SHOW_RINGS	12
#define SHOW_BYTES	600		/* of a payload */

/* A frame that was written. */
struct shown {
	uint64_t clock;
	uint32_t ring;			/* as the channel numbers them */
	uint32_t serial;		/* within the ring, from 0 */
	uint32_t bytes;
	uint32_t seed;			/* of its blocks */
};

struct show {
	struct fake fake;
	struct fake_ring rings[SHOW_RINGS];
	uint32_t numbers[SHOW_RINGS];	/* in the channel */
	uint32_t nrings;
	uint32_t id;
	uint32_t context_bytes;
	struct channel channel;
	struct rings table;
	struct shown *all;
	uint32_t nall;
	uint32_t serials[SHOW_RINGS];
};

static uint64_t seed = 1;

static inline uint32_t pick(uint32_t below)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % below;
}

static inline uint8_t show_byte(uint32_t from, uint32_t i)
{
	return (uint8_t)((from * 2654435761u + i * 40503u) >> 11);
}

/* What the event of a frame holds behind its contexts; returns its bytes. */
static inline uint32_t show_payload(uint8_t *to, const struct shown *f)
{
	uint64_t address = 0x1000 + f->seed;
	uint32_t bytes = 8 + f->bytes;
	int32_t tid = (int32_t)f->serial;
	uint32_t i;

	memcpy(to, &f->ring, 4);
	memcpy(to + 4, &tid, 4);
	memcpy(to + 8, &bytes, 4);
	memcpy(to + 12, &address, 8);
	for (i = 0; i < f->bytes; i++)
		to[20 + i] = show_byte(f->seed, i);
	return 20 + f->bytes;
}

/* Does a frame of an index look as it was written? */
static inline bool show_same(const struct frame *frame, const struct shown *f)
{
	uint32_t i;

	if (frame->clock != f->clock || frame->tracepoint != f->ring ||
	    frame->tid != (int32_t)f->serial || frame->bytes != f->bytes ||
	    frame->address != 0x1000 + (uint64_t)f->seed)
		return false;
	for (i = 0; i < f->bytes; i++)
		if (frame->blocks[i] != show_byte(f->seed, i))
			return false;
	return true;
}

static inline void show_open(struct show *s, uint32_t flags, uint32_t contexts,
			     uint32_t context_bytes, uint32_t id)
{
	memset(s, 0, sizeof(*s));
	fake_open(&s->fake, flags, contexts);
	s->id = id;
	s->context_bytes = context_bytes;
	s->channel.rings = &s->table;
	s->channel.page = s->fake.session;
	s->channel.flags = flags;
	s->channel.contexts = contexts;
	s->all = malloc(sizeof(*s->all) << 20);
}

/* Adds ring `number` of the channel, whose first packet is `first`. */
static inline void show_ring(struct show *s, uint32_t number,
			     uint32_t sub_bytes, uint32_t nsub, uint64_t first)
{
	struct fake_ring *r = &s->rings[s->nrings];
	char name[16];

	snprintf(name, sizeof(name), "%u", number);
	fake_ring_open(r, &s->fake, name, number, sub_bytes, nsub, first);
	s->channel.sub_bytes = sub_bytes;
	s->channel.ring_bytes = sub_bytes * nsub;
	s->channel.locked_full = LOCKED_MAX;
	s->numbers[s->nrings++] = number;
	if (number >= CHANNEL_CPUS_MAX) {
		s->channel.locked[number - CHANNEL_CPUS_MAX] = r->ring;
		return;
	}
	while (s->channel.cpus <= number)
		s->table.tab[s->channel.cpus++] = &ring_absent;
	s->table.tab[number] = r->ring;
}

/* Writes a frame into ring i, `later` ticks after its last. */
static inline bool show_write(struct show *s, uint32_t i, uint64_t later,
			      uint32_t bytes)
{
	uint8_t payload[SHOW_BYTES + 100];
	struct shown *f = &s->all[s->nall];

	*f = (struct shown){ s->rings[i].now + later, s->numbers[i],
			     s->serials[i], bytes, pick(1u << 30) };
	memset(payload, 0xc7, s->context_bytes);
	if (!fake_write(&s->rings[i], s->id, later, payload,
			s->context_bytes +
				show_payload(payload + s->context_bytes, f)))
		return false;
	s->nall++;
	s->serials[i]++;
	return true;
}

static inline void show_close(struct show *s)
{
	uint32_t i;

	for (i = 0; i < s->nrings; i++)
		fake_ring_close(&s->rings[i]);
	fake_close(&s->fake);
	free(s->all);
}

static inline int shown_order(const void *a, const void *b)
{
	const struct shown *x = a;
	const struct shown *y = b;

	if (x->clock != y->clock)
		return x->clock < y->clock ? -1 : 1;
	if (x->ring != y->ring)
		return x->ring < y->ring ? -1 : 1;
	return x->serial < y->serial ? -1 : x->serial > y->serial;
}

/* Sorts what must be in the index, without what was lapped; returns it. */
static inline uint32_t show_expect(struct show *s)
{
	uint32_t n = 0;
	uint32_t i;
	uint32_t k;

	for (i = 0; i < s->nall; i++) {
		for (k = 0; s->numbers[k] != s->all[i].ring; k++)
			;
		if (s->all[i].serial >= s->rings[k].lapped)
			s->all[n++] = s->all[i];
	}
	qsort(s->all, n, sizeof(*s->all), shown_order);
	return s->nall = n;
}

/* Compares a whole index, and the tally, with what is expected. */
static inline bool show_verify(struct show *s)
{
	uint32_t n = show_expect(s);
	struct frames *frames = frames_open(&s->channel, s->id);
	struct frames_tally tally;
	struct frame frame;
	uint32_t i;

	frames_tally(&s->channel, &tally);
	if (frames_count(frames) != n || tally.held != n) {
		printf("# %u frames, tally %llu, not %u\n",
		       frames_count(frames), (unsigned long long)tally.held,
		       n);
		frames_close(frames);
		return false;
	}
	for (i = 0; i < n; i++)
		if (frames_get(frames, i, &frame) ||
		    !show_same(&frame, &s->all[i]))
			break;
	if (i < n || frames_get(frames, n, &frame) != -ENOENT)
		printf("# frame %u of %u\n", i, n);
	frames_close(frames);
	return i == n;
}

#endif

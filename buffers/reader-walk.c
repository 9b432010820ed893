/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stepping over the events of a packet: what tells how many there are, when
 * the last one happened, and whether all of them make sense.
 *
 * What must stay true here: no load beyond `end`, whatever the bytes say.
 */
#include <errno.h>
#include <string.h>

#include "buffers/base.h"
#include "buffers/ctf.h"
#include "buffers/reader.h"

struct cursor {
	const uint8_t *p;
	const uint8_t *end;
	uint64_t clock;
	uint32_t id;
};

static size_t room(const struct cursor *c)
{
	return (size_t)(c->end - c->p);
}

/* The low bits of a clock that has moved on since c->clock. */
static void advance(struct cursor *c, uint64_t low, unsigned int bits)
{
	uint64_t mask = (1ull << bits) - 1;

	c->clock += (low - c->clock) & mask;
}

static int extended_header(struct cursor *c, size_t skip)
{
	uint64_t clock;

	if (room(c) < skip + sizeof(c->id) + sizeof(clock))
		return -EBADMSG;
	memcpy(&c->id, c->p + skip, sizeof(c->id));
	memcpy(&clock, c->p + skip + sizeof(c->id), sizeof(clock));
	if (clock < c->clock)
		return -EBADMSG;
	c->clock = clock;
	c->p += skip + sizeof(c->id) + sizeof(clock);
	return 0;
}

static int compact_header(struct cursor *c)
{
	uint32_t word;

	if ((*c->p & CTF_COMPACT_ID_EXTENDED) == CTF_COMPACT_ID_EXTENDED)
		return extended_header(c, 1);
	if (room(c) < CTF_COMPACT_BYTES)
		return -EBADMSG;
	memcpy(&word, c->p, sizeof(word));
	c->id = word & CTF_COMPACT_ID_EXTENDED;
	advance(c, word >> CTF_COMPACT_ID_BITS, CTF_COMPACT_CLOCK_BITS);
	c->p += CTF_COMPACT_BYTES;
	return 0;
}

static int large_header(struct cursor *c)
{
	uint16_t id;
	uint32_t low;

	if (room(c) < CTF_LARGE_BYTES)
		return -EBADMSG;
	memcpy(&id, c->p, sizeof(id));
	if (id == CTF_LARGE_ID_EXTENDED)
		return extended_header(c, sizeof(id));
	memcpy(&low, c->p + sizeof(id), sizeof(low));
	c->id = id;
	advance(c, low, CTF_LARGE_CLOCK_BITS);
	c->p += CTF_LARGE_BYTES;
	return 0;
}

static int skip(struct cursor *c, uint64_t bytes)
{
	if (room(c) < bytes)
		return -EBADMSG;
	c->p += bytes;
	return 0;
}

static int skip_string(struct cursor *c)
{
	const uint8_t *nul = memchr(c->p, 0, room(c));

	if (!nul)
		return -EBADMSG;
	c->p = nul + 1;
	return 0;
}

static int skip_sequence(struct cursor *c, unsigned int element)
{
	uint32_t count;

	if (room(c) < sizeof(count))
		return -EBADMSG;
	memcpy(&count, c->p, sizeof(count));
	c->p += sizeof(count);
	return skip(c, (uint64_t)count * element);
}

static int skip_payload(struct cursor *c, const struct event_shape *shape)
{
	const uint16_t *step;
	int ret = 0;

	for (step = shape->steps; *step && !ret; step++) {
		if (*step == STEP_STRING)
			ret = skip_string(c);
		else if (*step & STEP_SEQUENCE)
			ret = skip_sequence(c, *step & STEP_FIXED_MAX);
		else
			ret = skip(c, *step);
	}
	return ret;
}

static int skip_event(const struct packet_format *format, struct cursor *c)
{
	int ret = format->large ? large_header(c) : compact_header(c);

	if (ret)
		return ret;
	if (c->id >= format->nshapes || !format->shapes[c->id].known)
		return -EBADMSG;
	ret = skip(c, format->context_bytes);
	return ret ? ret : skip_payload(c, &format->shapes[c->id]);
}

int packet_walk(const struct packet_format *format, uint64_t begin,
		const void *events, size_t bytes, struct packet_walk *walk)
{
	struct cursor c = { events, (const uint8_t *)events + bytes, begin, 0 };

	walk->count = 0;
	walk->bytes = 0;
	walk->last = begin;
	while (c.p < c.end) {
		int ret = skip_event(format, &c);

		if (ret)
			return ret;
		walk->count++;
		walk->bytes = (uint64_t)(c.p - (const uint8_t *)events);
		walk->last = c.clock;
	}
	return 0;
}

int context_bytes(uint32_t contexts)
{
	static const uint8_t bytes[] = { 4, 4, 16, 4, 8 };
	unsigned int bit;
	int sum = 0;

	if (contexts >> ARRAY_SIZE(bytes))
		return -EINVAL;
	for (bit = 0; bit < ARRAY_SIZE(bytes); bit++)
		if (contexts & (1u << bit))
			sum += bytes[bit];
	return sum;
}

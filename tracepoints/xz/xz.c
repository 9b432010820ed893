/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Decodes .xz; see xz-private.h. LZMA's range coder gives a bit at a time by
 * 11-bit probabilities, which adapt.
 */
#include "tracepoints/xz/xz.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/base.h"

#define HEADER_BYTES	12u	/* of the stream; its end has as many */
#define TOP		(1u << 24)
#define HALF		1024u
#define STATE_LITERALS	7u	/* states below: a literal came last */

/* Reads a number of 7 bits a byte. Returns 0 for one that does not end. */
static uint64_t number_take(const uint8_t **p, const uint8_t *end)
{
	uint64_t value = 0;

	for (uint32_t shift = 0; *p < end && shift < 63; shift += 7) {
		uint8_t byte = *(*p)++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	*p = end;
	return 0;
}

uint64_t xz_bytes(const uint8_t *p, uint64_t n)
{
	const uint8_t *end = p + n - HEADER_BYTES, *at;
	uint64_t records, all = 0, one;
	uint32_t back;

	if (n < 3ull * HEADER_BYTES || __builtin_memcmp(p, "\xfd" "7zXZ", 6) ||
	    __builtin_memcmp(end + 10, "YZ", 2))
		return 0;
	__builtin_memcpy(&back, end + 4, sizeof(back));
	if ((back + 1ull) * 4 > n - 2ull * HEADER_BYTES)
		return 0;
	at = end - (back + 1ull) * 4;
	if (*at++)
		return 0;
	for (records = number_take(&at, end); records && at < end; records--) {
		number_take(&at, end);
		one = number_take(&at, end);
		if (one > 1ull << 32 || all > 1ull << 32)
			return 0;
		all += one;
	}
	return records ? 0 : all;
}

static ALWAYS_INLINE void range_fill(struct xz *xz)
{
	if (xz->range >= TOP)
		return;
	xz->range <<= 8;
	xz->code <<= 8;
	if (xz->in < xz->in_end)
		xz->code |= *xz->in++;
	else
		xz->failed = 1;
}

static uint32_t bit_take(struct xz *xz, uint16_t *chance)
{
	uint32_t bound;

	range_fill(xz);
	bound = (xz->range >> 11) * *chance;
	if (xz->code < bound) {
		xz->range = bound;
		*chance = (uint16_t)(*chance + ((2048u - *chance) >> 5));
		return 0;
	}
	xz->range -= bound;
	xz->code -= bound;
	*chance = (uint16_t)(*chance - (*chance >> 5));
	return 1;
}

/* Takes n bits, the highest first; each has a chance for the bits before it. */
static uint32_t bits_take(struct xz *xz, uint16_t *chances, uint32_t n)
{
	uint32_t value = 1, i;

	for (i = 0; i < n; i++)
		value = value << 1 | bit_take(xz, &chances[value]);
	return value - (1u << n);
}

/* Does the same, the lowest first. */
static uint32_t bits_take_low(struct xz *xz, uint16_t *chances, uint32_t n)
{
	uint32_t at = 1, value = 0, bit, i;

	for (i = 0; i < n; i++) {
		bit = bit_take(xz, &chances[at]);
		at = at << 1 | bit;
		value |= bit << i;
	}
	return value;
}

/* Takes n bits of which each is as likely as not. */
static uint32_t bits_direct(struct xz *xz, uint32_t n)
{
	uint32_t value = 0, bit;

	while (n--) {
		range_fill(xz);
		xz->range >>= 1;
		bit = xz->code >= xz->range;
		xz->code -= bit ? xz->range : 0;
		value = value << 1 | bit;
	}
	return value;
}

static uint32_t length_take(struct xz *xz, uint16_t *chances, uint32_t place)
{
	if (!bit_take(xz, &chances[0]))
		return 2 + bits_take(xz, chances + 2 + place * 8, 3);
	if (!bit_take(xz, &chances[1]))
		return 10 + bits_take(xz, chances + 2 + 128 + place * 8, 3);
	return 18 + bits_take(xz, chances + 2 + 256, 8);
}

/* Takes a distance, less 1, for a match of this length. */
static uint32_t distance_take(struct xz *xz, uint32_t length)
{
	uint32_t slot = bits_take(xz, xz->slots[length < 6 ? length - 2 : 3],
				  6);
	uint32_t n = (slot >> 1) - 1, distance;

	if (slot < 4)
		return slot;
	distance = (2 | (slot & 1)) << n;
	if (slot < 14)
		return distance + bits_take_low(xz, xz->special + distance -
							slot, n);
	distance += bits_direct(xz, n - 4) << 4;
	return distance + bits_take_low(xz, xz->align, 4);
}

static uint8_t byte_before(const struct xz *xz, uint32_t distance)
{
	return distance < xz->used - xz->start ?
		       xz->out[xz->used - distance - 1] : 0;
}

static void literal_put(struct xz *xz)
{
	uint32_t before = byte_before(xz, 0), value = 1, bit, match, with;
	uint16_t *chances = xz->literals + 0x300 *
		((((uint32_t)xz->used & xz->lp_mask) << xz->lc) +
		 (before >> (8 - xz->lc)));

	match = byte_before(xz, xz->reps[0]);
	with = xz->state >= STATE_LITERALS ? 0x100 : 0;
	while (value < 0x100) {
		match <<= 1;
		bit = bit_take(xz, chances + with + (match & with) + value);
		value = value << 1 | bit;
		with &= bit ? match : ~match;
	}
	xz->out[xz->used++] = (uint8_t)value;
	xz->state = xz->state < 4 ? 0 : xz->state < 10 ? xz->state - 3 :
							 xz->state - 6;
}

/* Takes one of the last four distances, and puts it first. Returns false for a
 * single byte at the last one. */
static bool rep_take(struct xz *xz, uint32_t place)
{
	uint32_t state = xz->state, i = 0, distance;

	if (!bit_take(xz, &xz->rep_0[state])) {
		if (!bit_take(xz, &xz->rep_0_long[state][place]))
			return false;
	} else if (!bit_take(xz, &xz->rep_1[state])) {
		i = 1;
	} else {
		i = 2 + bit_take(xz, &xz->rep_2[state]);
	}
	distance = xz->reps[i];
	for (; i; i--)
		xz->reps[i] = xz->reps[i - 1];
	xz->reps[0] = distance;
	return true;
}

/* Decodes a chunk of LZMA up to `end` bytes of output. */
static void chunk_decode(struct xz *xz, uint64_t end)
{
	while (xz->used < end && !xz->failed) {
		uint32_t place = (uint32_t)xz->used & xz->pb_mask;
		bool low = xz->state < STATE_LITERALS;
		uint32_t length = 1, i;

		if (!bit_take(xz, &xz->match[xz->state][place])) {
			literal_put(xz);
			continue;
		}
		if (!bit_take(xz, &xz->rep[xz->state])) {
			length = length_take(xz, xz->lengths[0], place);
			for (i = 3; i; i--)
				xz->reps[i] = xz->reps[i - 1];
			xz->reps[0] = distance_take(xz, length);
			xz->state = low ? 7 : 10;
		} else if (!rep_take(xz, place)) {
			xz->state = low ? 9 : 11;
		} else {
			length = length_take(xz, xz->lengths[1], place);
			xz->state = low ? 8 : 11;
		}
		if (xz->reps[0] >= xz->used - xz->start ||
		    length > end - xz->used)
			xz->failed = 1;
		for (; length && !xz->failed; length--, xz->used++)
			xz->out[xz->used] = xz->out[xz->used - xz->reps[0] - 1];
	}
}

static void state_reset(struct xz *xz)
{
	uint16_t *chance = (uint16_t *)xz->match;

	for (; chance < (uint16_t *)(xz + 1); chance++)
		*chance = HALF;
	xz->state = 0;
	__builtin_memset(xz->reps, 0, sizeof(xz->reps));
}

/* Sets lc, lp and pb. */
static bool properties_set(struct xz *xz, uint32_t byte)
{
	uint32_t lc = byte % 9, lp = byte / 9 % 5, pb = byte / 45;

	xz->lc = lc;
	xz->lp_mask = (1u << lp) - 1;
	xz->pb_mask = (1u << pb) - 1;
	return lc + lp <= 4 && pb <= 4;
}

/* Decodes the chunks of a block. Returns false if they are damaged. */
static bool block_decode(struct xz *xz)
{
	const uint8_t *p = xz->in, *end = xz->in_end, *next;
	bool known = false;	/* properties */

	while (p < end && *p) {
		uint32_t control = *p, out, in;

		if (end - p < 6)
			return false;
		if (control == 1 || control >= 0xe0)
			xz->start = xz->used;
		out = ((uint32_t)p[1] << 8 | p[2]) + 1;
		if (control < 0x80) {
			p += 3;
			if (control > 2 || out > (uint64_t)(end - p) ||
			    out > xz->room - xz->used)
				return false;
			__builtin_memcpy(xz->out + xz->used, p, out);
			xz->used += out;
			p += out;
			continue;
		}
		out += (control & 0x1f) << 16;
		in = ((uint32_t)p[3] << 8 | p[4]) + 1;
		p += 5;
		if (control >= 0xc0) {
			known = properties_set(xz, *p++);
			if (!known)
				return false;
		}
		if (control >= 0xa0)
			state_reset(xz);
		if (!known || in < 5 || in > (uint64_t)(end - p) ||
		    out > xz->room - xz->used)
			return false;
		next = p + in;
		xz->range = UINT32_MAX;
		xz->code = (uint32_t)p[1] << 24 | (uint32_t)p[2] << 16 |
			   (uint32_t)p[3] << 8 | p[4];
		xz->in = p + 5;
		xz->in_end = next;
		chunk_decode(xz, xz->used + out);
		if (xz->failed)
			return false;
		p = next;
	}
	xz->in = p + 1;
	return p < end;
}

/* Finds the chunks behind the header of a block: of LZMA2 alone. */
static const uint8_t *block_open(const uint8_t *p, const uint8_t *end)
{
	const uint8_t *at = p + 2;
	uint64_t bytes = (*p + 1ull) * 4;

	if (bytes > (uint64_t)(end - p) || p[1] & 0x3f)
		return NULL;
	if (p[1] & 0x40)
		number_take(&at, p + bytes);
	if (p[1] & 0x80)
		number_take(&at, p + bytes);
	return at < p + bytes && *at == 0x21 ? p + bytes : NULL;
}

int xz_decode(struct xz *xz, const uint8_t *p, uint64_t n, uint8_t *out,
	      uint64_t room)
{
	static const uint8_t checks[16] = {
		0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64,
	};
	const uint8_t *start = p, *end = p + n;
	uint32_t check;

	if (n < 3ull * HEADER_BYTES)
		return -EBADMSG;
	check = checks[p[7] & 15];
	xz->out = out;
	xz->room = room;
	xz->used = xz->start = 0;
	xz->failed = 0;
	state_reset(xz);
	for (p += HEADER_BYTES; p < end && *p;) {
		xz->in = block_open(p, end);
		xz->in_end = end;
		if (!xz->in || !block_decode(xz))
			return -EBADMSG;
		p = start + align_up((uint64_t)(xz->in - start), 4) + check;
	}
	return p < end && xz->used == room ? 0 : -EBADMSG;
}

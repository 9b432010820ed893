/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The writers, event by event: every shape, every size, every room that may be
 * left. The data are in the last mapped bytes.
 */
#include "testsuite/unit/expect.h"

#define CANARY		0xa5

static void test_words(void)
{
	struct write_shape shape = { 0 };
	struct write_slot slot;
	unsigned char bytes[8];
	bool good = true;
	int i;

	for (shape.fixed_bytes = 0; shape.fixed_bytes <= 8;
	     shape.fixed_bytes++) {
		bed_slot(&slot, &shape);
		bed_slot_on(&slot, channel, shape.fixed_bytes);
		for (i = 0; i < 4000; i++) {
			fill(bytes, sizeof(bytes));
			put(&slot, bytes, NULL);
		}
		good &= verify();
	}
	unit_check(good, "%s: words of 0 to 8 bytes", variant);
}

static void test_blocks(void)
{
	struct write_shape shape = { 0 };
	struct write_slot slot;
	bool good = true;
	uint32_t n;
	int i;

	for (n = 9; n <= 700; n++) {
		shape.fixed_bytes = (uint16_t)n;
		bed_slot(&slot, &shape);
		bed_slot_on(&slot, channel, 30);
		for (i = 0; i < 100; i++) {
			/* at the end and at the start of the mapping */
			unsigned char *p = i & 1 ? guarded - n :
						   guarded - 3 * PAGE;

			fill(p, n);
			put(&slot, p, NULL);
		}
		good &= verify();
	}
	unit_check(good, "%s: blocks of 9 to 700 bytes", variant);
}

static void string_one(struct write_slot *slot, unsigned char *p, uint32_t n)
{
	struct write_var var = { p, WRITE_STRING };
	unsigned char fixed[8];

	fill(p, n);
	p[n] = 0;
	fill(fixed, sizeof(fixed));
	put(slot, fixed, &var);
}

static void test_strings(void)
{
	struct write_shape shape = { .nvar = 1 };
	struct write_slot slot;
	bool good = true;
	uint32_t fixed;
	uint32_t n;
	uint32_t gap;

	for (fixed = 0; fixed <= 8; fixed++) {
		shape.fixed_bytes = (uint16_t)fixed;
		shape.var[0].fixed_before = (uint16_t)fixed;
		bed_slot(&slot, &shape);
		bed_slot_on(&slot, channel, 7);
		for (n = 0; n <= 300; n++) {
			for (gap = 0; gap < 33; gap += 1 + fixed % 4)
				string_one(&slot, guarded - gap - n - 1, n);
			string_one(&slot, guarded - PAGE - n / 2, n);
			good &= verify();
		}
	}
	unit_check(good, "%s: strings of 0 to 300 bytes", variant);
}

/* Makes a random shape, and room for its data. */
static void shape_pick(struct write_shape *shape)
{
	static const uint8_t elements[] = { 0, 1, 2, 4, 8 };
	uint32_t before = 0;
	uint32_t i;

	memset(shape, 0, sizeof(*shape));
	shape->nvar = (uint8_t)pick(pick(4) ? 4 : 17);
	for (i = 0; i < shape->nvar; i++) {
		before += pick(3) ? pick(12) : 0;
		shape->var[i].fixed_before = (uint16_t)before;
		shape->var[i].element_bytes = elements[pick(5)];
	}
	shape->fixed_bytes = (uint16_t)(before + pick(20));
}

static void mix_one(struct write_slot *slot)
{
	static unsigned char text[16][256];
	unsigned char fixed[512];
	struct write_var var[16];
	uint32_t i;

	fill(fixed, sizeof(fixed));
	for (i = 0; i < slot->shape->nvar; i++) {
		uint32_t element = slot->shape->var[i].element_bytes;

		var[i].n = element ? pick(160) / element : WRITE_STRING;
		fill(text[i], sizeof(text[i]));
		text[i][pick(160)] = 0;
		var[i].p = element && !var[i].n ? NULL : text[i];
	}
	put(slot, fixed, var);
}

static void test_mixes(const char *name, uint32_t id)
{
	struct write_shape shape;
	struct write_slot slot;
	bool good = true;
	int i;
	int k;

	for (i = 0; i < 600; i++) {
		shape_pick(&shape);
		bed_slot(&slot, &shape);
		bed_slot_on(&slot, channel, id);
		for (k = 0; k < 60; k++)
			mix_one(&slot);
		good &= verify();
	}
	unit_check(good, "%s: %s", variant, name);
}

static bool all_canary(const char *p, const char *end)
{
	for (; p < end; p++)
		if ((unsigned char)*p != CANARY)
			return false;
	return true;
}

/* One event with `room` bytes left in the first sub-buffer. */
static bool room_one(struct write_slot *slot, uint32_t room,
		     const unsigned char *fixed, const struct write_var *var)
{
	struct ring *ring = ring_here();
	uint32_t sub = ring->sub_bytes;
	uint32_t head = sub - room;
	char *first = data(ring);
	char *second = first + sub;
	bool moved;
	bool good;

	memset(first + sub - 1024, CANARY, 1024 + 2048);
	memset(first + ring->ring_bytes - 64, CANARY, 64);
	((struct packet_head *)first)->events_before = 0;
	((struct packet_head *)first)->timestamp_begin = clock_read();
	((struct packet_head *)first)->timestamp_end = 0;
	ring->tail = 0;
	ring->head = head;
	ring->ts_limit = clock_read() + (1u << 26);
	put(slot, fixed, var);
	moved = RING_POSITION(ring->head) >= sub;
	good = all_canary(first + sub - 1024, first + head) &&
	       all_canary(first + ring->ring_bytes - 64,
			  first + ring->ring_bytes);
	if (!moved)
		return good && all_canary(second, second + 2048) &&
		       RING_POSITION(ring->head) < sub;
	return good && all_canary(second + PACKET_HEAD_BYTES +
					  expected[nexpected - 1].bytes + 40,
				  second + 2048);
}

/* The bytes before the event are no events, so the walk gets a ring in which
 * the first packet begins at their end. */
static bool room_verify(uint32_t room)
{
	struct ring *ring = ring_here();
	struct oracle oracle = {
		.open = 1,
		.check = compare,
	};
	uint32_t head = RING_POSITION(ring->head);
	uint32_t at = head < ring->sub_bytes ? ring->sub_bytes - room :
					       ring->sub_bytes +
						       PACKET_HEAD_BYTES;
	static char packet[4096];
	bool good;

	memcpy(packet, data(ring) + (head & ~(ring->sub_bytes - 1)),
	       PACKET_HEAD_BYTES);
	memcpy(packet + PACKET_HEAD_BYTES, data(ring) + at, head - at);
	good = !oracle_packet(&oracle, packet, PACKET_HEAD_BYTES + head - at) &&
	       oracle.events == 1 && RING_EVENTS(ring->head) == 1 && next == 1;
	nexpected = next = arena_used = 0;
	ring->head = PACKET_HEAD_BYTES;
	return good;
}

static bool room_sweep(const struct write_shape *shape, uint32_t string)
{
	unsigned char *fixed = guarded - shape->fixed_bytes;
	static unsigned char text[512];
	struct write_var var[2] = { { text, WRITE_STRING }, { text, 10 } };
	struct write_slot slot;
	bool good = true;
	uint32_t room;

	fill(text, sizeof(text));
	text[string] = 0;
	fill(fixed, shape->fixed_bytes);
	bed_slot(&slot, shape);
	bed_slot_on(&slot, channel, 3);
	for (room = 1; room <= 400 && good; room++) {
		good = room_one(&slot, room, fixed, var);
		good &= room_verify(room);
		if (!good)
			printf("# room %u, %u bytes, string of %u\n", room,
			       shape->fixed_bytes, string);
	}
	return good;
}

static void test_rooms(void)
{
	static const uint16_t sizes[] = { 0, 1, 4, 8, 9, 15, 16, 17, 32, 33, 64,
					  65, 96, 100, 128, 200, 256, 300 };
	static const uint16_t strings[] = { 0, 1, 3, 7, 15, 16, 31, 100, 250 };
	struct write_shape shape = { 0 };
	bool good = true;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		shape.fixed_bytes = sizes[i];
		good &= room_sweep(&shape, 0);
	}
	unit_check(good, "%s: every room, blocks", variant);
	good = true;
	for (i = 0; i < ARRAY_SIZE(strings); i++) {
		shape = (struct write_shape){ .nvar = 1, .fixed_bytes = 8 };
		shape.var[0].fixed_before = 8;
		good &= room_sweep(&shape, strings[i]);
		shape.nvar = 2;
		shape.var[1].fixed_before = 8;
		shape.var[1].element_bytes = 2;
		good &= room_sweep(&shape, strings[i]);
	}
	unit_check(good, "%s: every room, strings and sequences", variant);
	ring_here()->tail = 0;
	((struct packet_head *)data(ring_here()))->events_before = 0;
	((struct packet_head *)data(ring_here()))->packet_seq_num = 0;
}

static void run_shapes(uint32_t flags)
{
	channel_open(flags, 0);
	test_words();
	test_blocks();
	test_strings();
	test_mixes("mixes", 9);
	test_mixes("wide ids", 30);
	test_mixes("extended ids", 65536);
	test_rooms();
	channel_close();
}

static void run_inline(void)
{
	hit_inline = true;
	channel_open(0, 0);
	test_words();
	test_strings();
	test_rooms();
	channel_close();
	hit_inline = false;
}

static void run_all(const char *compact, const char *wide)
{
	variant = wide;
	run_shapes(BED_WIDE);
	variant = compact;
	run_shapes(0);
	variant = "written inline";
	run_inline();
}

int main(void)
{
	return expect_run(run_all);
}

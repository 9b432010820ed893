/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The index over frames: many rings merged, wrapped, with every kind of
 * header; open packets; damaged bytes; blocks. The rings are fake, so every
 * clock is known; frames-live.c has the real writers.
 */
#include "control/sessions/session.h"
#include "testsuite/unit/frames.h"
#include "tracepoints/program/snapshot.h"

#define SUB	2048u
#define NSUB	8u
#define REGISTERS	(1u + REGISTERS_BLOCK_BYTES)	/* a block */

/* Writes n frames into random rings, often several at the same time. */
static void write_some(struct show *s, uint32_t n)
{
	static const uint64_t steps[] = { 0,	    1,		5,
					  100,	    1ull << 20, 1ull << 26,
					  1ull << 27, 1ull << 33 };

	while (n--)
		show_write(s, pick(s->nrings), steps[pick(pick(8) ? 4 : 8)],
			   pick(pick(4) ? 60 : SHOW_BYTES));
}

static void rings_many(struct show *s, uint64_t first)
{
	uint32_t i;

	/* some CPUs have no ring */
	for (i = 0; i < 8; i++)
		show_ring(s, i * 3, SUB, NSUB, first + i);
	for (i = 0; i < 4; i++)
		show_ring(s, CHANNEL_CPUS_MAX + i * 21, SUB, NSUB, first);
}

static void test_merge(const char *name, uint32_t flags, uint32_t contexts,
		       uint32_t context_bytes, uint32_t id, uint64_t first)
{
	static const uint32_t numbers[] = { 0, 1, 13, 300, 5000 };
	bool good = true;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(numbers) && good; i++) {
		struct show s;

		show_open(&s, flags, contexts, context_bytes, id);
		rings_many(&s, first);
		write_some(&s, numbers[i]);
		good = show_verify(&s);
		show_close(&s);
	}
	unit_check(good, "merge: %s", name);
}

static void test_merges(void)
{
	uint32_t large = SESSION_LARGE_HEADER;
	uint32_t over = SESSION_OVERWRITE;
	/* the position of the next packet does not fit 32 bits */
	uint64_t late = (1ull << 32) / SUB - 3;

	test_merge("discard, compact", 0, 0, 0, 0, 0);
	test_merge("discard, large", large, 0, 0, 1, 0);
	test_merge("overwrite, compact", over, 0, 0, 30, 0);
	test_merge("overwrite, large", over | large, 0, 0, 77, 0);
	test_merge("extended id, compact", over, 0, 0, 31, 0);
	test_merge("extended id, large", over | large, 0, 0, 65535, 0);
	test_merge("contexts", over,
		   CONTEXT_VTID | CONTEXT_PROCNAME | CONTEXT_IP, 28, 3, 0);
	test_merge("positions that overflow", over, 0, 0, 2, late);
	test_merge("positions that overflow, discard", 0, 0, 0, 2, late);
}

static void test_empty(void)
{
	struct channel none = { .cpus = 0 };
	struct frames *frames = frames_open(&none, 0);
	struct frames_tally tally;
	struct frame frame;

	unit_equal(frames_count(frames), 0, "a channel without rings");
	unit_equal(frames_get(frames, 0, &frame), -ENOENT,
		   "no frame of no rings");
	frames_close(frames);
	frames_tally(&none, &tally);
	unit_check(!tally.held && !tally.written && !tally.lost &&
			   !tally.bytes_held && !tally.bytes_room,
		   "tally of a channel without rings");
}

/* In discard mode, frames below the tail have been read; lost frames are
 * counted. */
static void test_discard(void)
{
	struct frames_tally tally;
	struct show s;
	uint32_t written = 0;
	uint32_t i;

	show_open(&s, 0, 0, 0, 5);
	show_ring(&s, 1, SUB, NSUB, 0);
	for (i = 0; i < 2000; i++)
		written += show_write(&s, 0, 10, 40);
	s.fake.session->lost_unplaced = 3;
	frames_tally(&s.channel, &tally);
	unit_equal(tally.written, written, "full: written");
	unit_equal(tally.lost, 2000 - written + 3, "full: lost");
	unit_equal(tally.bytes_room, SUB * NSUB, "full: room");
	unit_check(tally.bytes_held <= tally.bytes_room &&
			   tally.bytes_held > SUB * (NSUB - 1),
		   "full: bytes");
	unit_check(show_verify(&s), "full: the first are kept");
	s.rings[0].ring->tail = 3 * SUB;
	s.rings[0].lapped = s.rings[0].counts[0] + s.rings[0].counts[1] +
			    s.rings[0].counts[2];
	unit_check(show_verify(&s), "what is below the tail is gone");
	frames_tally(&s.channel, &tally);
	unit_check(tally.bytes_held <= SUB * (NSUB - 3),
		   "bytes below the tail are free");
	s.rings[0].ring->tail = 7;
	s.rings[0].lapped = 0;
	frames_tally(&s.channel, &tally);
	unit_equal(tally.held, written, "a tail that cannot be is no tail");
	show_close(&s);
}

/* A ring of several packets, which wrapped, and its sub-buffers. */
static void damaged_open(struct show *s)
{
	uint32_t i;

	show_open(s, SESSION_OVERWRITE, 0, 0, 5);
	show_ring(s, 0, SUB, NSUB, 0);
	for (i = 0; i < 1000; i++)
		show_write(s, 0, 10, 40);
}

static uint32_t count_now(struct show *s)
{
	struct frames *frames = frames_open(&s->channel, s->id);
	uint32_t n = frames_count(frames);

	frames_close(frames);
	return n;
}

/* Returns a number that the process itself reports to `status`. */
static uint64_t described(struct show *s, const char *key)
{
	static struct session session;
	char lines[1024];
	struct text text;
	const char *at;

	session.channel = &s->channel;
	text_open(&text, lines, sizeof(lines));
	session_describe(&session, &text);
	at = strstr(lines, key);
	return at ? strtoull(at + strlen(key), NULL, 10) : ~0ull;
}

static void test_damage(void)
{
	struct frames_tally tally;
	struct fake_ring *r;
	struct packet_head *head;
	struct show s;
	uint64_t oldest;
	uint32_t all;

	damaged_open(&s);
	r = &s.rings[0];
	oldest = r->number + 1 - NSUB;
	all = count_now(&s);
	/* a switch that ended after its first store */
	head = (void *)fake_slot(r, oldest);
	head->events_before = r->committed;
	frames_tally(&s.channel, &tally);
	unit_equal(count_now(&s), all - r->counts[oldest % NSUB],
		   "a packet half made: its slot is gone");
	unit_equal(tally.held, count_now(&s), "a packet half made: tally");
	unit_equal(described(&s, "written="), r->committed,
		   "a packet half made: events written");
	unit_equal(described(&s, "overwritten="), r->committed - tally.held,
		   "a packet half made: status");
	/* ... and one that ended after more stores */
	head->timestamp_begin = r->now;
	head->content_size = 0;
	unit_equal(count_now(&s), all - r->counts[oldest % NSUB],
		   "a packet nearly made");
	show_close(&s);

	damaged_open(&s);
	r = &s.rings[0];
	/* an event has 64 bytes: damages the eleventh header of a packet */
	memset(fake_slot(r, oldest + 2) + PACKET_HEAD_BYTES + 13 + 60 + 9 * 64,
	       0xff, 64);
	unit_equal(count_now(&s), all - r->counts[(oldest + 2) % NSUB] + 10,
		   "a stray store: what is before it stays");
	memset(fake_slot(r, oldest + 2), 0, PACKET_HEAD_BYTES);
	unit_equal(count_now(&s), all - r->counts[(oldest + 2) % NSUB],
		   "a packet without its head is left out");
	r->ring->head = ~0ull;
	frames_tally(&s.channel, &tally);
	unit_check(!count_now(&s) && !tally.held && !tally.written,
		   "a head that cannot be: an empty ring");
	show_close(&s);
}

/* An event with another id ends the packet. */
static void test_stranger(void)
{
	struct show s;
	uint32_t before;

	show_open(&s, 0, 0, 0, 5);
	show_ring(&s, 0, SUB, NSUB, 0);
	show_ring(&s, 1, SUB, NSUB, 0);
	write_some(&s, 20);
	before = s.nall;
	fake_write(&s.rings[0], 6, 10, "abcd", 4);
	show_write(&s, 0, 10, 8);
	unit_equal(count_now(&s), before, "another id ends its packet");
	show_close(&s);
}

static const uint8_t *guard_copy(const struct fake_ring *r)
{
	char *p = mmap(NULL, r->bytes + 4096, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(p, r->ring, r->bytes);
	mprotect(p + r->bytes, 4096, PROT_NONE);
	return (uint8_t *)p;
}

/* All frames of an index must be within the rings, and in order. */
static bool index_sound(const struct show *s, uint8_t *const *memory,
			struct frames *frames)
{
	uint32_t most = s->channel.ring_bytes / 24 * s->nrings;
	uint64_t clock = 0;
	struct frame frame;
	uint32_t n;

	if (frames_count(frames) > most)
		return false;
	for (n = 0; n < frames_count(frames); n++) {
		struct frame_block block;
		uint32_t at = 0;
		uint32_t i;

		if (frames_get(frames, n, &frame) || frame.clock < clock)
			return false;
		clock = frame.clock;
		for (i = 0; i < s->nrings; i++)
			if (frame.blocks >= memory[i] + RING_DATA_OFFSET &&
			    frame.blocks + frame.bytes <=
				    memory[i] + s->rings[0].bytes)
				break;
		if (i == s->nrings)
			return false;
		while (frame_block_next(&frame, &at, &block))
			if (at > frame.bytes || block.start + block.size != at)
				return false;
	}
	return true;
}

/* Changes a few bytes: heads more often than others, small and large. */
static void mutate(uint8_t *p, size_t bytes)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
	uint32_t n = 1 + pick(4);

	while (n--) {
		size_t at = pick((uint32_t)bytes);

		if (pick(3) == 0)
			at = RING_DATA_OFFSET + pick(NSUB) * 1024 +
			     pick(PACKET_HEAD_BYTES);
		else if (pick(6) == 0)
			at = pick(24);
		p[at] = pick(2) ? values[pick(5)] : (uint8_t)pick(256);
	}
}

static bool fuzz_round(struct show *s, uint8_t *const *memory, int rounds)
{
	bool good = true;

	while (rounds-- && good) {
		struct frames_tally tally;
		struct frames *frames;
		uint32_t i;

		for (i = 0; i < s->nrings; i++) {
			memcpy(memory[i], s->rings[i].ring, s->rings[i].bytes);
			if (pick(2))
				mutate(memory[i], s->rings[i].bytes);
		}
		frames_tally(&s->channel, &tally);
		frames = frames_open(&s->channel, s->id);
		good = index_sound(s, memory, frames);
		frames_close(frames);
	}
	return good;
}

/* Makes the payload of a frame out of blocks. */
static uint32_t blocks_make(uint8_t *p, uint32_t bytes)
{
	static const uint8_t kinds[] = { 'R', 'M', 'V', 'S', '?' };
	uint32_t i;

	for (i = 0; i < bytes; i++)
		p[i] = pick(3) ? kinds[pick(5)] : (uint8_t)pick(12);
	return bytes;
}

static void test_fuzz(const char *name, uint32_t flags)
{
	uint8_t payload[20 + 300] = { 0 };
	uint8_t *memory[2];
	struct show s;
	uint32_t i;

	show_open(&s, flags, 0, 0, 5);
	show_ring(&s, 0, 1024, NSUB, 0);
	show_ring(&s, CHANNEL_CPUS_MAX, 1024, NSUB, 0);
	for (i = 0; i < 400; i++) {
		uint32_t n = blocks_make(payload + 20, pick(150));

		memcpy(payload + 16, &n, 4);
		fake_write(&s.rings[i & 1], 5, pick(2000), payload, 20 + n);
	}
	for (i = 0; i < 2; i++)
		memory[i] = (uint8_t *)guard_copy(&s.rings[i]);
	s.table.tab[0] = (struct ring *)memory[0];
	s.channel.locked[0] = (struct ring *)memory[1];
	unit_check(fuzz_round(&s, memory, 60000), "damaged bytes: %s", name);
	for (i = 0; i < 2; i++)
		munmap(memory[i], s.rings[i].bytes + 4096);
	show_close(&s);
}

static uint32_t block_count(const uint8_t *p, uint32_t bytes,
			    struct frame_block *last)
{
	struct frame frame = { .blocks = p, .bytes = bytes };
	struct frame_block block;
	uint32_t at = 0;
	uint32_t n = 0;

	while (frame_block_next(&frame, &at, &block)) {
		*last = block;
		n++;
	}
	return n;
}

static void test_blocks(void)
{
	uint8_t p[REGISTERS + 11 + 4 + 13 + 3 + 5] = { 'R', 1, 2 };
	uint8_t *memory = p + REGISTERS;
	uint8_t *variable = memory + 15;
	uint8_t *fixed = variable + 13;
	struct frame_block block;
	uint32_t n;
	bool good = true;

	memcpy(memory, "M\x10\x20\0\0\0\0\0\0\4\0abcd", 15);
	memcpy(variable, "V\x7\0\0\0\xfe\xff\xff\xff\xff\xff\xff\xff", 13);
	memcpy(fixed, "S\5\0hello", 8);
	unit_equal(block_count(p, sizeof(p), &block), 4, "four blocks");
	unit_check(block.kind == COLLECT_BLOCK_STATIC && block.nbytes == 5 &&
			   !memcmp(block.bytes, "hello", 5) &&
			   block.start == fixed - p && block.size == 8,
		   "static data");
	block_count(p, (uint32_t)(fixed - p), &block);
	unit_check(block.kind == COLLECT_BLOCK_VARIABLE &&
			   block.variable == 7 && block.value == -2 &&
			   block.size == 13,
		   "a variable");
	block_count(p, (uint32_t)(variable - p), &block);
	unit_check(block.kind == COLLECT_BLOCK_MEMORY &&
			   block.address == 0x2010 && block.nbytes == 4 &&
			   !memcmp(block.bytes, "abcd", 4),
		   "memory");
	block_count(p, REGISTERS, &block);
	unit_check(block.kind == COLLECT_BLOCK_REGISTERS &&
			   block.nbytes == REGISTERS - 1 &&
			   block.bytes == p + 1,
		   "registers");
	for (n = 0; n <= sizeof(p); n++) {
		uint32_t want = (n >= REGISTERS) + (n >= REGISTERS + 15) +
				(n >= REGISTERS + 28) + (n >= sizeof(p));

		good &= block_count(p, n, &block) == want;
	}
	unit_check(good, "blocks that are cut short are none");
	*fixed = 'Q';
	unit_equal(block_count(p, sizeof(p), &block), 3, "an unknown block");
}

int main(void)
{
	test_empty();
	test_merges();
	test_discard();
	test_damage();
	test_stranger();
	test_blocks();
	test_fuzz("compact", 0);
	test_fuzz("large, overwrite",
		  SESSION_LARGE_HEADER | SESSION_OVERWRITE);
	return unit_end();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events written and expected, on one CPU. What is expected is kept aside byte
 * by byte and compared by an oracle that shares no code with the product's
 * reader. `variant` goes in the names of results.
 */
#ifndef TESTSUITE_EXPECT_H
#define TESTSUITE_EXPECT_H

#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "buffers/clock.h"
#include "buffers/writers/inline-x86_64.h"
#include "testsuite/stress/bed.h"
#include "testsuite/stress/oracle.h"
#include "testsuite/unit/unit.h"

#define PAGE		4096u
#define ARENA_BYTES	(8u << 20)
#define EXPECTED_MAX	(256u << 10)
#define RING_BYTES	(256u << 10)

static struct expected {
	uint32_t id;
	uint32_t bytes;
	uint32_t offset;
} expected[EXPECTED_MAX];
static uint32_t nexpected;
static uint32_t next;			/* the one the walk is at */
static unsigned char *arena;
static uint32_t arena_used;

static struct channel *channel = &channels[0];
static uint32_t channel_index;
static const char *variant;		/* in the names of results */
static uint64_t seed = 1;
static unsigned char *guarded;		/* end of three pages between holes */

static inline uint32_t pick(uint32_t below)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % below;
}

static inline void fill(unsigned char *p, size_t n)
{
	while (n--)
		*p++ = (unsigned char)(pick(255) + 1);
}

/* The ring that this thread, on its one CPU, writes into. */
static inline struct ring *ring_here(void)
{
	uint32_t cpu = (uint32_t)sched_getcpu();

	return bed.cpus ? channel->rings->tab[cpu] :
			  channel->locked[cpu % channel->locked_max];
}

static inline char *data(struct ring *ring)
{
	return (char *)ring + RING_DATA_OFFSET;
}

static inline void expect_bytes(const void *p, size_t n)
{
	if (arena_used + n > ARENA_BYTES)
		abort();
	if (n)
		memcpy(arena + arena_used, p, n);
	arena_used += (uint32_t)n;
}

/* What the event must look like, from its shape. */
static inline void expect(const struct write_slot *slot,
			  const unsigned char *fixed,
			  const struct write_var *var)
{
	const struct write_shape *shape = slot->shape;
	struct expected *e = &expected[nexpected++];
	uint32_t done = 0;
	uint32_t i;

	if (nexpected == EXPECTED_MAX)
		abort();
	e->id = (uint32_t)slot->id;
	e->offset = arena_used;
	for (i = 0; i < shape->nvar; i++) {
		uint32_t before = shape->var[i].fixed_before;
		uint32_t count = (uint32_t)var[i].n;

		expect_bytes(fixed + done, before - done);
		done = before;
		if (!shape->var[i].element_bytes) {
			expect_bytes(var[i].p, strlen(var[i].p) + 1);
			continue;
		}
		expect_bytes(&count, 4);
		expect_bytes(var[i].p,
			     (size_t)count * shape->var[i].element_bytes);
	}
	expect_bytes(fixed + done, shape->fixed_bytes - done);
	e->bytes = arena_used - e->offset;
}

/* Events that an inline writer can write are written by it. */
static bool hit_inline;

static inline void hit(struct write_slot *slot, const unsigned char *fixed,
		       const struct write_var *var)
{
	uint64_t word = (uint64_t)(uintptr_t)fixed;

	if (slot->shape->fixed_bytes <= 8) {
		/* what is above the bytes that count is rubbish */
		word = 0xdeadbeefdeadbeefull;
		memcpy(&word, fixed, slot->shape->fixed_bytes);
	}
	if (hit_inline && slot->hit == write_word_compact)
		write_word_inline(slot, word);
	else if (hit_inline && slot->hit == write_string_compact)
		write_string_inline(slot,
				    (uint64_t[]){ word, (uint64_t)var->p });
	else
		slot->hit(slot, word, var);
}

static inline void put(struct write_slot *slot, const unsigned char *fixed,
		       const struct write_var *var)
{
	expect(slot, fixed, var);
	hit(slot, fixed, var);
}

static inline size_t compare(const struct oracle_event *event, void *priv)
{
	const struct expected *e = &expected[next];

	(void)priv;
	if (next >= nexpected || event->id != e->id ||
	    event->end - event->payload < (ptrdiff_t)e->bytes ||
	    memcmp(event->payload, arena + e->offset, e->bytes)) {
		printf("# event %u of %u: id %u, not %u, of %u bytes\n", next,
		       nexpected, event->id, e->id, e->bytes);
		return ORACLE_WRONG;
	}
	next++;
	return e->bytes;
}

/* Walks what is in the ring above its tail and empties it. */
static inline bool walk_by(struct ring *ring, oracle_check *check, void *priv)
{
	struct oracle oracle = {
		.check = check,
		.priv = priv,
		.now = clock_read(),
	};
	uint32_t head = RING_POSITION(ring->head);
	uint32_t at = (uint32_t)ring->tail;
	uint32_t before = 0;
	const char *error = NULL;

	while (!error) {
		const struct packet_head *packet =
			(void *)(data(ring) + (at & (ring->ring_bytes - 1)));
		int open = !((at ^ head) & ~(ring->sub_bytes - 1));
		uint32_t content = open ? head - at :
					  (uint32_t)packet->content_size / 8 +
						  PACKET_PRIVATE_BYTES;

		before = (uint32_t)packet->events_before;
		oracle.events = 0;
		error = oracle_head(packet, ring);
		if (!error && oracle_packet(&oracle, packet, content))
			error = oracle.error;
		if (open)
			break;
		if (!error)
			error = oracle_tail(packet, oracle.clock,
					    ring->sub_bytes);
		at += ring->sub_bytes;
	}
	if (!error && before + (uint32_t)oracle.events !=
			      RING_EVENTS(ring->head))
		error = "the count of events is wrong";
	if (error)
		printf("# %s at %#x, head %#llx\n", error, at,
		       (unsigned long long)ring->head);
	store_release(&ring->tail, (uint64_t)(head & ~(ring->sub_bytes - 1)),
		      RING_TAIL);
	return !error;
}

/* The same, for events that must be those expected. */
static inline bool walk(struct ring *ring)
{
	return walk_by(ring, compare, NULL);
}

/* Forgets what was written in the open packet, so that the next walk begins
 * where this one ended. */
static inline void restart(struct ring *ring)
{
	struct packet_head *packet;

	nexpected = next = arena_used = 0;
	packet = (void *)(data(ring) +
			  (ring->tail & (ring->ring_bytes - 1)));
	packet->events_before += RING_EVENTS(ring->head) -
				 (uint32_t)packet->events_before;
	ring->head = (ring->head & ~(uint64_t)UINT32_MAX) |
		     (uint32_t)(ring->tail + PACKET_HEAD_BYTES);
	packet->timestamp_begin = clock_read();
	ring->ts_limit = packet->timestamp_begin + (1u << 26);
}

/* Compares everything expected; the ring is empty afterwards. */
static inline bool verify(void)
{
	struct ring *ring = ring_here();
	bool good = walk(ring) && next == nexpected && !ring->lost;

	if (!good)
		printf("# %u of %u events, lost %llu\n", next, nexpected,
		       (unsigned long long)ring->lost);
	ring->lost = 0;
	restart(ring);
	return good;
}

static inline void channel_open(uint32_t flags, uint32_t contexts)
{
	if (bed_channel(channel, channel_index++, flags, contexts, RING_BYTES))
		abort();
	nexpected = next = arena_used = 0;
}

static inline void channel_close(void)
{
	unit_equal(bed_channel_end(channel), 0, "%s: channel ends", variant);
}

/* Runs `test` for rings of a CPU's own and for locked ones; it is given the
 * names of the two kinds of header. */
static inline int expect_run(void (*test)(const char *compact,
					  const char *wide))
{
	cpu_set_t set;
	char *pages;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	sched_setaffinity(0, sizeof(set), &set);
	arena = malloc(ARENA_BYTES);
	pages = mmap(NULL, 5 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
		     -1, 0);
	mprotect(pages + PAGE, 3 * PAGE, PROT_READ | PROT_WRITE);
	guarded = (unsigned char *)pages + 4 * PAGE;
	if (!unit_equal(bed_open(NULL, 1), 0, "set up"))
		return unit_end();
	if (bed.cpus)
		test("rseq compact", "rseq wide");
	else
		unit_skip("rseq", "no rseq, or no usable TSC");
	bed.cpus = 0;
	test("locked compact", "locked wide");
	bed_close();
	free(arena);
	munmap(pages, 5 * PAGE);
	return unit_end();
}

#endif

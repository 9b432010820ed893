/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events of the stress test: their making and their checking. Everything in
 * an event follows from its tag: stream in the upper 16 bits, number below.
 */
#include "testsuite/stress/bed.h"
#include "testsuite/stress/stress.h"

#include <string.h>

#include "buffers/clock.h"
#include "buffers/writers/write.h"

#define NUMBER_BITS	48
#define SEQUENCE_MAX	6000u
/* how far the clocks of two CPUs may be apart */
#define CLOCK_SLACK	2000u

enum kind { WORD, PAIR, BLOCK_44, BLOCK_100, BLOCK_256, TEXT, MIX, LONG };

/* Fixed parts up to 256 bytes: tag, clock before, pattern. */
struct block {
	uint64_t tag;
	uint64_t before;
	unsigned char pattern[240];
};

static const struct write_shape shapes[KINDS] = {
	[WORD] = { .fixed_bytes = 8 },
	[PAIR] = { .fixed_bytes = 16 },
	[BLOCK_44] = { .fixed_bytes = 44 },
	[BLOCK_100] = { .fixed_bytes = 100 },
	[BLOCK_256] = { .fixed_bytes = 256 },
	[TEXT] = { .fixed_bytes = 8, .nvar = 1,
		   .var = { { .fixed_before = 8 } } },
	[MIX] = { .fixed_bytes = 21, .nvar = 2,
		  .var = { { .fixed_before = 16 },
			   { .fixed_before = 16, .element_bytes = 2 } } },
	[LONG] = { .fixed_bytes = 8, .nvar = 1,
		   .var = { { .fixed_before = 8, .element_bytes = 1 } } },
};

static struct write_slot slots[KINDS];
struct write_slot *event_slots = slots;
uint32_t event_steady[KINDS];
volatile uint32_t event_directory;
__thread volatile int event_settling
	__attribute__((tls_model("initial-exec")));

static unsigned char noise[SEQUENCE_MAX + 512];

void event_setup(void)
{
	uint32_t i;

	for (i = 0; i < sizeof(noise); i++)
		noise[i] = (unsigned char)(i * 7 + i / 251 + 1);
	for (i = 0; i < KINDS; i++) {
		slots[i].shape = &shapes[i];
		slots[i].fixed_bytes = shapes[i].fixed_bytes;
		slots[i].hit = write_nothing;
		slots[i].rings[0] = &rings_off;
		slots[i].rings[1] = &rings_off;
		event_steady[i] = 1;
	}
}

uint32_t event_id(uint32_t kind)
{
	return kind + 1 + (options.extended ? 70000 : 0);
}

static uint32_t hash(uint64_t tag)
{
	return (uint32_t)((tag * 0x9e3779b97f4a7c15ull) >> 33);
}

static unsigned char pattern(uint64_t tag, uint32_t i)
{
	return (unsigned char)((tag * 11 + i * 7 + (tag >> NUMBER_BITS)) %
				       255 + 1);
}

static void text_make(char *text, uint64_t tag, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		text[i] = (char)pattern(tag, i);
	text[n] = 0;
}

static void emit_block(write_fn *hit, struct write_slot *slot, uint64_t tag)
{
	uint32_t n = slot->fixed_bytes;
	struct block block = { .tag = tag };
	uint32_t i;

	for (i = 0; i < n - 16; i++)
		block.pattern[i] = pattern(tag, i);
	block.before = clock_read();
	hit(slot, (uint64_t)&block, NULL);
}

static void emit_mix(write_fn *hit, struct write_slot *slot, uint64_t tag)
{
	char text[128];
	struct write_var var[2] = {
		{ text, WRITE_STRING },
		{ noise + hash(tag) % 256, hash(tag) % 50 },
	};
	struct block block = { .tag = tag };
	uint32_t i;

	for (i = 0; i < 5; i++)
		block.pattern[i] = pattern(tag, i);
	text_make(text, tag, hash(tag + 1) % 100);
	block.before = clock_read();
	hit(slot, (uint64_t)&block, var);
}

static void emit_kind(write_fn *hit, uint32_t kind, uint64_t tag)
{
	struct write_slot *slot = &slots[kind];
	struct write_var var;
	char text[256];

	switch (kind) {
	case WORD:
		hit(slot, tag, NULL);
		break;
	case TEXT:
		text_make(text, tag, hash(tag) % 200);
		var = (struct write_var){ text, WRITE_STRING };
		hit(slot, tag, &var);
		break;
	case LONG:
		var = (struct write_var){ noise + hash(tag) % 256,
					  hash(tag) % SEQUENCE_MAX };
		hit(slot, tag, &var);
		break;
	case MIX:
		emit_mix(hit, slot, tag);
		break;
	default:
		emit_block(hit, slot, tag);
	}
}

void event_emit(uint32_t stream, uint64_t random)
{
	static const uint8_t kinds[16] = {
		WORD, WORD, WORD, WORD, WORD, PAIR, PAIR, BLOCK_44, BLOCK_44,
		BLOCK_100, BLOCK_256, TEXT, TEXT, TEXT, MIX, MIX,
	};
	uint32_t kind = random % 256 ? kinds[random >> 8 & 15] : LONG;
	uint32_t steady =
		__atomic_load_n(&event_steady[kind], __ATOMIC_ACQUIRE);
	uint64_t number = __atomic_fetch_add(&stress->begun[stream], 1,
					     __ATOMIC_SEQ_CST);
	int outer = event_settling;	/* of what this handler interrupts */

	emit_kind(__atomic_load_n(&slots[kind].hit, __ATOMIC_ACQUIRE), kind,
		  (uint64_t)stream << NUMBER_BITS | number);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	event_settling = 1;
	if (!(steady & 1) &&
	    __atomic_load_n(&event_steady[kind], __ATOMIC_ACQUIRE) == steady &&
	    stress->directory[stream] == event_directory)
		stress->finished[stream]++;
	event_settling = outer;
}

struct cursor {
	const unsigned char *p;
	const unsigned char *end;
	const char *error;
};

static uint64_t take(struct cursor *c, unsigned int bytes)
{
	uint64_t value = 0;

	if (c->error || c->end - c->p < (ptrdiff_t)bytes) {
		c->error = "an event is cut";
		return 0;
	}
	memcpy(&value, c->p, bytes);
	c->p += bytes;
	return value;
}

static void check_pattern(struct cursor *c, uint64_t tag, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n && !c->error; i++)
		if (take(c, 1) != pattern(tag, i))
			c->error = "a pattern is torn";
}

static void check_text(struct cursor *c, uint64_t tag, uint32_t n)
{
	check_pattern(c, tag, n);
	if (!c->error && take(c, 1))
		c->error = "a string does not end";
}

static void check_noise(struct cursor *c, uint64_t tag, uint32_t count,
			uint32_t element)
{
	size_t bytes = (size_t)count * element;

	if (take(c, 4) != count)
		c->error = "a sequence has another length";
	if (!c->error && (size_t)(c->end - c->p) < bytes)
		c->error = "a sequence is cut";
	if (!c->error && memcmp(c->p, noise + hash(tag) % 256, bytes))
		c->error = "a sequence is torn";
	c->p += c->error ? 0 : bytes;
}

static void check_before(struct cursor *c, uint64_t clock)
{
	uint64_t before = take(c, 8);

	if (!c->error && clock + CLOCK_SLACK < before)
		c->error = "an event is earlier than its cause";
}

static void check_kind(struct cursor *c, uint32_t kind, uint64_t tag,
		       uint64_t clock)
{
	switch (kind) {
	case WORD:
		break;
	case TEXT:
		check_text(c, tag, hash(tag) % 200);
		break;
	case LONG:
		check_noise(c, tag, hash(tag) % SEQUENCE_MAX, 1);
		break;
	case MIX:
		check_before(c, clock);
		check_text(c, tag, hash(tag + 1) % 100);
		check_noise(c, tag, hash(tag) % 50, 2);
		check_pattern(c, tag, 5);
		break;
	default:
		check_before(c, clock);
		check_pattern(c, tag, shapes[kind].fixed_bytes - 16);
	}
}

static void check_contexts(struct cursor *c, uint32_t contexts)
{
	if (contexts & CONTEXT_VTID && !take(c, 4))
		c->error = "no thread id";
	if (contexts & CONTEXT_VPID && !take(c, 4))
		c->error = "no process id";
	if (contexts & CONTEXT_PROCNAME && (take(c, 8), take(c, 8)))
		c->error = "another process name";
	if (contexts & CONTEXT_CPU && take(c, 4) > 4096)
		c->error = "an impossible CPU";
	if (contexts & CONTEXT_IP)
		take(c, 8);
}

size_t event_check(const struct oracle_event *event, struct event_seen *seen)
{
	struct cursor c = { event->payload, event->end, NULL };
	uint32_t kind = event->id - event_id(0);
	uint64_t tag;

	if (kind >= BED_WIDE_ID)
		kind -= BED_WIDE_ID;
	if (kind >= KINDS) {
		seen->error = "an unknown event";
		return ORACLE_WRONG;
	}
	check_contexts(&c, seen->contexts);
	tag = take(&c, 8);
	seen->stream = (uint32_t)(tag >> NUMBER_BITS);
	seen->number = tag & ((1ull << NUMBER_BITS) - 1);
	if (!c.error)
		check_kind(&c, kind, tag, event->clock);
	seen->error = c.error;
	return c.error ? ORACLE_WRONG : (size_t)(c.p - event->payload);
}

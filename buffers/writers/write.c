/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The general writer and the slow paths: whatever a fast section gave up.
 *
 * Every pass of write_hard() looks at everything anew; each ends in one
 * committing store, in a counted loss, or in another pass.
 */
#include "buffers/writers/private.h"

#include "base/host.h"
#include "buffers/clock.h"
#include "buffers/rings/anchor.h"

const struct rings rings_off;

static void lose_closed(struct write_slot *slot, uint64_t fixed,
			const struct write_var *var, uint64_t ip)
{
	(void)slot;
	(void)fixed;
	(void)var;
	(void)ip;
}

void (*write_closed)(struct write_slot *slot, uint64_t fixed,
		     const struct write_var *var, uint64_t ip) = lose_closed;

SIGSAFE void write_nothing(struct write_slot *slot, uint64_t fixed,
			   const struct write_var *var)
{
	(void)slot;
	(void)fixed;
	(void)var;
}

static void part_add(struct write_event *event, const void *p, uint64_t n)
{
	if (!n)
		return;
	event->parts[event->nparts].p = p;
	event->parts[event->nparts].n = n;
	event->nparts++;
}

/* Bits of enum session_context, in order, packed. */
static uint32_t context_store(char *out, uint32_t contexts, uint64_t ip)
{
	char *p = out;
	uint32_t word;

	if (contexts & CONTEXT_VTID) {
		word = host_tid();
		__builtin_memcpy(p, &word, 4);
		p += 4;
	}
	if (contexts & CONTEXT_VPID) {
		word = process.page ? process.page->pid : 0;
		__builtin_memcpy(p, &word, 4);
		p += 4;
	}
	if (contexts & CONTEXT_PROCNAME) {
		host_thread_name(p);
		p += 16;
	}
	if (contexts & CONTEXT_CPU) {
		word = host_cpu();
		__builtin_memcpy(p, &word, 4);
		p += 4;
	}
	if (contexts & CONTEXT_IP) {
		__builtin_memcpy(p, &ip, 8);
		p += 8;
	}
	return (uint32_t)(p - out);
}

/* A string that may have no NUL is two parts: its characters, and a NUL. */
static void string_add(struct write_event *event,
		       const struct write_shape *shape, uint32_t i,
		       const char *block, const struct write_var *var)
{
	const char *p = var->p;
	int32_t limit = shape->var[i].limit;
	uint64_t n = 0;

	switch (shape->var[i].rule) {
	case WRITE_RULE_ADDRESS:
		part_add(event, &var->p, sizeof(var->p));
		return;
	case WRITE_RULE_FIELD:
		__builtin_memcpy(&limit, block + limit, sizeof(limit));
		break;
	case WRITE_RULE_BOUNDED:
		break;
	default:
		limit = -1;
	}
	if (limit < 0) {
		part_add(event, p, WRITE_STRING);
		return;
	}
	while (n < (uint64_t)limit && p[n])
		n++;
	part_add(event, p, n);
	part_add(event, "", 1);
}

SIGSAFE void write_event_build(struct write_event *event,
			       const struct write_slot *slot,
			       const struct channel *channel, uint64_t fixed,
			       const struct write_var *var, uint64_t ip)
{
	const struct write_shape *shape = event->shape;
	const char *block;
	uint32_t done = 0;
	uint32_t i;

	event->generation = load_acquire(&channel->rings->generation);
	event->id = load_acquire(&slot->id);
	event->nparts = 0;
	event->fixed = fixed;
	block = shape->fixed_bytes <= 8 ? (const char *)&event->fixed :
					  (const char *)fixed;
	if (channel->contexts)
		part_add(event, event->context,
			 context_store(event->context, channel->contexts, ip));
	for (i = 0; i < shape->nvar; i++) {
		uint32_t before = shape->var[i].fixed_before;
		uint32_t element = shape->var[i].element_bytes;

		part_add(event, block + done, before - done);
		done = before;
		if (!element) {
			string_add(event, shape, i, block, &var[i]);
			continue;
		}
		event->counts[i] = var[i].n > UINT32_MAX / 8 ?
					   UINT32_MAX / 8 :
					   (uint32_t)var[i].n;
		part_add(event, &event->counts[i], 4);
		part_add(event, var[i].p, (uint64_t)event->counts[i] * element);
	}
	part_add(event, block + done, shape->fixed_bytes - done);
}

static uint64_t string_bytes(const char *s)
{
	const char *p = s;

	while (*p)
		p++;
	return (uint64_t)(p - s) + 1;
}

SIGSAFE uint64_t write_event_bytes(const struct write_event *event)
{
	uint64_t bytes = 0;
	uint32_t i;

	for (i = 0; i < event->nparts; i++)
		bytes += event->parts[i].n == WRITE_STRING ?
				 string_bytes(event->parts[i].p) :
				 event->parts[i].n;
	return bytes;
}

static uint32_t id_extended(int header)
{
	return header == WRITE_LARGE ? CTF_LARGE_ID_EXTENDED :
				       CTF_COMPACT_ID_EXTENDED;
}

SIGSAFE void write_oversize_count(const struct write_event *event,
				  struct channel *channel)
{
	uint64_t *count =
		load_acquire(&event->shape->oversize[channel - channels]);

	if (count)
		channel_count(channel, event->generation, count);
}

/* WRITE_FULL from a section: make room, or find that there is none. */
static enum write_verdict room_make(const struct write_slot *slot, int header,
				    int extended, struct channel *channel,
				    const struct write_event *event)
{
	uint64_t need = write_header_bytes(header, extended) +
			write_event_bytes(event);
	int oversize = need >= channel->sub_bytes - PACKET_HEAD_BYTES;
	enum write_verdict verdict;

	if (!oversize) {
		verdict = section_switch(slot, header, (uint32_t)need);
		if (verdict != WRITE_FULL)
			return verdict;
	}
	verdict = section_lose(slot, header);
	if (verdict != WRITE_DONE)
		return verdict;
	if (oversize)
		write_oversize_count(event, channel);
	return WRITE_LOST;
}

/*
 * WRITE_NONE from a section. A fork: the child gets rings, then again. A CPU
 * without a ring: WRITE_AGAIN when there is one by now, else WRITE_NONE for
 * the locked rings. WRITE_LOST when the channel is off: nothing to write.
 */
static enum write_verdict ring_find(const struct rings *rings,
				    struct channel *channel, uint32_t *tries)
{
	uint32_t cpu;

	if (!load_relaxed(fork_mark) && channel_revive && (*tries)++ < 2 &&
	    channel_revive())
		return WRITE_AGAIN;
	/* a handler, or another thread, may have revived the child */
	if (!channel && load_acquire(&rings->channel))
		return WRITE_AGAIN;
	if (!channel || !load_relaxed(fork_mark)) {
		channel_orphan_lose(rings);
		return WRITE_LOST;
	}
	if (!load_acquire(&channel->active))
		return WRITE_LOST;
	cpu = host_cpu();
	if (cpu < load_relaxed(&rings->nr) && (*tries)++ < 2 &&
	    channel_need_cpu_ring(channel, cpu))
		return WRITE_AGAIN;
	return WRITE_NONE;
}

/* A verdict that asks for another ring or for more room; WRITE_AGAIN: try the
 * section once more. */
static enum write_verdict write_mend(const struct write_slot *slot, int header,
				     int extended, const struct rings *rings,
				     struct channel *channel,
				     struct write_event *event,
				     enum write_verdict verdict,
				     uint32_t *tries)
{
	if (verdict == WRITE_FULL) {
		verdict = room_make(slot, header, extended, channel, event);
		if (verdict == WRITE_FITS)
			return verdict;
	}
	if (verdict == WRITE_NONE)
		verdict = ring_find(rings, channel, tries);
	if (verdict == WRITE_AGAIN && ++*tries > SECTION_ABORTS_MAX)
		verdict = WRITE_NONE;
	if (verdict == WRITE_NONE && channel)
		verdict = locked_write(slot, header, channel, event);
	return verdict;
}

/* Returns whether it took a path that is taken now and then only. */
static COLD __attribute__((noinline)) int
write_pass(struct write_slot *slot, uint64_t fixed,
	   const struct write_var *var, int header, uint64_t ip)
{
	struct write_event event;
	uint32_t nvar = slot->shape->nvar;
	uint32_t tries = 0;
	int extended = 0;

	/* the program's stack may be small: 16 fields would take 864 bytes */
	event.shape = slot->shape;
	event.seldom = 0;
	event.parts = __builtin_alloca(WRITE_PARTS(nvar) *
					       sizeof(*event.parts) +
				       nvar * sizeof(*event.counts));
	event.counts = (uint32_t *)(event.parts + WRITE_PARTS(nvar));
	for (;;) {
		const struct rings *rings = load_acquire(&slot->rings[header]);
		/* once: after a fork it is NULL, in a handler's child too */
		struct channel *channel = load_acquire(&rings->channel);
		enum write_verdict verdict = WRITE_NONE;

		if (rings == &rings_off) {
			write_closed(slot, fixed, var, ip);
			return 0;
		}
		if (channel)
			write_event_build(&event, slot, channel, fixed, var,
					  ip);
		if (channel && channel->cpus)
			verdict = section_write(slot, header, extended,
						&event);
		else if (channel && load_relaxed(fork_mark))
			verdict = locked_write(slot, header, channel, &event);
		if (verdict == WRITE_LATE) {
			extended = 1;
			event.seldom |= event.id < id_extended(header);
			continue;
		}
		if (verdict != WRITE_DONE)
			verdict = write_mend(slot, header, extended, rings,
					     channel, &event, verdict, &tries);
		event.seldom |= verdict == WRITE_FITS;
		if (verdict == WRITE_DONE || verdict == WRITE_LOST ||
		    verdict == WRITE_NONE)
			return (int)event.seldom;
	}
}

/* The clock's anchor is kept when the stack of the write is free again. */
static void write_any(struct write_slot *slot, uint64_t fixed,
		      const struct write_var *var, int header, uint64_t ip)
{
	if (write_pass(slot, fixed, var, header, ip))
		anchor_keep();
}

COLD SIGSAFE void write_hard(struct write_slot *slot, uint64_t fixed,
			     const struct write_var *var, int header)
{
	write_any(slot, fixed, var, header, 0);
}

SIGSAFE void write_at(struct write_slot *slot, uint64_t fixed,
		      const struct write_var *var, uint64_t ip)
{
	int header = load_acquire(&slot->rings[WRITE_LARGE]) == &rings_off ?
			     WRITE_COMPACT :
			     WRITE_LARGE;

	write_any(slot, fixed, var, header, ip);
}

static void write_general(struct write_slot *slot, uint64_t fixed,
			  const struct write_var *var)
{
	write_at(slot, fixed, var, (uint64_t)__builtin_return_address(0));
}

write_fn *write_choose(const struct write_shape *shape,
		       const struct channel *channel, uint32_t id,
		       uint64_t *step)
{
	int header = channel->flags & SESSION_LARGE_HEADER ? WRITE_LARGE :
							     WRITE_COMPACT;
	uint32_t head = write_header_bytes(header, 0);

	*step = 1ull << 32 | (head + shape->fixed_bytes);
	if (!channel->cpus)
		return channel->contexts || shape->nvar ||
				       shape->fixed_bytes > 8 ?
			       locked_write_any :
			       locked_write_word;
	if (!channel->contexts && id < id_extended(header)) {
		if (!shape->nvar && shape->fixed_bytes <= 8)
			return write_fast_word(header);
		if (!shape->nvar && shape->fixed_bytes <= 256)
			return write_fast_block(shape, header);
		if (shape->nvar == 1 && !shape->var[0].element_bytes &&
		    shape->var[0].rule == WRITE_RULE_PLAIN &&
		    shape->fixed_bytes <= 8 &&
		    shape->var[0].fixed_before == shape->fixed_bytes) {
			*step = 1ull << 32 | head;
			return write_fast_string(header);
		}
		if (shape->nvar == 1 && shape->var[0].element_bytes &&
		    shape->fixed_bytes <= 8 &&
		    shape->var[0].fixed_before == shape->fixed_bytes) {
			*step += sizeof(uint32_t); /* the count */
			return write_fast_sequence(shape, header);
		}
	}
	*step = WRITE_STEP_NONE;
	return write_general;
}

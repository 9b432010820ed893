/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Takes an event apart: contexts, fixed part, strings and sequences, in the
 * order of their bytes in a ring.
 */
#include "buffers/writers/private.h"

#include "base/host.h"

static void part_add(struct write_event *event, const void *p, uint64_t n)
{
	if (!n)
		return;
	event->parts[event->nparts].p = p;
	event->parts[event->nparts].n = n;
	event->nparts++;
}

/* Stores the contexts of enum session_context, in order, packed. Returns their
 * bytes. */
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
	if (contexts & CONTEXT_PTHREAD) {
		uint64_t thread = (uintptr_t)__builtin_thread_pointer();

		__builtin_memcpy(p, &thread, 8);
		p += 8;
	}
	return (uint32_t)(p - out);
}

SIGSAFE uint64_t write_string_limit(const struct write_shape *shape, uint32_t i,
				    const char *block,
				    const struct write_var *var)
{
	int32_t limit = shape->var[i].limit;

	if (var->n == WRITE_NULL || shape->var[i].rule == WRITE_RULE_COUNTED)
		return var->n == WRITE_NULL ? WRITE_STRING : var->n;
	if (shape->var[i].rule == WRITE_RULE_FIELD)
		__builtin_memcpy(&limit, block + limit, sizeof(limit));
	else if (shape->var[i].rule != WRITE_RULE_BOUNDED)
		return WRITE_STRING;
	return limit < 0 ? WRITE_STRING : (uint64_t)limit;
}

/* Adds a string. One that may lack a NUL is two parts: characters and a NUL. */
static void string_add(struct write_event *event,
		       const struct write_shape *shape, uint32_t i,
		       const char *block, const struct write_var *var)
{
	static const char *const null;
	const char *p = var->p;
	uint64_t limit;
	uint64_t n = 0;

	if (shape->var[i].rule == WRITE_RULE_ADDRESS) {
		part_add(event, var->n == WRITE_NULL ? (const void *)&null :
						       &var->p,
			 sizeof(var->p));
		return;
	}
	limit = write_string_limit(shape, i, block, var);
	if (limit == WRITE_STRING) {
		part_add(event, p, WRITE_STRING);
		return;
	}
	while (n < limit && p[n])
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

	event->generation =
		load_acquire(&channel->rings->generation, RINGS_GENERATION);
	event->id = load_acquire(&slot->id, WRITE_SLOT);
	event->nparts = 0;
	event->fixed = fixed;
	block = shape->fixed_bytes <= 8 ? (const char *)&event->fixed :
					  (const char *)fixed;
	/* a site without strings says in whose name it was hit */
	if (!shape->nvar && var)
		ip = (uint64_t)var;
	if (channel->contexts & ~CONTEXT_WRITER)
		part_add(event, event->context,
			 context_store(event->context, channel->contexts, ip));
	for (uint32_t i = 0; i < shape->nvar; i++) {
		uint32_t before = shape->var[i].fixed_before;
		uint32_t element = shape->var[i].element_bytes;

		part_add(event, block + done, before - done);
		done = before;
		if (!element) {
			string_add(event, shape, i, block, &var[i]);
			continue;
		}
		event->counts[i] = var[i].n > UINT32_MAX / 8 ?
					   UINT32_MAX / 8 : (uint32_t)var[i].n;
		if (shape->var[i].rule != WRITE_RULE_BARE)
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

	for (uint32_t i = 0; i < event->nparts; i++)
		bytes += event->parts[i].n == WRITE_STRING ?
				 string_bytes(event->parts[i].p) :
				 event->parts[i].n;
	return bytes;
}

SIGSAFE void write_oversize_count(const struct write_event *event,
				  struct channel *channel)
{
	uint64_t **counts = event->shape->oversize, *count;

	if (!counts)
		return;
	count = load_acquire(&counts[channel - channels], OVERSIZE_COUNT);
	if (count)
		channel_count(channel, event->generation, count);
}

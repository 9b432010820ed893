/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes frames. See draft.h.
 */
#include "tracepoints/frames/draft.h"

#include "base/base.h"
#include "tracepoints/frames/collect.h"
#include "tracepoints/program/registers-x86_64.h"

SIGSAFE int draft_room(struct draft *draft, uint64_t n)
{
	if (likely(n <= draft->room - draft->used))
		return 1;
	if (draft->more && draft->more(draft) && n <= draft->room - draft->used)
		return 1;
	draft->cut = 1;
	return 0;
}

/* Adds the letter that begins a block; there is room. */
static void put_kind(struct draft *draft, enum collect_block kind)
{
	draft->bytes[draft->used++] = (uint8_t)kind;
}

SIGSAFE uint8_t *draft_registers_room(struct draft *draft, uint32_t n)
{
	if (!draft_room(draft, 1 + n))
		return NULL;
	put_kind(draft, COLLECT_BLOCK_REGISTERS);
	draft->used += n;
	return draft->bytes + draft->used - n;
}

SIGSAFE enum ax_verdict draft_registers(struct draft *draft,
					const void *block, uint32_t n)
{
	uint8_t *to = draft_registers_room(draft, n);

	if (!to)
		return AX_NO_ROOM;
	__builtin_memcpy(to, block, n);
	return AX_DONE;
}

SIGSAFE enum ax_verdict draft_variable(struct draft *draft, uint32_t number,
				       int64_t value)
{
	if (!draft_room(draft, 1 + sizeof(number) + sizeof(value)))
		return AX_NO_ROOM;
	put_kind(draft, COLLECT_BLOCK_VARIABLE);
	draft_put(draft, &number, sizeof(number));
	draft_put(draft, &value, sizeof(value));
	return AX_DONE;
}

typedef uint64_t copy_fn(void *to, uint64_t address, uint64_t n,
			 const struct memory_stack *stack);

/* Copies a string in the form of memory_copy(), so that add_block() serves
 * both. */
static uint64_t copy_string(void *to, uint64_t address, uint64_t n,
			    const struct memory_stack *stack)
{
	return memory_copy_string(to, address, n, stack);
}

/* Adds one block of at most 65535 bytes. Returns how many it could read. */
static ALWAYS_INLINE uint64_t add_block(struct draft *draft, uint64_t address,
					uint64_t n, copy_fn *copy)
{
	uint32_t start = draft->used;
	uint64_t got;
	uint16_t length;

	put_kind(draft, COLLECT_BLOCK_MEMORY);
	draft_put(draft, &address, sizeof(address));
	got = copy(draft->bytes + start + 11, address, n, &draft->stack);
	length = (uint16_t)got;
	__builtin_memcpy(draft->bytes + start + 9, &length, sizeof(length));
	draft->used = got ? start + 11 + (uint32_t)got : start;
	return got;
}

SIGSAFE enum ax_verdict draft_memory(struct draft *draft, uint64_t address,
				     uint64_t n)
{
	while (n) {
		uint64_t part = min_u64(n, 65535);

		if (!draft_room(draft, 11 + part)) {
			if (draft->room - draft->used <= 11)
				return AX_NO_ROOM;
			part = draft->room - draft->used - 11;
		}
		if (add_block(draft, address, part, memory_copy) < part)
			return AX_DONE;
		if (draft->cut)
			return AX_NO_ROOM;
		address += part;
		n -= part;
	}
	return AX_DONE;
}

SIGSAFE enum ax_verdict draft_string(struct draft *draft, uint64_t address,
				     uint64_t n)
{
	n = min_u64(n, 65535);
	if (!draft_room(draft, 11 + n)) {
		if (draft->room - draft->used <= 11)
			return AX_NO_ROOM;
		n = draft->room - draft->used - 11;
		draft->cut = 0;	/* unless the string fills the room */
		if (add_block(draft, address, n, copy_string) == n)
			draft->cut = 1;
		return AX_DONE;
	}
	add_block(draft, address, n, copy_string);
	return AX_DONE;
}

/* The block of an event's fields, being written. */
struct fields {
	struct draft *draft;
	const struct write_shape *shape;
	const uint8_t *block;		/* the fixed part */
	const struct write_var *var;
	uint32_t start;			/* of its bytes */
};

/* Adds the fixed part of an event without variable fields; there is room. */
static void put_fixed(struct draft *draft, const uint8_t *from, uint32_t n)
{
	uint8_t *to = draft->bytes + draft->used;
	uint32_t i;

	draft->used += n;
	for (i = 0; i + 8 <= n; i += 8)
		__builtin_memcpy(to + i, from + i, 8);
	if (n & 4)
		__builtin_memcpy(to + i, from + i, 4);
	i += n & 4;
	for (; i < n; i++)
		to[i] = from[i];
}

/* Adds as many bytes as there is room for. */
static void put_some(struct fields *f, const void *bytes, uint64_t n)
{
	struct draft *draft = f->draft;
	uint64_t left;

	draft_room(draft, n);
	left = min_u64(draft->room, (uint64_t)f->start + 65535) - draft->used;
	if (n > left) {
		n = left;
		draft->cut = 1;
	}
	draft_put(draft, bytes, (uint32_t)n);
}

/* Adds variable field i as a ring holds it. */
static void put_var(struct fields *f, uint32_t i)
{
	const struct write_var *var = &f->var[i];
	uint32_t element = f->shape->var[i].element_bytes;
	uint32_t count = (uint32_t)min_u64(var->n, UINT32_MAX / 8);

	if (element) {
		if (f->shape->var[i].rule != WRITE_RULE_BARE)
			put_some(f, &count, sizeof(count));
		put_some(f, var->p, (uint64_t)count * element);
	} else if (f->shape->var[i].rule == WRITE_RULE_ADDRESS) {
		const void *p = var->n == WRITE_NULL ? NULL : var->p;

		put_some(f, &p, sizeof(p));
	} else {
		const char *p = var->p;
		uint64_t limit = write_string_limit(
			f->shape, i, (const char *)f->block, var);
		uint64_t n = 0;

		while (n < limit && p[n])
			n++;
		put_some(f, p, n);
		put_some(f, "", 1);
	}
}

SIGSAFE enum ax_verdict draft_static(struct draft *draft,
				     const struct write_shape *shape,
				     uint64_t fixed,
				     const struct write_var *var)
{
	struct fields f = { draft, shape, (const uint8_t *)fixed, var, 0 };
	uint32_t done = 0;
	uint16_t length;
	uint32_t i;

	if (shape->fixed_bytes <= 8)
		f.block = (const uint8_t *)&fixed;
	if (!draft_room(draft, 3 + shape->fixed_bytes))
		return AX_NO_ROOM;
	put_kind(draft, COLLECT_BLOCK_STATIC);
	draft->used += sizeof(length);
	f.start = draft->used;
	if (!shape->nvar) {
		put_fixed(draft, f.block, shape->fixed_bytes);
		done = shape->fixed_bytes;
	}
	for (i = 0; i < shape->nvar; i++) {
		uint32_t before = shape->var[i].fixed_before;

		put_some(&f, f.block + done, before - done);
		done = before;
		put_var(&f, i);
	}
	if (done < shape->fixed_bytes)
		put_some(&f, f.block + done, shape->fixed_bytes - done);
	length = (uint16_t)(draft->used - f.start);
	__builtin_memcpy(draft->bytes + f.start - sizeof(length), &length,
			 sizeof(length));
	return draft->cut ? AX_NO_ROOM : AX_DONE;
}

SIGSAFE enum ax_verdict draft_ax_read(void *draft, uint64_t address, void *to,
				      uint32_t bytes)
{
	return memory_copy(to, address, bytes,
			   &((struct draft *)draft)->stack) == bytes ?
		       AX_DONE :
		       AX_BAD_ADDRESS;
}

SIGSAFE enum ax_verdict draft_ax_collect(void *draft, uint64_t address,
					 uint64_t n)
{
	return draft_memory(draft, address, n);
}

SIGSAFE enum ax_verdict draft_ax_collect_string(void *draft, uint64_t address,
						uint64_t n)
{
	return draft_string(draft, address, n);
}

SIGSAFE enum ax_verdict draft_ax_register(const uint64_t *general,
					  uint64_t flags, uint32_t number,
					  uint64_t *value)
{
	if (number < 16)
		*value = general[number];
	else if (number == REGISTER_FLAGS)
		*value = flags;
	else if (number == REGISTER_FS_BASE)
		*value = (uint64_t)__builtin_thread_pointer();
	else
		return AX_UNAVAILABLE;
	return AX_DONE;
}

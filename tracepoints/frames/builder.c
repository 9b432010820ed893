/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes frames. See builder.h.
 */
#include "tracepoints/frames/builder.h"

#include "base/base.h"
#include "tracepoints/frames/collect.h"
#include "tracepoints/program/registers-x86_64.h"

SIGSAFE bool builder_room(struct builder *builder, uint64_t n)
{
	if (likely(n <= builder->room - builder->used))
		return true;
	if (builder->more && builder->more(builder) &&
	    n <= builder->room - builder->used)
		return true;
	builder->cut = 1;
	return false;
}

/* Adds the letter that begins a block; there is room. */
static void put_kind(struct builder *builder, enum collect_block kind)
{
	builder->bytes[builder->used++] = (uint8_t)kind;
}

SIGSAFE uint8_t *builder_registers_room(struct builder *builder, uint32_t n)
{
	if (!builder_room(builder, 1 + n))
		return NULL;
	put_kind(builder, COLLECT_BLOCK_REGISTERS);
	builder->used += n;
	return builder->bytes + builder->used - n;
}

SIGSAFE enum ax_verdict builder_variable(struct builder *builder,
					 uint32_t number, int64_t value)
{
	if (!builder_room(builder, 1 + sizeof(number) + sizeof(value)))
		return AX_NO_ROOM;
	put_kind(builder, COLLECT_BLOCK_VARIABLE);
	builder_put(builder, &number, sizeof(number));
	builder_put(builder, &value, sizeof(value));
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
static ALWAYS_INLINE uint64_t add_block(struct builder *builder,
					uint64_t address, uint64_t n,
					copy_fn *copy)
{
	uint32_t start = builder->used;
	uint64_t got;
	uint16_t length;

	put_kind(builder, COLLECT_BLOCK_MEMORY);
	builder_put(builder, &address, sizeof(address));
	got = copy(builder->bytes + start + 11, address, n, &builder->stack);
	length = (uint16_t)got;
	__builtin_memcpy(builder->bytes + start + 9, &length, sizeof(length));
	builder->used = got ? start + 11 + (uint32_t)got : start;
	return got;
}

SIGSAFE enum ax_verdict builder_memory(struct builder *builder,
				       uint64_t address, uint64_t n)
{
	while (n) {
		uint64_t part = min_u64(n, 65535);

		if (!builder_room(builder, 11 + part)) {
			if (builder->room - builder->used <= 11)
				return AX_NO_ROOM;
			part = builder->room - builder->used - 11;
		}
		if (add_block(builder, address, part, memory_copy) < part)
			return AX_DONE;
		if (builder->cut)
			return AX_NO_ROOM;
		address += part;
		n -= part;
	}
	return AX_DONE;
}

/* The block of an event's fields, being written. */
struct fields {
	struct builder *builder;
	const struct write_shape *shape;
	const uint8_t *block;		/* the fixed part */
	const struct write_var *var;
	uint32_t start;			/* of its bytes */
};

/* Adds the fixed part of an event without variable fields; there is room. */
static void put_fixed(struct builder *builder, const uint8_t *from, uint32_t n)
{
	uint8_t *to = builder->bytes + builder->used;
	uint32_t i;

	builder->used += n;
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
	struct builder *builder = f->builder;
	uint64_t left;

	builder_room(builder, n);
	left = min_u64(builder->room, (uint64_t)f->start + 65535) -
	       builder->used;
	if (n > left) {
		n = left;
		builder->cut = 1;
	}
	builder_put(builder, bytes, (uint32_t)n);
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

SIGSAFE enum ax_verdict builder_static(struct builder *builder,
				       const struct write_shape *shape,
				       uint64_t fixed,
				       const struct write_var *var)
{
	struct fields f = { builder, shape, (const uint8_t *)fixed, var, 0 };
	uint32_t done = 0;
	uint16_t length;

	if (shape->fixed_bytes <= 8)
		f.block = (const uint8_t *)&fixed;
	if (!builder_room(builder, 3 + shape->fixed_bytes))
		return AX_NO_ROOM;
	put_kind(builder, COLLECT_BLOCK_STATIC);
	builder->used += sizeof(length);
	f.start = builder->used;
	if (!shape->nvar) {
		put_fixed(builder, f.block, shape->fixed_bytes);
		done = shape->fixed_bytes;
	}
	for (uint32_t i = 0; i < shape->nvar; i++) {
		uint32_t before = shape->var[i].fixed_before;

		put_some(&f, f.block + done, before - done);
		done = before;
		put_var(&f, i);
	}
	if (done < shape->fixed_bytes)
		put_some(&f, f.block + done, shape->fixed_bytes - done);
	length = (uint16_t)(builder->used - f.start);
	__builtin_memcpy(builder->bytes + f.start - sizeof(length), &length,
			 sizeof(length));
	return builder->cut ? AX_NO_ROOM : AX_DONE;
}

SIGSAFE enum ax_verdict builder_ax_read(void *builder, uint64_t address,
					void *to, uint32_t bytes)
{
	return memory_copy(to, address, bytes,
			   &((struct builder *)builder)->stack) == bytes ?
		       AX_DONE : AX_BAD_ADDRESS;
}

SIGSAFE enum ax_verdict builder_ax_collect(void *builder, uint64_t address,
					   uint64_t n)
{
	return builder_memory(builder, address, n);
}

/* Adds a string with the NUL, or the first n bytes; at most 65535. */
SIGSAFE enum ax_verdict builder_ax_collect_string(void *to, uint64_t address,
						  uint64_t n)
{
	struct builder *builder = to;

	n = min_u64(n, 65535);
	if (!builder_room(builder, 11 + n)) {
		if (builder->room - builder->used <= 11)
			return AX_NO_ROOM;
		n = builder->room - builder->used - 11;
		builder->cut = 0;	/* unless the string fills the room */
		if (add_block(builder, address, n, copy_string) == n)
			builder->cut = 1;
		return AX_DONE;
	}
	add_block(builder, address, n, copy_string);
	return AX_DONE;
}

SIGSAFE enum ax_verdict builder_ax_register(const uint64_t *general,
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

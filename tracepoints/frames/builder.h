/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A frame that is being made: blocks as tracepoints/frames/collect.h describes
 * them, one after the other, in the caller's memory.
 *
 * All functions are SIGSAFE, take no lock, and load only from memory that is
 * certain to be mapped (tracepoints/program/memory.h).
 */
#ifndef TRACEPOINTS_FRAMES_BUILDER_H
#define TRACEPOINTS_FRAMES_BUILDER_H

#include "buffers/writers/write.h"
#include "tracepoints/conditions/ax.h"
#include "tracepoints/program/memory.h"

struct builder {
	uint8_t *bytes;
	uint32_t used;
	uint32_t room;
	int cut;			/* something did not fit */
	/* called when there is no room: moves the bytes to a larger place and
	 * returns 1, or returns 0; may be NULL */
	int (*more)(struct builder *builder);
	struct memory_stack stack;	/* of the thread that hit the marker */
};

/* Returns true when there is room for n more bytes; else marks the frame as
 * cut. */
bool builder_room(struct builder *builder, uint64_t n);

/*
 * Copies n bytes by general registers. Some gdbservers destroy vector registers
 * of a thread that they stop (docs/gdb-defects.md), and memcpy() of libc keeps
 * the beginning of a copy in such registers until the end. SIGSAFE.
 */
static inline void builder_copy(void *to, const void *from, uint64_t n)
{
	uint8_t *out = to;
	const uint8_t *in = from;

	for (; n >= 8; n -= 8, out += 8, in += 8) {
		__builtin_memcpy(out, in, 8);
		/* or the compiler makes a memcpy() of the loop */
		__asm__ volatile("" : : : "memory");
	}
	for (; n; n--) {
		*out++ = *in++;
		__asm__ volatile("" : : : "memory");
	}
}

/* Adds bytes; there is room for them. */
static inline void builder_put(struct builder *builder, const void *bytes,
			       uint32_t n)
{
	builder_copy(builder->bytes + builder->used, bytes, n);
	builder->used += n;
}

/* Adds a block of registers, but the caller must write the n bytes. Returns
 * where, or NULL. */
uint8_t *builder_registers_room(struct builder *builder, uint32_t n);
/* Adds a block. Returns AX_DONE or AX_NO_ROOM. */
enum ax_verdict builder_variable(struct builder *builder, uint32_t number,
				 int64_t value);

/* Adds memory, from the first byte up to a byte that cannot be read. If the
 * first cannot be read, adds no block and returns AX_DONE. More than 65535
 * bytes become several blocks. */
enum ax_verdict builder_memory(struct builder *builder, uint64_t address,
			       uint64_t n);

/*
 * Functions for an ax_machine whose `hit` begins with a builder. They read or
 * collect memory; the last gives the general registers, flags and thread
 * pointer by gdb's number, or AX_UNAVAILABLE.
 */
enum ax_verdict builder_ax_read(void *builder, uint64_t address, void *to,
				uint32_t bytes);
enum ax_verdict builder_ax_collect(void *builder, uint64_t address, uint64_t n);
enum ax_verdict builder_ax_collect_string(void *builder, uint64_t address,
					  uint64_t n);
enum ax_verdict builder_ax_register(const uint64_t *general, uint64_t flags,
				    uint32_t number, uint64_t *value);

/* Adds the fields of an event of that shape, as a ring would hold them. */
enum ax_verdict builder_static(struct builder *builder,
			       const struct write_shape *shape, uint64_t fixed,
			       const struct write_var *var);

#endif

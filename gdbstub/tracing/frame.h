/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The trace frame that gdb looks at, if it looks at one: gdb then gets the
 * registers and the memory that were collected.
 *
 * Invariant: a frame's bytes are in rings that a stray store of the program may
 * have hit. So only frame_block_next() takes them.
 */
#ifndef GDBSTUB_TRACING_FRAME_H
#define GDBSTUB_TRACING_FRAME_H

#include "gdbstub/wire/connection.h"
#include "tracepoints/frames/frames.h"

/* Goes back to the running program. */
void frame_leave(struct connection *c);

/* Gets the frame that gdb looks at. Returns false when it looks at none, or
 * when the frame is gone. */
bool frame_now(struct connection *c, struct frame *frame);

/* Gets the registers of the frame. *known says whether they were collected:
 * else only the address is known. */
void frame_registers(const struct frame *frame, struct registers *registers,
		     int *known);

/* Copies collected memory. Returns how many bytes were collected, counted from
 * the first. */
uint64_t frame_memory(const struct frame *frame, uint64_t address, void *to,
		      uint64_t n);

/* Returns how many of n bytes at an address are constant: mapped from a file,
 * not writable. */
uint64_t constant_bytes(uint64_t address, uint64_t n);

/* Gets a collected trace state variable. Returns false when the frame does not
 * have it. */
bool frame_variable(struct connection *c, uint64_t number, int64_t *value);

/* Make documents for qXfer; they add nothing when gdb looks at no frame. */
void frame_describe(struct connection *c, struct text *out);
void frame_static(struct connection *c, struct text *out);

#endif

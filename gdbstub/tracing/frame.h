/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The trace frame that gdb looks at, if it looks at one: registers and memory
 * are then those that were collected.
 *
 * What must stay true: a frame's bytes are in rings that a stray store of the
 * program may have hit; they are taken by frame_block_next() only.
 */
#ifndef GDBSTUB_TRACING_FRAME_H
#define GDBSTUB_TRACING_FRAME_H

#include "gdbstub/wire/connection.h"
#include "tracepoints/fields/field-text.h"
#include "tracepoints/frames/frames.h"

/* Back to the living program. */
void frame_leave(struct connection *c);

/* The frame that is looked at. Returns 0 when there is none (any more). */
int frame_now(struct connection *c, struct frame *frame);

/* Registers of the frame; `known` tells whether they were collected: else only
 * the address is. */
void frame_registers(const struct frame *frame, struct registers *registers,
		     int *known);

/* Copies collected memory; returns how much of it there is, from the first
 * byte on. */
uint64_t frame_memory(const struct frame *frame, uint64_t address, void *to,
		      uint64_t n);

/* How many of n bytes at an address are constant: of a file, not writable. */
uint64_t constant_bytes(uint64_t address, uint64_t n);

/* A collected trace state variable. Returns 0 when it was not. */
int frame_variable(struct connection *c, uint64_t number, int64_t *value);

/* Documents for qXfer; they add nothing when the frame has none. */
void frame_describe(struct connection *c, struct text *out);
void frame_static(struct connection *c, struct text *out);

/* The marker whose code is at an address, or NULL; and what its events are.
 * The registry's lock is held while they are used. */
struct object *frame_marker(uint64_t address);
struct field_event frame_event(const struct object *object);

#endif

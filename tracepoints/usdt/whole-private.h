/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whole calls: an event at the exit of a function, which also has the facts of
 * the entry (docs/functions.md, "Long calls alone").
 *
 * The pool is of the process, made before the first entry is switched on, and
 * never given back. Each thread has a place in it, found by the thread's number
 * (writer_number); a place has the calls in the order of their entries.
 *
 *	place	owner	number and id of the thread; 0: free
 *		state	how many calls, and the stack pointer of a change
 *			that is going on, or 0
 *		calls	cfa, clock, arguments: of one call each
 *
 * Invariants:
 *  - only the owner's thread, and handlers of signals in it, use a place;
 *  - a handler that finds a change going on puts calls above it and takes them
 *    away, and changes nothing below. A change whose stack pointer lies below
 *    the handler's on the same stack was left by siglongjmp(), and is over;
 *  - a call above `state` has the frame 0: no exit finds it.
 */
#ifndef TRACEPOINTS_USDT_WHOLE_PRIVATE_H
#define TRACEPOINTS_USDT_WHOLE_PRIVATE_H

#include "tracepoints/usdt/usdt.h"

/* Makes the pool, once, before a call is switched on. Returns 0 or -ENOMEM.
 * Agent threads only. */
int whole_pool_make(void);

/* Writes the event of a hit of a probe (hit.c). SIGSAFE. */
void usdt_hit_write(struct usdt_adopted *probe, const struct usdt_state *state);

/* Returns the value of an operand, in the low bytes. SIGSAFE. */
uint64_t usdt_value_fetch(const struct usdt_adopted *probe,
			  const struct usdt_operand *operand,
			  const struct usdt_state *state);

/* Copies the strings among a probe's arguments, each with its NUL. They share
 * `room` bytes. SIGSAFE. */
void usdt_strings_copy(const struct usdt_adopted *probe,
		       const struct usdt_state *state, char *bytes,
		       uint32_t room);

#endif

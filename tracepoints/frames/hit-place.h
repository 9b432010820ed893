/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Places that hits take, and release when they are over.
 *
 * A hit that is left by siglongjmp(), or in which the thread ends, does not
 * release the place. So a hit that wants a place first releases places of the
 * same thread whose hits are no longer on the stack. If no place is free then,
 * it takes one of a thread that does not exist any more.
 *
 * Invariant: the state of a place is one word, the token, so a signal handler
 * finds it either free or complete. If a place is taken away by mistake (from a
 * handler that runs on a stack that it made itself), only the contents are
 * lost: a hit calls place_is() before it uses the bytes it wrote.
 */
#ifndef TRACEPOINTS_FRAMES_HIT_PLACE_H
#define TRACEPOINTS_FRAMES_HIT_PLACE_H

#include <stdint.h>

#include "base/base.h"

/* Hits of a thread whose stack pointers differ by as much have tokens of their
 * own. */
#define PLACE_STACK_STEP	32u

/* Returns the token of the calling thread's hit at a stack pointer; never 0.
 * SIGSAFE. */
uint64_t place_token(uint64_t stack);

/* Returns true when a hit of the calling thread is no longer on the stack, now
 * that it is at another hit, `mine`. SIGSAFE. */
bool place_is_left(uint64_t token, uint64_t mine);

/* Returns true when a thread of this process has ended. SIGSAFE. */
bool place_thread_ended(uint32_t thread);

/* Takes one of n places, whose words are 0 at first, for the calling thread's
 * hit. It looks from place `first` on. Returns the number of the place, or -1
 * when none is free. SIGSAFE. */
int place_take(uint64_t *places, uint32_t n, uint32_t first, uint64_t token);

/* Returns true when the place belongs to the hit. SIGSAFE. */
static inline bool place_is(const uint64_t *place, uint64_t token)
{
	return load_relaxed(place) == token;
}

/* Releases a place, if it still belongs to the hit. SIGSAFE. */
void place_release(uint64_t *place, uint64_t token);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The times at which threads have begun a pair. Async-signal-safe: a thread
 * takes a place by one compare-and-swap, and keeps it for good.
 */
#ifndef CALLBACKS_SHIPPED_PAIRS_PRIVATE_H
#define CALLBACKS_SHIPPED_PAIRS_PRIVATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <taffrail/clock.h>

#define PAIRS_THREADS	4096
#define PAIRS_LOOKS	64	/* places that a thread may have */

struct pairs {
	struct {
		uint64_t thread;	/* pthread_self(), or 0 */
		uint64_t time;		/* 0: has ended */
	} places[PAIRS_THREADS];
};

/* Returns the calling thread's place; or, if it has none, takes one. NULL: none
 * is free. */
static inline uint64_t *pairs_place(struct pairs *pairs, int take)
{
	uint64_t self = (uint64_t)pthread_self();
	uint32_t hash = (uint32_t)((self >> 12) * 2654435761u >> 8);
	uint32_t i;

	for (i = 0; i < PAIRS_LOOKS; i++) {
		uint32_t at = (hash + i) % PAIRS_THREADS;
		uint64_t *thread = &pairs->places[at].thread;
		uint64_t owner = __atomic_load_n(thread, __ATOMIC_RELAXED);

		if (!owner && !take)
			return NULL;
		if (owner == self ||
		    (!owner && __atomic_compare_exchange_n(thread, &owner, self,
							   0, __ATOMIC_RELAXED,
							   __ATOMIC_RELAXED)))
			return &pairs->places[at].time;
	}
	return NULL;
}

/* The thread begins a pair, at a reading of the clock. A pair that it had begun
 * before is forgotten. Returns false when there is no place. */
static inline bool pairs_begin(struct pairs *pairs, uint64_t time)
{
	uint64_t *at = pairs_place(pairs, 1);

	if (at)
		*at = time;
	return at != NULL;
}

/* The thread ends. Returns true and stores how long it took, in the clock's
 * units; 0: it has not begun. */
static inline bool pairs_end(struct pairs *pairs, uint64_t time, uint64_t *took)
{
	uint64_t *at = pairs_place(pairs, 0);

	if (!at || !*at)
		return false;
	*took = time - *at;
	*at = 0;
	return true;
}

/* Converts a difference of the clock to nanoseconds. */
static inline uint64_t pairs_ns(uint64_t clock)
{
	return (uint64_t)((double)clock * 1e9 / (double)taffrail_clock_hz());
}

#endif

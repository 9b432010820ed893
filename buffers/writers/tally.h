/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counters that many threads add to and few read: each CPU has a row of them,
 * so counting costs no bus lock and moves no cache line.
 */
#ifndef BUFFERS_WRITERS_TALLY_H
#define BUFFERS_WRITERS_TALLY_H

#include "base/base.h"

#define TALLY_COUNTERS	256	/* of a row; in machine code */

struct tally {
	/* memory of all rows; both fields stay while a thread may count */
	uint64_t (*rows)[TALLY_COUNTERS];
	uint64_t cpus;			/* rows; 0: none, count otherwise */
};

/* Adds 1 to a counter, exactly once, and returns true. Returns false if this
 * CPU has no row or the section was aborted: the caller must count otherwise.
 * SIGSAFE.
 */
bool tally_add(const struct tally *tally, uint32_t counter);

/* Returns the sum of a counter over all rows. Any thread. */
static inline uint64_t tally_sum(const struct tally *tally, uint32_t counter)
{
	uint64_t sum = 0;
	uint64_t i;

	for (i = 0; i < tally->cpus; i++)
		sum += load_relaxed(&tally->rows[i][counter]);
	return sum;
}

#endif

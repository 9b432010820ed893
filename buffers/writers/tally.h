/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counters that many threads add to and few read: a row of them for each CPU,
 * so that counting costs no bus lock and moves no cache line.
 */
#ifndef BUFFERS_WRITERS_TALLY_H
#define BUFFERS_WRITERS_TALLY_H

#include "base/base.h"

#define TALLY_CELLS	256	/* of a row; in machine code */

struct tally {
	/* the memory of all rows; nobody changes these two while somebody may
	 * count */
	uint64_t (*rows)[TALLY_CELLS];
	uint64_t cpus;			/* rows; 0: none, count otherwise */
};

/* Adds 1 to a cell. Returns 1, or 0 when it has to be counted otherwise: there
 * is no row for this CPU, or the thread has no rseq now. Exact. SIGSAFE. */
int tally_add(const struct tally *tally, uint32_t cell);

/* The sum of a cell over all rows. Any thread. */
static inline uint64_t tally_sum(const struct tally *tally, uint32_t cell)
{
	uint64_t sum = 0;
	uint64_t i;

	for (i = 0; i < tally->cpus; i++)
		sum += load_relaxed(&tally->rows[i][cell]);
	return sum;
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The numbers of threads in writer records (docs/writers.md).
 *
 * Invariant: a process gives no number twice, and none that an ancestor has
 * given before the fork. A handler may come between taking a number and storing
 * it: the thread then has another one afterwards, and writes one record more.
 */
#include "buffers/writers/private.h"

__thread uint32_t writer_number;

/* The last number; forks copy it. */
static uint32_t writer_numbers;

COLD SIGSAFE void writer_number_take(void)
{
	while (!load_relaxed(&writer_number))
		store_relaxed(&writer_number,
			      __atomic_add_fetch(&writer_numbers, 1,
						 __ATOMIC_RELAXED));
}

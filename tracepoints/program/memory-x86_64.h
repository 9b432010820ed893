/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loads from anywhere: in a transaction of the processor's (RTM, Intel's
 * manual, volume 1, chapter 16) a load from where nothing is mapped ends the
 * transaction, and nobody hears of it. So does all else that takes the kernel,
 * and now and then nothing in particular.
 *
 * What must stay true: between begin and end there are loads and stores only.
 */
#ifndef TRACEPOINTS_PROGRAM_MEMORY_X86_64_H
#define TRACEPOINTS_PROGRAM_MEMORY_X86_64_H

#include "base/base.h"

/* Of which more would not fit together into the nearest cache's sets. */
#define TRANSACTION_BYTES	512

/* Only where host_transactions is. Not 0: it has begun; 0: it has ended, here
 * or behind what was done since, and nothing was done. */
static ALWAYS_INLINE int transaction_begin(void)
{
	__asm__ goto("xbegin %l[ended]" : : : "rax", "memory" : ended);
	return 1;
ended:
	return 0;
}

static ALWAYS_INLINE void transaction_end(void)
{
	__asm__ volatile("xend" : : : "memory");
}

#endif

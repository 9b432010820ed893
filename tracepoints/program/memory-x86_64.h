/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loads from any address, in a transaction of the processor (RTM, Intel's
 * manual, volume 1, chapter 16). A load from an address that is not mapped ends
 * the transaction without a signal. So does everything else that enters the
 * kernel; sometimes a transaction ends without a known cause.
 *
 * Invariant: between begin and end there are loads and stores only.
 */
#ifndef TRACEPOINTS_PROGRAM_MEMORY_X86_64_H
#define TRACEPOINTS_PROGRAM_MEMORY_X86_64_H

#include "base/base.h"

/* More bytes might not fit together into the sets of the nearest cache. */
#define TRANSACTION_BYTES	512

/* Called only if host_transactions is set. Returns true when the transaction
 * has begun. Returns false when it has failed, perhaps after it had returned 1:
 * then everything done since is undone. */
static ALWAYS_INLINE bool transaction_begin(void)
{
	__asm__ goto("xbegin %l[ended]" : : : "rax", "memory" : ended);
	return true;
ended:
	return false;
}

/* Ends the transaction: all that was done in it is visible now. */
static ALWAYS_INLINE void transaction_end(void)
{
	__asm__ volatile("xend" : : : "memory");
}

#endif

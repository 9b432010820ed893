/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The processor time that a command takes for the names of all processes: a
 * hostile process can say that it has mapped anything.
 *
 * Invariant: each process has a private amount of time, which is enough for
 * most programs, whatever the processes before it took. All processes share the
 * rest, and none takes more than a part of the rest that is left: the sum is
 * bounded, and some is always left.
 */
#ifndef COMMAND_ELF_WORK_PRIVATE_H
#define COMMAND_ELF_WORK_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sys.h"

/* In nanoseconds. A table of 500,000 symbols takes 12 ms. */
#define WORK_OWN	100000000ull
#define WORK_ALL	60000000000ull	/* that is shared */
#define WORK_PARTS	64u
#define WORK_OPEN	50000u		/* for a file: another child opens it */
#define WORK_LOOKS	64u		/* of less than 20 us each, before the
					 * clock is read */

struct work {
	uint64_t left;			/* of WORK_ALL */
};

/* The time of one process. */
struct work_share {
	uint64_t ns;			/* that are left; 0: none */
	uint64_t clock;			/* the thread's, when it was read */
	uint32_t looks;			/* since then */
};

static inline uint64_t work_clock(void)
{
	return (uint64_t)sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Returns how much time there is for the next process. */
static inline uint64_t work_share(const struct work *work)
{
	return WORK_OWN + work->left / WORK_PARTS;
}

/* Notes how much of it was taken. */
static inline void work_done(struct work *work, uint64_t ns)
{
	work->left -= ns > WORK_OWN ? ns - WORK_OWN : 0;
}

/* Takes time of a share. Returns whether some is left. */
static inline bool work_take(struct work_share *share, uint64_t ns)
{
	share->ns -= share->ns < ns ? share->ns : ns;
	return share->ns;
}

/* Counts a look at a module, or at all of them; takes the thread's time now and
 * then. Returns whether some is left. */
static inline bool work_look(struct work_share *share)
{
	uint64_t now;

	if (share->looks++ % WORK_LOOKS)
		return share->ns;
	now = work_clock();
	work_take(share, now - share->clock);
	share->clock = now;
	return share->ns;
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How much work a command does for the names of all processes: hostile ones can
 * say that they have mapped anything. Work is counted in steps: a symbol, or a
 * module, that is looked at; a name that is read is some (named.c).
 *
 * What must stay true here: each process has some work of its own, which is
 * enough for most programs, whatever the processes before it took. What is
 * beyond, all processes share, and no process takes more than a part of what is
 * left: the sum is bounded, and there is always some left.
 */
#ifndef COMMAND_ELF_WORK_PRIVATE_H
#define COMMAND_ELF_WORK_PRIVATE_H

#include <stdint.h>

#define WORK_OWN	(1u << 21)	/* a large program's symbols, once */
#define WORK_ALL	(1ull << 32)	/* that is shared: a minute, or two */
#define WORK_PARTS	64u

struct work {
	uint64_t left;			/* of WORK_ALL */
};

/* Returns how many steps may be done for the next process. */
static inline uint32_t work_share(const struct work *work)
{
	return WORK_OWN + (uint32_t)(work->left / WORK_PARTS);
}

/* Notes how many of them were done. */
static inline void work_done(struct work *work, uint32_t steps)
{
	work->left -= steps > WORK_OWN ? steps - WORK_OWN : 0;
}

#endif

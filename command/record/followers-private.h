/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Serves commands that follow the directory of a recording (traces/follow.h): a
 * few times a second it has the buffers of all processes closed, and tells the
 * readers up to which time the traces are complete.
 *
 * Invariant: a time is told only when all processes that wrote before
 * it are known, each was asked after it, and their rings were emptied since.
 */
#ifndef COMMAND_RECORD_FOLLOWERS_PRIVATE_H
#define COMMAND_RECORD_FOLLOWERS_PRIVATE_H

#include "command/record/members-private.h"

/* Empty: all zeros. */
struct followers {
	uint64_t next_ns;	/* the next turn */
	size_t next;		/* the next member to ask */
	int64_t begin;		/* when this round began, or 0 */
	uint32_t scans;		/* how many scans there were then */
	int64_t told;		/* the time that is told in the next turn, or
				 * 0 */
};

/* Takes a turn, if it is time. With `overwrite`, readers find the events at the
 * end only. */
void followers_serve(struct followers *followers, struct members *members,
		     bool overwrite, uint64_t now_ns);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The latest clock anchors of a process, in the process page (layout.h): after
 * the end of the process they tell how fast the clock went, and until when.
 *
 * Invariant: a host thread makes no system call for an anchor, and
 * the process takes at most one each ANCHOR_DISTANCE_MS.
 */
#ifndef BUFFERS_RINGS_ANCHOR_H
#define BUFFERS_RINGS_ANCHOR_H

#include "buffers/layout.h"

/*
 * Takes an anchor when one is due and the clock can be read without a system
 * call. The slow paths of the writers call it. SIGSAFE, any thread.
 */
void anchor_keep(void);

/* Takes an anchor whether or not one is due, when the program exits. */
void anchor_keep_last(void);

/*
 * Returns the right `check` of a slot. It is never 0, so memory that was never
 * written does not pass; nor does half of one anchor with half of another.
 */
static inline uint64_t anchor_check(const struct clock_anchor *anchor)
{
	const uint64_t words[] = { anchor->clock, anchor->monotonic_ns,
				   anchor->realtime_ns,
				   anchor->uncertainty_ns };
	uint64_t mix = 0x9e3779b97f4a7c15ull;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		mix = (mix ^ words[i]) * 0xff51afd7ed558ccdull;
		mix ^= mix >> 32;
	}
	return mix ? mix : 1;
}

#endif

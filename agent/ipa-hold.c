/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who makes a frame. gdbserver stops the holder wherever it is: for a moment
 * while it empties the buffer, or for as long as its user thinks. So others
 * wait long enough for the one, in which no hit is lost, and once only for the
 * other: when somebody has waited in vain, nobody else waits until the holder
 * has gone on.
 *
 * What must stay true: who holds and whose turn it is are one word. Beside each
 * other a new holder would be taken for the one before it, which may be the one
 * that was waited for in vain; at first that is nobody.
 */
#include "agent/ipa.h"

#include <time.h>

#include "buffers/base.h"
#include "buffers/host.h"
#include "buffers/sys.h"

#define YIELDS		1000u
#define SLEEPS		2000u		/* of a millisecond */

static void wait_a_moment(uint32_t tries)
{
	struct timespec pause = { 0, 1000000 };

	if (tries < YIELDS)
		sys0(SYS_sched_yield);
	else
		sys2(SYS_nanosleep, &pause, NULL);
}

int ipa_hold(int patient)
{
	uint32_t most = YIELDS + (patient ? SLEEPS : 0);
	uint32_t me = host_tid();
	uint64_t seen = 0;
	uint32_t tries;
	uint64_t next;

	for (tries = 0; tries < most; tries++) {
		seen = load_relaxed(&ipa->hold);
		next = IPA_HOLD(IPA_TURN(seen) + 1, me);
		if (!IPA_HOLDER(seen) &&
		    __atomic_compare_exchange_n(&ipa->hold, &seen, next, 0,
						__ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return 1;
		if (IPA_HOLDER(seen) == me)
			return 0;	/* interrupted by a handler */
		if (IPA_TURN(seen) == load_relaxed(&ipa->stuck) &&
		    IPA_HOLDER(seen))
			return 0;
		wait_a_moment(tries);
	}
	if (patient)
		store_relaxed(&ipa->stuck, IPA_TURN(seen));
	return 0;
}

void ipa_release(void)
{
	store_release(&ipa->hold, IPA_HOLD(IPA_TURN(ipa->hold), 0));
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who makes a frame. gdbserver stops the holder wherever it is: for a moment
 * while it empties the buffer, or for as long as its user thinks. So others
 * wait long enough for the one, in which no hit is lost, and once only for the
 * other: when somebody has waited in vain, nobody else waits until the holder
 * has gone on.
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
	uint32_t tries;

	for (tries = 0; tries < most; tries++) {
		uint32_t nobody = 0;

		if (__atomic_compare_exchange_n(&ipa->holder, &nobody, me, 0,
						__ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED)) {
			store_relaxed(&ipa->turn, ipa->turn + 1);
			return 1;
		}
		if (nobody == me)
			return 0;	/* interrupted by a handler */
		if (load_relaxed(&ipa->stuck) == load_relaxed(&ipa->turn))
			return 0;
		wait_a_moment(tries);
	}
	if (patient)
		store_relaxed(&ipa->stuck, load_relaxed(&ipa->turn));
	return 0;
}

void ipa_release(void)
{
	store_release(&ipa->holder, 0);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The holder: the one thread that makes a frame. gdbserver stops the holder
 * wherever it is: for a moment, while gdbserver empties the buffer, or for as
 * long as its user thinks. Other threads wait long enough for the short stop,
 * so no hit is lost then. For the long stop only one thread waits: when it
 * gives up, no other thread waits until the holder has gone on. If the holder
 * runs, the wait is longer: it is slow, not stopped, as in a virtual machine
 * that gets little time.
 *
 * Invariant: the holder and the turn share one word. In two words, a waiter
 * could mistake a new holder for the previous one, which a thread may have
 * given up on. At first no thread has given up on any.
 */
#include "gdbstub/ipa/ipa.h"

#include <time.h>

#include "base/base.h"
#include "base/host.h"
#include "base/sys.h"

#define YIELDS		1000u
#define SLEEPS		2000u		/* of a millisecond */
#define LOOK_SLEEPS	100u		/* to see whether the holder runs */
#define ROUNDS		5u		/* of waits for a holder that runs */

/* The clock of a thread's processor time; see clock_getcpuclockid(3). */
#define THREAD_CLOCK(tid)	((int32_t)(~(tid) << 3 | 6))

static void wait_a_moment(uint32_t tries)
{
	struct timespec pause = { 0, 1000000 };

	if (tries < YIELDS)
		sys0(SYS_sched_yield);
	else
		sys2(SYS_nanosleep, &pause, NULL);
}

/* Waits for the turn. Returns 1 with it, 0 when it is useless to wait for the
 * holder, -1 when the wait was too long. */
static int hold_wait(uint32_t most, uint64_t *seen)
{
	uint32_t me = host_tid();
	uint32_t tries;
	uint64_t next;

	for (tries = 0; tries < most; tries++) {
		*seen = load_relaxed(&ipa->hold);
		next = IPA_HOLD(IPA_TURN(*seen) + 1, me);
		if (!IPA_HOLDER(*seen) &&
		    __atomic_compare_exchange_n(&ipa->hold, seen, next, 0,
						__ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return 1;
		if (IPA_HOLDER(*seen) == me)
			return 0;	/* interrupted by a handler */
		if (IPA_TURN(*seen) == load_relaxed(&ipa->stuck) &&
		    IPA_HOLDER(*seen))
			return 0;
		wait_a_moment(tries);
	}
	return -1;
}

static int64_t run_time(uint32_t tid)
{
	struct timespec time;

	if (sys2(SYS_clock_gettime, THREAD_CLOCK(tid), &time))
		return 0;
	return time.tv_sec * 1000000000 + time.tv_nsec;
}

static COLD int runs(uint32_t tid)
{
	int64_t before = run_time(tid);
	uint32_t i;

	for (i = 0; i < LOOK_SLEEPS; i++)
		wait_a_moment(YIELDS);
	return run_time(tid) != before;
}

int ipa_hold(int patient)
{
	uint64_t seen = 0;
	uint32_t i;
	int ret;

	if (!patient)
		return hold_wait(YIELDS, &seen) > 0;
	for (i = 0; i < ROUNDS; i++) {
		ret = hold_wait(YIELDS + SLEEPS, &seen);
		if (ret >= 0)
			return ret;
		if (IPA_HOLDER(seen) && !runs(IPA_HOLDER(seen)))
			break;
	}
	store_relaxed(&ipa->stuck, IPA_TURN(seen));
	return 0;
}

void ipa_release(void)
{
	uint64_t held = load_relaxed(&ipa->hold);

	store_release(&ipa->hold, IPA_HOLD(IPA_TURN(held), 0));
}

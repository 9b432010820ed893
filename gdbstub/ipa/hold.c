/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The holder: the one thread that makes a frame. gdbserver stops the holder
 * wherever it is: for a moment, while gdbserver empties the buffer, or for as
 * long as the user thinks. Other threads wait long enough for the short stop,
 * so no hit is lost then. For the long stop only one thread waits: when it
 * gives up, no other thread waits until the holder has gone on. If the holder
 * runs, the wait is longer: it is slow, not stopped, as in a virtual machine
 * that gets little time.
 *
 * Invariant: the holder and the turn share one word. In two words, a waiter
 * could mistake a new holder for the previous one, which a thread may have
 * given up on. At first no thread has given up on any.
 *
 * A holder that leaves its hit by siglongjmp(), or ends in it, never releases
 * the turn. It may have reserved room in gdbserver's buffer for a frame that it
 * does not show, and gdbserver would read the next frame from there. So the
 * thread that finds such a holder ends the trace: gdbserver empties the buffer
 * when another trace begins. A holder that is left over from an earlier trace
 * does no harm.
 */
#include "gdbstub/ipa/ipa.h"

#include <time.h>

#include "base/base.h"
#include "base/host.h"
#include "base/sys.h"
#include "tracepoints/frames/hit-place.h"

#define YIELDS		1000u
#define SLEEPS		2000u		/* of a millisecond */
#define LOOK_SLEEPS	100u		/* to see whether the holder runs */
#define ROUNDS		5u		/* of waits for a holder that runs */

/* The clock of a thread's processor time; see clock_getcpuclockid(3). */
#define THREAD_CLOCK(tid)	((int32_t)(~(tid) << 3 | 6))

/* A hit that wants to be the holder, by tokens of places on its stack. A
 * handler that interrupts it in its turn has hits only below `own`. */
struct claim {
	uint64_t site;
	uint64_t own;
};

/* `own` of this thread's hit that is, or is about to be, the holder; 0:
 * unknown. It is set before the turn is taken, so a handler's hit can tell. */
static __thread uint64_t holding __attribute__((tls_model("initial-exec")));

static void wait_a_moment(uint32_t tries)
{
	struct timespec pause = { 0, 1000000 };

	if (tries < YIELDS)
		sys0(SYS_sched_yield);
	else
		sys2(SYS_nanosleep, &pause, NULL);
}

/* Makes this thread's hit the holder after `seen`. A handler that interrupts
 * this, and has hits, leaves 0 in `holding`. */
static bool hold_take(uint64_t *seen, const struct claim *mine)
{
	uint64_t next = IPA_HOLD(IPA_TURN(*seen) + 1, host_tid());

	store_relaxed(&holding, mine->own);
	if (__atomic_compare_exchange_n(&ipa->hold, seen, next, 0,
					ACQUIRE(IPA_HOLDER),
					__ATOMIC_RELAXED)) {
		store_relaxed(&holding, mine->own);
		return true;
	}
	if (IPA_HOLDER(*seen) != host_tid())
		store_relaxed(&holding, 0);
	return false;
}

/* Takes the turn of a holder that will not go on. Returns true when this hit
 * can be served, because that holder was one of an earlier trace. Else ends the
 * trace; if it goes on all the same, this hit stays the holder. */
static COLD bool hold_end(uint64_t lost, const struct claim *mine)
{
	if (!hold_take(&lost, mine))
		return false;
	ipa_program_forget();
	if (ipa_buffer_is_new())
		return true;
	if (load_acquire(&gdb_agent_tracing, IPA_TRACING)) {
		ipa_limits_end(IPA_END_LEFT);
		ipa_call(ipa_stop_tracing);
	}
	if (!load_acquire(&gdb_agent_tracing, IPA_TRACING))
		ipa_release();
	return false;
}

/* Waits for the turn. Returns 1 with it, 0 when it is useless to wait for the
 * holder, -1 when the wait was too long. */
static int hold_wait(uint32_t most, const struct claim *mine, uint64_t *seen)
{
	uint32_t me = host_tid();
	uint64_t token;

	for (uint32_t tries = 0; tries < most; tries++) {
		*seen = load_relaxed(&ipa->hold);
		if (!IPA_HOLDER(*seen) && hold_take(seen, mine))
			return 1;
		if (IPA_HOLDER(*seen) == me) {
			/* a hit that was left; or this is a handler that has
			 * interrupted it */
			token = load_relaxed(&holding);
			return token && place_is_left(token, mine->site) &&
			       hold_end(*seen, mine);
		}
		if (tries == YIELDS - 1 && IPA_HOLDER(*seen) &&
		    place_thread_ended(IPA_HOLDER(*seen)))
			return hold_end(*seen, mine);
		if (IPA_TURN(*seen) == load_relaxed(&ipa->stuck) &&
		    IPA_HOLDER(*seen))
			return 0;
		wait_a_moment(tries);
	}
	return -1;
}

/* Returns the processor time of a thread, or 0 when there is no such thread. */
static int64_t run_time(uint32_t tid)
{
	struct timespec time;

	if (sys2(SYS_clock_gettime, THREAD_CLOCK(tid), &time))
		return 0;
	return time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Returns true when the thread ran in a short while: it is slow, and gdbserver
 * has not stopped it. */
static COLD bool thread_runs(uint32_t tid)
{
	int64_t before = run_time(tid);

	for (uint32_t i = 0; i < LOOK_SLEEPS; i++)
		wait_a_moment(YIELDS);
	return run_time(tid) != before;
}

int ipa_hold(int patient, uint64_t stack)
{
	struct claim mine = {
		.site = place_token(stack),
		.own = place_token((uint64_t)__builtin_frame_address(0)),
	};
	uint64_t seen = 0;
	int ret;

	if (!patient)
		return hold_wait(YIELDS, &mine, &seen) > 0;
	for (uint32_t i = 0; i < ROUNDS; i++) {
		ret = hold_wait(YIELDS + SLEEPS, &mine, &seen);
		if (ret >= 0)
			return ret;
		if (IPA_HOLDER(seen) && !thread_runs(IPA_HOLDER(seen)))
			break;
	}
	store_relaxed(&ipa->stuck, IPA_TURN(seen));
	return 0;
}

bool ipa_hold_free(uint64_t stack)
{
	struct claim mine = {
		.site = place_token(stack),
		.own = place_token((uint64_t)__builtin_frame_address(0)),
	};
	uint64_t seen = load_relaxed(&ipa->hold);

	return !IPA_HOLDER(seen) && hold_take(&seen, &mine);
}

void ipa_release(void)
{
	uint64_t held = load_relaxed(&ipa->hold);

	store_relaxed(&holding, 0);
	store_release(&ipa->hold, IPA_HOLD(IPA_TURN(held), 0), IPA_HOLDER);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Before a program handles faults.
 *
 * A handler of SIGSEGV or SIGBUS may compare the address of the faulting
 * instruction with an address that it knows, or throw an exception, for which
 * the unwinder looks up that address. Where the jump of a USDT probe has moved
 * the instruction, it is another address: the program would end. So the jumps
 * that have moved an instruction which may fault are taken out before such a
 * handler is there, and none is put in any more. Lines that lose their jump get
 * another place at once, as they have it in a program that handles faults.
 *
 * Once the program has a filter, or its system calls are dispatched, the agent
 * can take no jump out; so these go before that, too.
 *
 * Invariant: `handled` is stored before `ways` is read. A thread that
 * places a probe adds to `ways` before it reads `handled` and switches the
 * probe on (tracepoints/usdt/jumps/switch-x86_64.c). So one of both sees the
 * other.
 */
#include "agent/faulting.h"

#include <signal.h>

#include "base/base.h"
#include "base/sys.h"
#include "buffers/rings/channel.h"
#include "control/sessions/session.h"
#include "control/threads/filtered.h"
#include "control/threads/settings.h"
#include "control/threads/thread.h"
#include "tracepoints/program/patch.h"
#include "tracepoints/sites/lock.h"
#include "tracepoints/usdt/usdt.h"

#define LOCK_TRIES	2000
#define LOCK_PAUSE_NS	1000000

static int jumps_out(void *unused)
{
	struct patcher patcher;

	patch_open(&patcher);
	usdt_functions->faulting_off();
	patch_close(&patcher);
	/* before the first event a child has the parent's page */
	if (!load_relaxed(fork_mark))
		return 0;
	/* files may be opened */
	if (usdt_faults.handled && thread_is_ours()) {
		patch_open(&patcher);
		session_lines_anew(&patcher);
		patch_close(&patcher);
	}
	session_untaken_look();
	return 0;
}

/* Takes the registry's lock. Returns false if the thread that this one
 * interrupts has it, or another one keeps it. */
static bool lock_soon(void)
{
	struct timespec pause = { .tv_nsec = LOCK_PAUSE_NS };

	for (int i = 0; i < LOCK_TRIES; i++) {
		if (registry_lock_try())
			return true;
		if (load_relaxed(&fork_lock->holder) ==
		    (uint64_t)__builtin_thread_pointer())
			return false;
		sys2(SYS_nanosleep, &pause, NULL);
	}
	return false;
}

/* Sets `why`, and takes the jumps out. Returns true when they are out. */
static bool jumps_end(uint32_t *why)
{
	int ret;

	__atomic_store_n(why, 1, SEQ_CST(USDT_FAULTS));
	if (!__atomic_load_n(&usdt_faults.ways, SEQ_CST(USDT_FAULTS)))
		return false;
	if (thread_forbidden() || filtered_here() || !lock_soon())
		return false;
	ret = thread_run_sure(jumps_out, NULL);
	registry_unlock();
	return !ret;
}

void faults_handle(int number, const void *handler)
{
	static uint32_t applied;

	/* SIG_ERR is -1, SIG_HOLD 2; SIG_DFL and SIG_IGN are between them */
	if ((number != SIGSEGV && number != SIGBUS) ||
	    (uint64_t)handler + 1 <= 3 || agent_off || load_relaxed(&applied))
		return;
	if (jumps_end(&usdt_faults.handled))
		store_relaxed(&applied, 1);
}

void faults_confine(void)
{
	/* the agent's threads have ended: if there is no such jump now, none
	 * is made later */
	if (__atomic_load_n(&usdt_faults.ways, SEQ_CST(USDT_FAULTS)))
		jumps_end(&usdt_faults.confined);
	thread_wait_ended();
}

void faults_free(void)
{
	__atomic_store_n(&usdt_faults.confined, 0, SEQ_CST(USDT_FAULTS));
}

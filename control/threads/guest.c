/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tasks without a registered rseq area (guest.h). Such a task reads the CPU
 * number of the thread that made it, and the kernel does not abort sections of
 * the task. Without more care, two threads would write to one ring at a time.
 *
 *	no session ever was    the guest is counted: a session that starts
 *			       meanwhile has locked rings only
 *	a session is or was    the maker is unregistered: it and its guest read
 *			       the CPU number -1
 *	no system call may be  the rings of all CPUs are closed, and stay so
 *	made
 */
#include "control/threads/guest.h"

#include "base/base.h"
#include "base/sys.h"
#include "buffers/rings/channel.h"
#include "buffers/writers/pieces-x86_64.h"
#include "buffers/writers/write.h"
#include "control/threads/filtered.h"
#include "control/threads/settings.h"
#include "control/threads/thread.h"

#define COUNTED		1
#define UNREGISTERED	2

/* A process that has no files yet gets them before its guest can write: the
 * guest would make them as its own process, and they would end with it. */
static void child_settle(void)
{
	if ((load_relaxed(&channels_used) || start_deferred) &&
	    !load_relaxed(fork_mark) && channel_revive && !thread_forbidden())
		channel_revive();
}

/* Another thread may be making the process's files meanwhile. */
static long guest_count(void)
{
	char *rseq = (char *)__builtin_thread_pointer() + rseq_offset;

	channels_settle();
	__atomic_fetch_add(fork_guests, 1, SEQ_CST(GUEST_SESSION));
	if (!agent_cpus)
		return COUNTED;
	if (thread_forbidden()) {
		channels_close_cpus();
		return COUNTED;
	}
	/* GUEST-SESSION: after the guest is counted */
	if (!__atomic_load_n(&channels_used, SEQ_CST(GUEST_SESSION)) ||
	    sys4(SYS_rseq, rseq, rseq_bytes, RSEQ_UNREGISTER, RSEQ_SIGNATURE))
		return COUNTED;
	return COUNTED | UNREGISTERED;
}

SIGSAFE long guest_begin(void)
{
	if (agent_off)
		return 0;
	child_settle();
	return guest_count();
}

bool (*guest_plain)(void);

SIGSAFE long guest_vfork(void)
{
	if (agent_off)
		return 0;
	if (!start_deferred || load_relaxed(fork_mark) || !guest_plain())
		child_settle();
	return guest_count();
}

SIGSAFE void guest_end(long begun)
{
	if (begun & UNREGISTERED)
		write_rseq_register(__builtin_thread_pointer());
	if (begun & COUNTED)
		filtered_guest(0);
	if (begun & COUNTED)
		__atomic_fetch_sub(fork_guests, 1, SEQ_CST(GUEST_SESSION));
	/* the child has something to tell */
	if (load_relaxed(&start_noted))
		child_settle();
}

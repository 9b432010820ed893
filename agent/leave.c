/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Before a program gives up rights.
 *
 * Events go to memory that is already mapped, so they continue whatever the
 * program gives up. Only files take rights to make: rings are made when they
 * are first needed, and a forked child makes the first file with the first
 * event. Servers fork and change their user before they do anything else, so a
 * child that changes to another user makes files and rings just before.
 */
#include "agent/leave.h"

#include <errno.h>
#include <stdbool.h>

#include "agent/fork.h"
#include "agent/faulting.h"
#include "agent/fork-private.h"
#include "agent/image/lacking.h"
#include "base/base.h"
#include "base/host.h"
#include "base/sys.h"
#include "buffers/clock.h"
#include "buffers/rings/channel.h"
#include "control/service/demand.h"
#include "control/service/wakeup.h"
#include "control/sessions/place.h"
#include "control/sessions/session.h"
#include "control/threads/filtered.h"
#include "control/threads/log.h"
#include "control/threads/settings.h"
#include "control/threads/thread.h"
#include "tracepoints/frames/collect.h"
#include "tracepoints/sites/lock.h"

/* The steps that leave_begin() and leave_confine() have done. */
#define CONFINED	1
#define WITHDRAWN	2	/* demand_withdraw() */
#define ENDED		4	/* the service thread */
#define DISPATCHED	8	/* a thread's system calls were dispatched */
#define CLOCKLESS	16	/* stopped the clock and the sessions */
#define WAS_CONFINED	32	/* a thread was under a filter before */

/* Syscall user dispatch (prctl(2), PR_SET_SYSCALL_USER_DISPATCH): the system
 * calls of one thread are a handler's. */
#define SEVERAL		0xffffffffu
static struct {
	uint32_t thread;	/* the id of the only one, or SEVERAL */
	int begun;		/* the steps that leave_dispatch() has done */
} dispatched;

/* Returns true in a child of vfork(2), which reads the parent's ids in the
 * memory that both share. */
static bool memory_borrowed(void)
{
	if (load_relaxed(fork_mark))
		return !process.page ||
		       process.page->pid != (uint32_t)sys_getpid();
	return load_relaxed(fork_guests) &&
	       host_tid() != (uint32_t)sys_gettid();
}

SIGSAFE void leave_prepare(void)
{
	fork_check_dispatch();
	fork_need_files();
	if (agent_off || !channel_run_aside || thread_forbidden() ||
	    !channels_run() || memory_borrowed())
		return;
	if (!load_relaxed(fork_mark) && !fork_revive())
		return;
	for (uint32_t i = 0; i < CHANNELS_MAX; i++)
		if (channel_used(i) &&
		    load_acquire(&channels[i].active, CHANNEL_ACTIVE))
			channel_need_all(&channels[i],
					 channels[i].cpus ? LOCKED_AHEAD :
							    agent_cpus_online);
}

SIGSAFE void leave_prepare_user(uint32_t effective)
{
	struct process_page *page;
	uint32_t expected;

	fork_check_dispatch();
	fork_need_files();
	if (agent_off || !channel_run_aside || thread_forbidden() ||
	    (!channels_run() && !start_deferred) ||
	    effective == (uint32_t)-1 ||
	    effective == (uint32_t)sys0(SYS_geteuid))
		return;
	leave_prepare();
	/* A program that is executed then may leave word in that user's
	 * directory (handover.c): the page notes which user it is. */
	page = lacking_page();
	for (int i = 0; page && effective && i < PROCESS_USERS; i++) {
		expected = 0;
		if (__atomic_compare_exchange_n(&page->users[i], &expected,
						effective, 0, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED) ||
		    expected == effective)
			break;
	}
}

SIGSAFE int leave_begin(void)
{
	int begun;

	fork_check_dispatch();
	if (thread_forbidden())
		return 0;
	leave_prepare();
	thread_wait_ended();
	begun = demand_withdraw() ? WITHDRAWN : 0;
	/* other threads change only themselves: the service thread stays */
	if (wakeup_here() && sys_gettid() == sys_getpid() && wakeup_end())
		begun |= ENDED;
	/* a service thread may have just ended by itself */
	thread_wait_ended();
	return begun;
}

SIGSAFE void leave_end(int begun)
{
	if (begun & WITHDRAWN)
		demand_give_back(true);
	else if (begun & ENDED)
		demand_begin();
}

/* A Landlock domain may allow the agent's directory. */
static int restricted_look(void *arg)
{
	host_landlock = place_shut() ? LANDLOCK_SHUT : LANDLOCK_OPEN;
	return 0;
}

void leave_restricted(void)
{
	if (agent_off || thread_forbidden() || memory_borrowed())
		return;
	host_landlock = LANDLOCK_OPEN;
	if (!load_relaxed(fork_mark))
		return;
	thread_run_wait(restricted_look, NULL);
	/* a command that finds an offer must know which thread to ask */
	store_relaxed(&process.page->landlock, host_landlock);
}

/* Ends all sessions, and gdb's run. */
static int sessions_end(void *arg)
{
	struct session *session;

	collect_stop();
	registry_lock();
	for (uint32_t i = 0; i < SESSIONS_MAX; i++) {
		session = session_at(i);
		if (session)
			session_stop(session);
	}
	registry_unlock();
	return 0;
}

/* Ends the service thread, or withdraws the offer. Returns WITHDRAWN and
 * ENDED, as they apply. */
static int service_end(void)
{
	/* first: an ending thread makes an offer, which this withdraws, too */
	int begun = demand_withdraw() ? WITHDRAWN : 0;

	if (wakeup_end())
		begun |= ENDED;
	thread_wait_ended();
	return begun;
}

static void process_confine(int clockless)
{
	thread_forbid(HOST_FILTERED);
	/* seccomp's strict mode forbids execve(2) */
	filtered_process(!clockless);
	channel_run_aside = NULL;
	channel_revive = fork_forbidden;
}

int leave_confine(int clockless)
{
	int begun = 0;

	fork_check_dispatch();
	fork_need_files();
	if (agent_off)
		return 0;
	if (thread_forbidden()) {
		/* The sessions end, though no system call can be made: the
		 * sites stay on, and no writer reads the clock. A child of
		 * vfork(2) leaves the parent's sessions alone; a forked child
		 * without an event has the parent's page and no rings yet. */
		if (clockless && !load_relaxed(fork_guests) &&
		    clock_kind() != CLOCK_KIND_ATOMIC) {
			clock_leave();
			begun = CLOCKLESS;
		}
		if (begun && load_relaxed(fork_mark) && channels_run()) {
			store_relaxed(&process.page->clockless, 1);
			channels_halt();
		}
		if (thread_forbidden() == HOST_FILTERED)
			return begun ? begun | WAS_CONFINED : 0;
		process_confine(clockless);
		return CONFINED | DISPATCHED | begun;
	}
	if (memory_borrowed()) {
		filtered_guest(GUEST_FILTERED);
		return 0;
	}
	leave_prepare();
	if (clockless && clock_kind() != CLOCK_KIND_ATOMIC && channels_run()) {
		store_relaxed(&process.page->clockless, 1);
		thread_run_wait(sessions_end, NULL);
		log_fact(LOG_WARNING, "confine", "the sessions end: the "
			 "program gives up the time stamp counter", 0);
	}
	begun = service_end();
	faults_confine();
	process_confine(clockless);
	return CONFINED | begun;
}

void leave_free(int confined)
{
	if (confined & CLOCKLESS) {
		clock_return();
		channels_go_on();
	}
	if (confined & CLOCKLESS && load_relaxed(fork_mark))
		store_relaxed(&process.page->clockless, 0);
	if (!confined || confined & WAS_CONFINED)
		return;
	thread_forbid(confined & DISPATCHED ? HOST_DISPATCHED : 0);
	filtered_process(0);
	store_relaxed(FORK_DISPATCHED, !!(confined & DISPATCHED));
	store_relaxed(&process.page->clockless, 0);
	channel_run_aside = thread_run;
	channel_revive = fork_revive;
	if (!(confined & DISPATCHED))
		faults_free();
	leave_end(confined);
}

int leave_dispatch(void)
{
	fork_check_dispatch();
	fork_need_files();
	if (agent_off || thread_forbidden())
		return 0;
	if (memory_borrowed()) {
		filtered_guest(GUEST_DISPATCHED);
		return 0;
	}
	leave_prepare();
	dispatched.begun = CONFINED | service_end();
	faults_confine();
	demand_refuse(ENOSYS);
	store_relaxed(FORK_DISPATCHED, 1);
	store_relaxed(&dispatched.thread, host_tid());
	thread_forbid(HOST_DISPATCHED);
	return dispatched.begun;
}

void leave_dispatched(int begun)
{
	if (!begun && load_relaxed(&dispatched.thread) != host_tid())
		store_relaxed(&dispatched.thread, SEVERAL);
}

void leave_undispatch(void)
{
	uint32_t tid = host_tid();

	/* a child of vfork(2) reads the parent's id */
	if (thread_forbidden() == HOST_DISPATCHED && tid &&
	    !load_relaxed(fork_guests) &&
	    load_relaxed(&dispatched.thread) == tid) {
		store_relaxed(FORK_DISPATCHED, 0);
		thread_forbid(0);
		faults_free();
		leave_end(dispatched.begun);
	}
}

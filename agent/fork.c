/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Forked children: they have no files until their first event, and then their
 * own.
 *
 * The first event of a child makes the rings before it returns: the child may
 * be gone a moment later, and the events would be neither recorded nor counted.
 */
#include "agent/fork-private.h"

#include <errno.h>
#include <pthread.h>

#include "agent/fork.h"
#include "agent/image/lacking.h"
#include "base/base.h"
#include "base/host.h"
#include "base/sys.h"
#include "control/service/demand.h"
#include "control/service/wakeup.h"
#include "control/sessions/budget.h"
#include "control/sessions/place.h"
#include "control/sessions/session.h"
#include "control/threads/log.h"
#include "control/threads/settings.h"
#include "control/threads/thread.h"
#include "control/threads/vectors.h"
#include "tracepoints/sites/lock.h"

#define REVIVE_WAIT_MS	1000

const struct fork_hooks *fork_hooks;
const char *(*fork_begin)(bool thread);

/* The last fork_mark of this process and its ancestors: the holder of a ring's
 * lock must not look like a holder in an ancestor. */
static uint32_t marks;

static int revive_aside(void *noted)
{
	int ret;

	*(int *)noted = lacking_note_child();
	ret = place_open();
	if (ret)
		return ret;
	budget_keep();
	ret = session_inherit();
	if (ret)
		place_close(0);
	return ret;
}

/* A process without files, see deferred.c, or a forked child of one. With
 * `thread`, the calling thread is one of the agent's. */
static bool deferred_revive(bool thread)
{
	const bool forked = start_deferred != (uint32_t)sys_getpid();
	const char *why = "the forked child could not make its files";

	if (forked) {
		thread_forget();
		wakeup_forget();
		demand_forget();
		host_forked();
	}
	if (!forked || !registry_lock_adopt())
		why = fork_begin(thread);
	agent_off = why;
	store_relaxed(&lacking_rest.wake.state, WAKE_NONE);
	start_deferred = 0;
	registry_changed = why ? NULL : place_markers_changed;
	store_release(fork_mark, ++marks, FORK_MARK);
	if (!why)
		demand_begin();
	return !why;
}

static bool child_revive(void)
{
	int ret = -EBUSY;
	int noted = 0;

	thread_forget();
	wakeup_forget();
	demand_forget();
	host_forked();
	if (!registry_lock_adopt())
		ret = thread_run(revive_aside, &noted);
	if (ret) {
		agent_off = "the forked child could not make its files";
		log_fact(LOG_ERROR, "fork", agent_off, ret);
		/* 0: the page of its parent has the child already */
		channels_orphan(noted ? 0 : -ret, place_denial(ret));
	} else {
		/* before the mark is set: a thread that reads the mark does not
		 * wait, and would take a closed channel for a stopped one */
		session_inherit_resume();
		channels_orphan(0, 0);
	}
	store_release(fork_mark, ++marks, FORK_MARK);
	if (ret)
		return false;
	demand_begin();
	return true;
}

/*
 * Revives the child in the first thread that comes here, and sets fork_mark[1].
 * Other threads wait until the mark is set: their writer looks at fork_mark and
 * the channel afterwards. The next fork wipes these words, and fork_mark[2],
 * which says that a child under a filter has noted so.
 *
 * Signals are blocked: a handler that writes would wait for this thread.
 */
static int revive_alone(void *thread, void *unused)
{
	struct timespec pause = { .tv_nsec = 1000000 };
	int left = REVIVE_WAIT_MS;
	uint64_t before;
	bool ret = false;

	if (channels_settle())
		return false;
	host_signals_block(&before);
	if (!__atomic_exchange_n(&fork_mark[1], 1, __ATOMIC_RELAXED))
		ret = start_deferred ? deferred_revive(thread) : child_revive();
	else
		while (left-- && !load_acquire(fork_mark, FORK_MARK))
			sys2(SYS_nanosleep, &pause, NULL);
	host_signals_restore(&before);
	return ret;
}

SIGSAFE void fork_check_dispatch(void)
{
	if (thread_forbidden() == HOST_DISPATCHED &&
	    !load_relaxed(FORK_DISPATCHED))
		thread_forbid(0);
}

SIGSAFE int fork_revive(void)
{
	fork_check_dispatch();
	if (thread_forbidden())
		return 0;
	return vectors_kept(revive_alone, NULL, NULL);
}

void fork_files(void)
{
	if (!load_relaxed(fork_mark))
		revive_alone(&start_deferred, NULL);
}

SIGSAFE void fork_need_files(void)
{
	if (!start_deferred || agent_off || load_relaxed(fork_mark))
		return;
	/* a child of vfork(2) */
	if (load_relaxed(fork_guests) && host_tid() != (uint32_t)sys_gettid())
		return;
	/* not in a handler that interrupts fork(3): the start takes the lock */
	if (load_relaxed(&fork_lock->holder) !=
	    (uint64_t)__builtin_thread_pointer())
		fork_revive();
}

SIGSAFE void fork_wait(void)
{
	struct timespec pause = { .tv_nsec = 1000000 };
	int left = REVIVE_WAIT_MS;

	while (load_relaxed(&fork_mark[1]) &&
	       start_deferred == (uint32_t)sys_getpid() && left--)
		sys2(SYS_nanosleep, &pause, NULL);
}

SIGSAFE int fork_forbidden(void)
{
	if (!__atomic_exchange_n(&fork_mark[2], 1, __ATOMIC_RELAXED))
		channels_orphan(ENOSYS, 0);
	return 0;
}

/* The handler before libc's fork(). */
static void fork_prepare(void)
{
	if (start_deferred)
		fork_wait();
	if (fork_hooks)
		fork_hooks->before();
	registry_lock_fork();
	channels_forking();
}

static void fork_parent(void)
{
	if (fork_hooks)
		fork_hooks->parent();
	registry_unlock_parent();
}

/* The handler in the child. Most children run no other code of the agent. */
FORK_TEXT static void fork_child(void)
{
	channels_forked();
	if (fork_hooks)
		fork_hooks->child();
	registry_unlock_child();
}

void fork_setup(int hook)
{
	channel_revive = fork_revive;
	channel_run_aside = thread_run;
	marks = load_relaxed(fork_mark) ?: 1;
	if (hook)
		fork_hook(NULL);
}

void fork_hook(void (*forks[3])(void))
{
	if (!forks) {
		pthread_atfork(fork_prepare, fork_parent, fork_child);
		return;
	}
	forks[0] = fork_prepare;
	forks[1] = fork_parent;
	forks[2] = fork_child;
}

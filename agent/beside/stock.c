/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls LTTng's own libraries: an event is connected to its call sites while
 * its marker is on.
 *
 * Markers are switched with the registry's lock, and mostly in a thread of the
 * agent. The events follow when that lock is given back (registry_settle()), in
 * the thread that gives it: stock takes locks of its own, and waits for events
 * that may wait for the registry's lock.
 *
 * Stock's calls that make one grace period for many events are used: an event
 * is connected or disconnected without waiting. Only prune() waits: before a
 * provider is unloaded, and when much memory waits to be freed.
 */
#include <dlfcn.h>

#include "agent/fork.h"
#include "agent/beside/private.h"
#include "base/base.h"
#include "base/sys.h"
#include "control/threads/log.h"
#include "control/threads/thread.h"
#include "tracepoints/sites/lock.h"

#define SIGSET_BYTES	8
/* SIGKILL, SIGSTOP, and two that glibc never blocks */
#define NEVER_BLOCKED	(1ull << 8 | 1ull << 18 | 3ull << 31)
/* Changes that leave old arrays of probes for prune(): some 50 bytes each */
#define PRUNE_CHANGES	2000

struct provider *providers;
struct stock stock;

static uint32_t lock_word;	/* 0 free, 1 held, 2 held and waited for */
static const void *lock_holder;	/* the thread, by its thread pointer */
static uint32_t home;		/* the process: see stock_here() */
static uint32_t changes;	/* since the last prune() */
static const void *forker;	/* the thread that forks, with the lock */
static uint32_t forewarned;	/* it has called before_fork() */

static void name_find(void *library, const char *name, void *function)
{
	*(void **)function = library ? dlsym(library, name) : NULL;
}

static void *library_find(const char *name)
{
	void *library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);

	/* the provider needs it, so it stays as long as the provider */
	if (library)
		dlclose(library);
	return library;
}

void stock_find(void)
{
	void *library = library_find(UST_LIBRARY);

	name_find(library, "lttng_ust_probe_register", &stock.probe_register);
	name_find(library, "lttng_ust_probe_unregister",
		  &stock.probe_unregister);
	library = library_find(UST_TRACEPOINT_LIBRARY);
	name_find(library, "lttng_ust_tp_probe_register_queue_release",
		  &stock.connect);
	name_find(library, "lttng_ust_tp_probe_unregister_queue_release",
		  &stock.disconnect);
	name_find(library, "lttng_ust_tp_probe_prune_release_queue",
		  &stock.prune);
	if (!stock.disconnect || !stock.prune)
		stock.connect = NULL;
	library = library_find(UST_COMMON_LIBRARY);
	name_find(library, "lttng_ust_urcu_read_ongoing", &stock.inside);
	name_find(library, "lttng_ust_urcu_before_fork", &stock.before_fork);
	name_find(library, "lttng_ust_urcu_after_fork_parent",
		  &stock.after_fork_parent);
	name_find(library, "lttng_ust_urcu_after_fork_child",
		  &stock.after_fork_child);
	if (!stock.after_fork_parent || !stock.after_fork_child)
		stock.before_fork = NULL;
	name_find(library, "lttng_ust_cancelstate_disable_push",
		  &stock.cancel_off);
	name_find(library, "lttng_ust_cancelstate_disable_pop",
		  &stock.cancel_on);
	/* the program does not see that a name was not found */
	dlerror();
}

void stock_lock(void)
{
	uint32_t seen = 0;

	if (!__atomic_compare_exchange_n(&lock_word, &seen, 1, 0,
					 ACQUIRE(LTTNG_LOCK), __ATOMIC_RELAXED))
		while (__atomic_exchange_n(&lock_word, 2, ACQUIRE(LTTNG_LOCK)))
			sys_futex_wait(&lock_word, 2, NULL);
	store_relaxed(&lock_holder, __builtin_thread_pointer());
}

void stock_unlock(void)
{
	store_relaxed(&lock_holder, NULL);
	if (__atomic_exchange_n(&lock_word, 0, RELEASE(LTTNG_LOCK)) == 2)
		sys_futex_wake(&lock_word, 1);
}

/* Returns true in a signal handler of the thread that has the lock. */
static bool lock_is_mine(void)
{
	return load_relaxed(&lock_holder) == __builtin_thread_pointer();
}

bool stock_here(void)
{
	return home == (uint32_t)sys_getpid();
}

/* Returns true when the calling thread may call stock. */
static bool may_settle(void)
{
	if (!stock.connect || thread_forbidden() || lock_is_mine() ||
	    !stock_here())
		return false;
	/* While a child's first event is written, stock's locks may be held by
	 * the thread that waits for this one. */
	if (thread_is_ours())
		return load_relaxed(fork_mark);
	return !stock.inside || !stock.inside();
}

/* Connects or disconnects an event. This room's lock is held. */
static void event_settle(struct provider *provider, struct event *event,
			 bool wanted)
{
	const struct ust_event *description = event->description;
	const char *channel = provider->description->name;
	int ret;

	ret = wanted ? stock.connect(channel, description->name,
				     description->class->probe, &event->hit,
				     description->class->signature) :
		       stock.disconnect(channel, description->name,
					description->class->probe,
					&event->hit);
	if (ret) {
		log_fact(LOG_WARNING, "lttng", "an event is not connected",
			 ret);
		return;
	}
	event->connected = wanted;
	provider->touched = 1;
	changes++;
}

static void events_settle(void)
{
	struct provider *provider;
	struct event *event;
	bool wanted;

	for (provider = providers; provider; provider = provider->next) {
		for (event = provider->events; event; event = event->next) {
			wanted = !provider->gone && !event->shadowed &&
				 event->marker->site.enabled_;
			if (wanted != event->connected)
				event_settle(provider, event, wanted);
		}
	}
}

/* Waits until no thread is in a probe function that was disconnected. A thread
 * that is cancelled meanwhile would leave stock's locks behind. */
static void stock_wait(void)
{
	bool cancels = stock.cancel_off && stock.cancel_on &&
		       !thread_is_ours();

	if (cancels)
		stock.cancel_off();
	stock.prune();
	if (cancels)
		stock.cancel_on();
}

void stock_settle(void)
{
	bool full = false;
	uint32_t seen;

	if (!may_settle())
		return;
	stock_lock();
	if (thread_is_ours() && !memory_ready())
		goto unlock;
	do {
		/* REGISTRY-UNSETTLED: the markers that are switched now are
		 * seen; later ones set the word to 1 again */
		__atomic_exchange_n(&registry_unsettled, 2,
				    ACQUIRE(REGISTRY_UNSETTLED));
		events_settle();
		seen = 2;
	} while (!__atomic_compare_exchange_n(&registry_unsettled, &seen, 0, 0,
					      __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	full = changes > PRUNE_CHANGES && memory_may_wait();
	if (full)
		changes = 0;
unlock:
	stock_unlock();
	if (full)
		stock_wait();
}

bool stock_leave(struct provider *provider)
{
	struct event *event;

	if (!stock.connect || (!thread_forbidden() && !stock_here()))
		return false;
	stock_lock();
	provider->gone = 1;
	for (event = provider->events; event; event = event->next)
		if (event->connected)
			event_settle(provider, event, false);
	stock_unlock();
	if (!provider->touched)
		return true;
	/* inside an event, this would wait for itself */
	if (thread_forbidden() || (stock.inside && stock.inside()))
		return false;
	stock_wait();
	return true;
}

/*
 * A child has only the thread that forked. Stock's RCU would wait there for
 * readers that were other threads: its own functions for forks forget these.
 * A program that calls them by itself, or by LTTng's library for it, has all
 * signals blocked here, and holds their locks.
 */
static void fork_before(void)
{
	uint64_t blocked = 0;

	if (thread_forbidden() || lock_is_mine() || !stock_here())
		return;
	stock_lock();
	forker = __builtin_thread_pointer();
	sys4(SYS_rt_sigprocmask, 0, NULL, &blocked, SIGSET_BYTES);
	forewarned = stock.before_fork && (blocked | NEVER_BLOCKED) != ~0ull;
	if (forewarned)
		stock.before_fork();
}

static void fork_parent(void)
{
	if (load_relaxed(&forker) != __builtin_thread_pointer())
		return;
	if (forewarned)
		stock.after_fork_parent();
	store_relaxed(&forker, NULL);
	stock_unlock();
}

static void fork_child(void)
{
	if (forker != __builtin_thread_pointer())
		return;
	if (forewarned)
		stock.after_fork_child();
	forker = NULL;
	home = (uint32_t)sys_getpid();
	lock_holder = NULL;
	store_relaxed(&lock_word, 0);
}

static const struct fork_hooks hooks = {
	.before = fork_before,
	.parent = fork_parent,
	.child = fork_child,
};

void stock_begin(void)
{
	if (home)
		return;
	home = (uint32_t)sys_getpid();
	fork_hooks = &hooks;
	registry_settle = stock_settle;
}

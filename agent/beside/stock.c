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
#include <signal.h>

#include "agent/fork.h"
#include "agent/beside/private.h"
#include "base/base.h"
#include "base/sys.h"
#include "control/threads/log.h"
#include "control/threads/thread.h"
#include "tracepoints/sites/lock.h"

#define SIGSET_BYTES	8
#define SIGNAL(n)	(1ull << ((n) - 1))
/* SIGKILL, SIGSTOP, and two that glibc never blocks */
#define NEVER_BLOCKED	(SIGNAL(SIGKILL) | SIGNAL(SIGSTOP) | 3ull << 31)
#define FAULTS		(SIGNAL(SIGSEGV) | SIGNAL(SIGBUS) | SIGNAL(SIGILL) | \
			 SIGNAL(SIGFPE) | SIGNAL(SIGTRAP) | SIGNAL(SIGSYS))
/* How long a fork in an event waits for another thread that connects events */
#define FORK_PAUSE_NS	1000000
#define FORK_PAUSES	100
/* Changes that leave old arrays of probes for prune(): some 50 bytes each */
#define PRUNE_CHANGES	2000

struct provider *providers;
struct stock stock;
bool stock_late;

/* atexit(3), of this library: it is linked without the code that has the
 * handle. */
extern int __cxa_atexit(void (*call)(void *arg), void *arg, void *handle);

/* The signals that wait while a thread has this room's lock. */
static const uint64_t handled = ~(NEVER_BLOCKED | FAULTS);

static uint32_t lock_word;	/* 0 free, 1 held, 2 held and waited for */
static const void *lock_holder;	/* the thread, by its thread pointer */
static uint64_t lock_mask;	/* its signals, by the lock */
static uint32_t home;		/* the process: see stock_here() */
static uint32_t changes;	/* since the last prune() */
static uint32_t waiters;	/* threads in stock_wait() */
static __thread bool waits;	/* this thread is one */
static __thread bool fork_unready;	/* it forks without the lock */
static uint32_t reach;		/* enum stock_reach; it only falls */
static uint32_t forks_told;	/* a module needs stock's functions for forks */
static uint32_t forked;		/* the process is a forked child */
static const void *forker;	/* the thread that forks, with the lock */

/* The state of the forking thread. */
enum fork_kind {
	FORK_TOLD,		/* by the program: nothing to do */
	FORK_WARNED,		/* it has called before_fork() */
	FORK_INSIDE,		/* it is in an event */
};
static enum fork_kind fork_kind;

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

/* The library for tracepoints needs liburcu's, whose names are found through
 * it. */
static void older_readers_find(struct stock *found, void *library)
{
	name_find(library, "urcu_bp_synchronize_rcu", &found->wait);
	name_find(library, "urcu_bp_read_ongoing", &found->inside);
	name_find(library, "urcu_bp_before_fork", &found->before_fork);
	name_find(library, "urcu_bp_after_fork_parent",
		  &found->after_fork_parent);
	name_find(library, "urcu_bp_after_fork_child",
		  &found->after_fork_child);
}

/* A library that stands in has none of these names, and no readers. */
static void older_lists_find(struct stock *found, void *library)
{
	*(void **)&found->wait = found->stands_in;
	name_find(library, "taffrail_lists_lock", &found->before_fork);
	name_find(library, "taffrail_lists_unlock", &found->after_fork_parent);
	found->after_fork_child = found->after_fork_parent;
}

/* Looks for the functions of LTTng-UST 2.12 and older. */
static void older_find(struct stock *found)
{
	void *library = library_find(OLDER_TRACEPOINT_LIBRARY);

	name_find(library, "__tracepoint_probe_register_queue_release",
		  &found->older_connect);
	name_find(library, "__tracepoint_probe_unregister_queue_release",
		  &found->older_disconnect);
	name_find(library, "__tracepoint_probe_prune_release_queue",
		  &found->prune);
	name_find(library, "tp_rcu_read_unlock_bp", &found->leave);
	name_find(library, "taffrail_stands_in", &found->stands_in);
	if (found->stands_in)
		older_lists_find(found, library);
	else
		older_readers_find(found, library);
	if (!found->older_disconnect || !found->prune || !found->wait)
		found->older_connect = NULL;
	/* says that events can be connected */
	*(void **)&found->connect = (void *)found->older_connect;
}

/* Looks for the functions of later series. */
static void later_find(struct stock *found, void *library)
{
	name_find(library, "lttng_ust_probe_register", &found->probe_register);
	name_find(library, "lttng_ust_probe_unregister",
		  &found->probe_unregister);
	*(void **)&found->probe_register =
		names_theirs((void *)found->probe_register);
	*(void **)&found->probe_unregister =
		names_theirs((void *)found->probe_unregister);
	library = library_find(UST_TRACEPOINT_LIBRARY);
	name_find(library, "lttng_ust_tp_probe_register_queue_release",
		  &found->connect);
	name_find(library, "lttng_ust_tp_probe_unregister_queue_release",
		  &found->disconnect);
	name_find(library, "lttng_ust_tp_probe_prune_release_queue",
		  &found->prune);
	name_find(library, "lttng_ust_tp_rcu_read_unlock", &found->leave);
	name_find(library, "taffrail_stands_in", &found->stands_in);
	library = library_find(UST_COMMON_LIBRARY);
	name_find(library, "lttng_ust_urcu_synchronize_rcu", &found->wait);
	name_find(library, "lttng_ust_urcu_read_ongoing", &found->inside);
	/* each of the stand-ins has variables of its own */
	if (found->stands_in)
		library = library_find(UST_TRACEPOINT_LIBRARY);
	name_find(library, "lttng_ust_urcu_before_fork", &found->before_fork);
	name_find(library, "lttng_ust_urcu_after_fork_parent",
		  &found->after_fork_parent);
	name_find(library, "lttng_ust_urcu_after_fork_child",
		  &found->after_fork_child);
	if (!found->disconnect || !found->prune || !found->wait)
		found->connect = NULL;
	name_find(library, "lttng_ust_cancelstate_disable_push",
		  &found->cancel_off);
	name_find(library, "lttng_ust_cancelstate_disable_pop",
		  &found->cancel_on);
}

void stock_find(void)
{
	void *library = library_find(UST_LIBRARY);
	struct stock found = { .probe_register = NULL };

	/* older events that are connected stay so */
	if (stock.older_connect && providers)
		return;
	if (library || !library_find(OLDER_LIBRARY))
		later_find(&found, library);
	else
		older_find(&found);
	if (!found.after_fork_parent || !found.after_fork_child)
		found.before_fork = NULL;
	/* mostly the same again: other threads use it */
	stock = found;
	forks_told = modules_tell_forks();
	/* the program does not see that a name was not found */
	dlerror();
}

/* Takes the lock if no thread has it. */
static bool lock_try(void)
{
	uint32_t seen = 0;

	if (!__atomic_compare_exchange_n(&lock_word, &seen, 1, 0,
					 ACQUIRE(LTTNG_LOCK), __ATOMIC_RELAXED))
		return false;
	store_relaxed(&lock_holder, __builtin_thread_pointer());
	return true;
}

/* Waits until the lock was given back. All that wait are woken then. */
static void lock_await(void)
{
	uint32_t seen = 1;

	__atomic_compare_exchange_n(&lock_word, &seen, 2, 0, __ATOMIC_RELAXED,
				    __ATOMIC_RELAXED);
	sys_futex_wait(&lock_word, 2, NULL);
}

static void lock_give(void)
{
	store_relaxed(&lock_holder, NULL);
	if (__atomic_exchange_n(&lock_word, 0, RELEASE(LTTNG_LOCK)) == 2)
		sys_futex_wake(&lock_word, INT32_MAX);
}

/* Changes the signal mask of a thread of the program. */
static void mask_change(int how, const uint64_t *set, uint64_t *before)
{
	if (!thread_is_ours() && !thread_forbidden())
		sys4(SYS_rt_sigprocmask, how, set, before, SIGSET_BYTES);
}

/* A handler could end the program, whose destructors need this lock and
 * stock's. While the thread waits, handlers run: another thread may wait for
 * one of them. */
void stock_lock(void)
{
	uint64_t mask = 0;

	mask_change(SIG_BLOCK, &handled, &mask);
	while (!lock_try()) {
		mask_change(SIG_SETMASK, &mask, NULL);
		lock_await();
		mask_change(SIG_BLOCK, &handled, &mask);
	}
	lock_mask = mask;
}

void stock_unlock(void)
{
	uint64_t mask = lock_mask;

	lock_give();
	mask_change(SIG_SETMASK, &mask, NULL);
}

/* Returns true in a signal handler of the thread that has the lock: of a fault,
 * or in a fork. */
static bool lock_is_mine(void)
{
	return load_relaxed(&lock_holder) == __builtin_thread_pointer();
}

bool stock_here(void)
{
	return home == (uint32_t)sys_getpid();
}

bool stock_inside(void)
{
	return stock.inside && stock.inside();
}

void stock_avoid(enum stock_reach most)
{
	if (load_relaxed(&reach) < (uint32_t)most)
		store_relaxed(&reach, most);
}

bool stock_may(enum stock_reach what)
{
	return load_relaxed(&reach) <= (uint32_t)what;
}

/* Returns true when the calling thread may call stock. */
static bool may_settle(void)
{
	if (!stock.connect || thread_forbidden() || !stock_may(STOCK_CONNECT) ||
	    lock_is_mine() || !stock_here())
		return false;
	/* While a child's first event is written, stock's locks may be held by
	 * the thread that waits for this one. */
	if (thread_is_ours())
		return load_relaxed(fork_mark);
	return !stock_inside();
}

/* Connects or disconnects an event. This room's lock is held. */
static void event_settle(struct provider *provider, struct event *event,
			 bool wanted)
{
	int ret;

	if (stock.older_connect)
		ret = wanted ? stock.older_connect(event->name, event->probe,
						   &event->older,
						   event->signature) :
			       stock.older_disconnect(event->name, event->probe,
						      &event->older);
	else
		ret = wanted ? stock.connect(provider->name, event->name,
					     event->probe, &event->hit,
					     event->signature) :
			       stock.disconnect(provider->name, event->name,
						event->probe, &event->hit);
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

/*
 * Waits until no thread is in a probe function that was disconnected. A thread
 * that is cancelled meanwhile would leave stock's locks behind.
 *
 * prune() does the same with the lock of call sites held, which a child that is
 * forked meanwhile would find locked for ever. So a grace period comes before,
 * and that of prune() is short.
 */
static void stock_wait(bool prunes)
{
	bool cancels = stock.cancel_off && stock.cancel_on && !thread_is_ours();

	if (cancels)
		stock.cancel_off();
	waits = true;
	__atomic_fetch_add(&waiters, 1, __ATOMIC_RELAXED);
	stock.wait();
	if (prunes)
		stock.prune();
	__atomic_fetch_sub(&waiters, 1, __ATOMIC_RELAXED);
	waits = false;
	if (cancels)
		stock.cancel_on();
}

void stock_settle(bool may_wait)
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
	full = changes > PRUNE_CHANGES && memory_may_wait() &&
	       (may_wait || thread_is_ours()) && stock_may(STOCK_WAIT);
	if (full)
		changes = 0;
unlock:
	stock_unlock();
	if (full)
		stock_wait(true);
}

bool stock_leave(struct provider *provider)
{
	struct event *event;

	if (!stock.connect || !stock_may(STOCK_CONNECT) ||
	    (!thread_forbidden() && !stock_here()))
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
	if (stock.stands_in || thread_forbidden() || stock_inside() ||
	    !stock_may(STOCK_WAIT))
		return false;
	stock_wait(false);
	return true;
}

/* Returns true when the program calls stock's functions for forks itself, or
 * LTTng's library for it does: a module needs them, and signals are blocked. */
static bool fork_is_told(void)
{
	uint64_t blocked = 0;

	sys4(SYS_rt_sigprocmask, 0, NULL, &blocked, SIGSET_BYTES);
	if ((blocked | NEVER_BLOCKED) != ~0ull)
		return false;
	/* a thread that the child does not have may have had the lock of the
	 * linker's list */
	if (!forked)
		forks_told = modules_tell_forks();
	return forks_told;
}

/* Takes the lock in an event: another thread may have the lock and wait for
 * the event, but only in functions of stock's that this room does not call. */
static bool lock_take_inside(void)
{
	const struct timespec pause = { .tv_nsec = FORK_PAUSE_NS };
	int left = FORK_PAUSES;

	while (!lock_try()) {
		if (!left--)
			return false;
		sys2(SYS_nanosleep, &pause, NULL);
	}
	return true;
}

/*
 * A child has only the thread that forked. Stock's RCU would wait there for
 * readers that were other threads: its own functions for forks forget these.
 *
 * In an event, before_fork() would wait for a thread that waits for the event,
 * so it is not called; the child only forgets. If another thread waits, its
 * lists of readers are not whole in the child, which then never waits.
 */
static void fork_before(void)
{
	bool inside;

	if (thread_forbidden() || !stock_may(STOCK_CONNECT) ||
	    load_relaxed(&forker) == __builtin_thread_pointer() ||
	    !stock_here())
		return;
	inside = stock_inside();
	fork_unready = true;
	if (lock_is_mine() || (inside && !lock_take_inside()))
		return;
	while (!inside && !lock_try())
		lock_await();
	fork_unready = false;
	store_relaxed(&forker, __builtin_thread_pointer());
	fork_kind = FORK_TOLD;
	if (inside) {
		fork_kind = FORK_INSIDE;
	} else if (stock.before_fork && (stock.stands_in || !fork_is_told())) {
		fork_kind = FORK_WARNED;
		stock.before_fork();
	}
}

static void fork_parent(void)
{
	fork_unready = false;
	if (load_relaxed(&forker) != __builtin_thread_pointer())
		return;
	if (fork_kind == FORK_WARNED)
		stock.after_fork_parent();
	store_relaxed(&forker, NULL);
	lock_give();
}

/* Forgets the readers that were the parent's threads. Nothing has kept the
 * signal mask that stock sets here. */
static void readers_forget(void)
{
	uint64_t mask;

	if (waiters || !stock.before_fork) {
		stock_avoid(STOCK_CONNECT);
		return;
	}
	sys4(SYS_rt_sigprocmask, 0, NULL, &mask, SIGSET_BYTES);
	stock.after_fork_child();
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, SIGSET_BYTES);
}

static void fork_child(void)
{
	forked = 1;
	if (fork_unready) {
		fork_unready = false;
		stock_avoid(STOCK_NOTHING);
		if (!lock_is_mine())
			store_relaxed(&lock_word, 0);
	}
	if (forker != __builtin_thread_pointer())
		return;
	if (fork_kind == FORK_WARNED)
		stock.after_fork_child();
	else if (fork_kind == FORK_INSIDE)
		readers_forget();
	waiters = 0;
	forker = NULL;
	home = (uint32_t)sys_getpid();
	lock_holder = NULL;
	store_relaxed(&lock_word, 0);
}

/*
 * At the exit of the program, which a signal handler or a callback may call.
 * Destructors would wait for the event that the thread is in, and for locks
 * that it has: it does not come back to either.
 *
 * Destructors of libraries run before the handlers that were there when the
 * program began, and after those that came later. So this is a handler, for an
 * agent that came late; a part of the agent's destructor, which runs before
 * that of LTTng's library; and done where a provider of the program goes.
 */
void stock_end(void)
{
	if (lock_is_mine())
		stock_avoid(STOCK_NOTHING);
	if (waits)
		stock_avoid(STOCK_CONNECT);
	while (stock.leave && stock_inside())
		stock.leave();
}

static const struct fork_hooks hooks = {
	.before = fork_before,
	.parent = fork_parent,
	.child = fork_child,
	.end = stock_end,
};

/* Providers that an agent found, which came late, tell LTTng alone that they
 * go. LTTng's code in call sites forgets its functions then. So no event is
 * connected from here on. */
static void exit_handler(void *unused)
{
	struct provider *provider;
	bool waits_for = false;

	stock_end();
	if (!stock_late || !may_settle())
		return;
	stock_lock();
	for (provider = providers; provider; provider = provider->next) {
		provider->gone = 1;
		waits_for |= provider->touched;
	}
	events_settle();
	stock_unlock();
	if (waits_for && !stock.stands_in && stock_may(STOCK_WAIT))
		stock_wait(false);
}

void stock_begin(void)
{
	if (home)
		return;
	home = (uint32_t)sys_getpid();
	fork_hooks = &hooks;
	registry_settle = stock_settle;
	__cxa_atexit(exit_handler, NULL, &stock);
}

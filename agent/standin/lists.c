/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Of the libraries that stand in for LTTng-UST's: modules with call sites, and
 * the events that are connected to them.
 *
 * No thread is waited for here. So memory that a call site reads is never freed
 * or changed, and the agent keeps providers loaded (agent/beside/provider.c).
 */
#include "agent/standin/private.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/sys.h"

struct module {
	struct module *next;
	void *const *sites;
	int n;
};

#define SIGNAL(n)	(1ull << ((n) - 1))

/* How long a thread sleeps that was not woken. */
#define LISTS_WAIT_NS	10000000

/*
 * Guards the lists, and the words of call sites. Leaf: no thread takes another
 * lock with this one. A fork takes it behind the agent's own (stock.c), as a
 * thread does that connects events. A thread may take it again: a handler of a
 * fault forks.
 *
 * Invariant: the word is the lock, so a handler knows at each instruction
 * whether this thread has it. A thread pointer is the same in a child.
 */
static void *lists_holder;
static uint32_t lists_again;		/* how often the holder has it, but
					 * for the first time */
static uint32_t lists_waiters;
static struct module *modules;
static struct event *events;

void lists_lock(void)
{
	const struct timespec most = { .tv_nsec = LISTS_WAIT_NS };
	void *self = __builtin_thread_pointer(), *seen = NULL;

	if (load_relaxed(&lists_holder) == self) {
		lists_again++;
		return;
	}
	while (!__atomic_compare_exchange_n(&lists_holder, &seen, self, 0,
					    ACQUIRE(LTTNG_LISTS),
					    __ATOMIC_RELAXED)) {
		__atomic_fetch_add(&lists_waiters, 1, __ATOMIC_RELAXED);
		sys_futex_wait((const uint32_t *)&lists_holder,
			       (uint32_t)(uintptr_t)seen, &most);
		__atomic_fetch_sub(&lists_waiters, 1, __ATOMIC_RELAXED);
		seen = NULL;
	}
}

void lists_unlock(void)
{
	if (lists_again) {
		lists_again--;
		return;
	}
	store_release(&lists_holder, NULL, LTTNG_LISTS);
	if (load_relaxed(&lists_waiters))
		sys_futex_wake((const uint32_t *)&lists_holder, INT32_MAX);
}

/* The same in a thread of the program that loads or unloads a module. A handler
 * of a signal could fork, and wait there for the agent's lock, whose holder
 * waits for this one. Faults are not blocked: they would end the program. */
static void lists_enter(uint64_t *mask)
{
	static const uint64_t handled =
		~(SIGNAL(SIGSEGV) | SIGNAL(SIGBUS) | SIGNAL(SIGILL) |
		  SIGNAL(SIGFPE) | SIGNAL(SIGTRAP) | SIGNAL(SIGSYS));

	sys4(SYS_rt_sigprocmask, SIG_BLOCK, &handled, mask, sizeof(*mask));
	lists_lock();
}

static void lists_leave(const uint64_t *mask)
{
	lists_unlock();
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, mask, NULL, sizeof(*mask));
}

void site_switch(const struct event *event, const void **probes, int *state)
{
	if (event->on)
		store_release(probes, event->probes, LTTNG_PROBES);
	else if (*probes != event->probes)
		return;
	store_relaxed(state, event->on);
}

static void module_set(const struct module *module, const struct event *event)
{
	for (int i = 0; i < module->n; i++)
		if (module->sites[i])
			site_set(module->sites[i], event);
}

static void event_set(struct event *event, bool on)
{
	const struct module *module;

	event->on = on;
	for (module = modules; module; module = module->next)
		module_set(module, event);
}

/* The lock is held. */
static struct event *event_find(const struct event *model)
{
	struct event *event = events;

	while (event &&
	       (event->probes->function != model->probes->function ||
		event->probes->data != model->probes->data ||
		strcmp(event->name, model->name) != 0 ||
		(model->provider &&
		 strcmp(event->provider, model->provider) != 0)))
		event = event->next;
	return event;
}

int event_connect(const struct event *model)
{
	struct event *event;

	lists_lock();
	event = event_find(model);
	if (!event) {
		event = calloc(1, sizeof(*event));
		if (!event) {
			lists_unlock();
			return -1;
		}
		*event = *model;
		event->next = events;
		events = event;
	}
	event_set(event, true);
	lists_unlock();
	return 0;
}

int event_disconnect(const struct event *model)
{
	struct event *event;

	lists_lock();
	event = event_find(model);
	if (event)
		event_set(event, false);
	lists_unlock();
	return event ? 0 : -1;
}

int module_come(void *const *sites, int n)
{
	struct module *module = calloc(1, sizeof(*module));
	const struct event *event;
	uint64_t mask;

	if (!module)
		return -1;
	module->sites = sites;
	module->n = n;
	lists_enter(&mask);
	module->next = modules;
	modules = module;
	for (event = events; event; event = event->next)
		if (event->on)
			module_set(module, event);
	lists_leave(&mask);
	return 0;
}

void module_go(void *const *sites)
{
	struct module **link = &modules;
	struct module *module;
	uint64_t mask;

	lists_enter(&mask);
	while (*link && (*link)->sites != sites)
		link = &(*link)->next;
	module = *link;
	if (module)
		*link = module->next;
	lists_leave(&mask);
	free(module);
}

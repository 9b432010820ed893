/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stands in for LTTng-UST's libraries in a program that has call sites, where
 * LTTng is not installed (agent/beside/absent.c). A call site looks for the
 * functions here by dlopen() and dlsym(); the agent calls those that connect
 * events, as it calls LTTng's own. The three libraries are this file, under the
 * names of LTTng's; the variables of the one for tracepoints are used.
 *
 * No thread is waited for here. So memory that a call site reads is never freed
 * or changed, and the agent keeps providers loaded (provider.c).
 *
 * No name of liblttng-ust.so.0, and none by which providers register: those
 * lead to the agent.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "tracepoints/lttng/describe.h"

/* No header declares these. */
#define EXPORT(type, name, arguments)					\
	__attribute__((visibility("default"))) type name arguments;	\
	type name arguments

/* pthread_atfork(3), which is not a function of libc's library. */
int __register_atfork(void (*prepare)(void), void (*parent)(void),
		      void (*child)(void), void *dso);

struct probe {
	void (*function)(void);
	void *data;
};

struct module {
	struct module *next;
	struct ust_tracepoint *const *tracepoints;	/* some may be NULL */
	int n;
};

/* An event that was connected once. */
struct event {
	struct event *next;
	const char *provider;
	const char *name;
	const char *signature;
	struct probe probes[2];
	bool on;
};

/* Guards the lists, and the words of call sites. Leaf: no thread takes
 * another lock with it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct module *modules;
static struct event *events;

static void lists_lock(void)
{
	pthread_mutex_lock(&lock);
}

static void lists_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

/* Writes the words that a call site reads, if it is one of the event's. */
static void site_set(struct ust_tracepoint *site, const struct event *event)
{
	if (!site || site->bytes < sizeof(*site) ||
	    strcmp(site->event, event->name) != 0 ||
	    strcmp(site->provider, event->provider) != 0 ||
	    strcmp(site->signature, event->signature) != 0)
		return;
	if (event->on)
		store_release(&site->probes, event->probes, LTTNG_PROBES);
	else if (site->probes != event->probes)
		return;
	store_relaxed(&site->state, event->on);
}

static void module_set(const struct module *module, const struct event *event)
{
	int i;

	for (i = 0; i < module->n; i++)
		site_set(module->tracepoints[i], event);
}

static void event_set(struct event *event, bool on)
{
	const struct module *module;

	event->on = on;
	for (module = modules; module; module = module->next)
		module_set(module, event);
}

/* The lock is held. */
static struct event *event_find(const char *provider, const char *name,
				void (*function)(void), const void *data)
{
	struct event *event = events;

	while (event && (event->probes->function != function ||
			 event->probes->data != data ||
			 strcmp(event->name, name) != 0 ||
			 strcmp(event->provider, provider) != 0))
		event = event->next;
	return event;
}

/* Connects an event to its call sites, those included that come later. Keeps
 * the texts. Returns 0 or -1. */
EXPORT(int, lttng_ust_tp_probe_register_queue_release,
       (const char *provider, const char *name, void (*function)(void),
	void *data, const char *signature))
{
	struct event *event;

	lists_lock();
	event = event_find(provider, name, function, data);
	if (!event) {
		event = calloc(1, sizeof(*event));
		if (!event) {
			lists_unlock();
			return -1;
		}
		event->provider = provider;
		event->name = name;
		event->signature = signature;
		event->probes[0] = (struct probe){ function, data };
		event->next = events;
		events = event;
	}
	event_set(event, true);
	lists_unlock();
	return 0;
}

/* Disconnects an event. A thread may still be in it. Returns 0 or -1. */
EXPORT(int, lttng_ust_tp_probe_unregister_queue_release,
       (const char *provider, const char *name, void (*function)(void),
	void *data))
{
	struct event *event;

	lists_lock();
	event = event_find(provider, name, function, data);
	if (event)
		event_set(event, false);
	lists_unlock();
	return event ? 0 : -1;
}

/* Takes a module's call sites. */
EXPORT(int, lttng_ust_tracepoint_module_register,
       (struct ust_tracepoint *const *tracepoints, int n))
{
	struct module *module = calloc(1, sizeof(*module));
	const struct event *event;
	static bool forks_seen;

	if (!module)
		return -1;
	module->tracepoints = tracepoints;
	module->n = n;
	lists_lock();
	/* a child must not find the lock of another thread's */
	if (!forks_seen)
		__register_atfork(lists_lock, lists_unlock, lists_unlock, NULL);
	forks_seen = true;
	module->next = modules;
	modules = module;
	for (event = events; event; event = event->next)
		if (event->on)
			module_set(module, event);
	lists_unlock();
	return 0;
}

/* Forgets a module's call sites. */
EXPORT(int, lttng_ust_tracepoint_module_unregister,
       (struct ust_tracepoint *const *tracepoints))
{
	struct module **link = &modules;
	struct module *module;

	lists_lock();
	while (*link && (*link)->tracepoints != tracepoints)
		link = &(*link)->next;
	module = *link;
	if (module)
		*link = module->next;
	lists_unlock();
	free(module);
	return 0;
}

EXPORT(void *, lttng_ust_tp_rcu_dereference_sym, (void *p))
{
	return p;
}

/* Returns true: the program's destructors forget their call sites. */
EXPORT(int, lttng_ust_tp_get_destructors_state, (void))
{
	return 1;
}

/* Names that a program may bind when it first calls them: nothing to do. By
 * the last one the agent knows this library. */
#define NOTHING(name)	EXPORT(void, name, (void)) { }

NOTHING(lttng_ust_tp_rcu_read_lock)
NOTHING(lttng_ust_tp_rcu_read_unlock)
NOTHING(lttng_ust_tp_disable_destructors)
NOTHING(lttng_ust_tp_probe_prune_release_queue)
NOTHING(lttng_ust_urcu_synchronize_rcu)
NOTHING(lttng_ust_before_fork)
NOTHING(lttng_ust_after_fork_parent)
NOTHING(lttng_ust_after_fork_child)
NOTHING(taffrail_stands_in)

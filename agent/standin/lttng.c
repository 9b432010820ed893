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
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/sys.h"
#include "tracepoints/lttng/describe.h"

/* No header declares these. */
#define EXPORT(type, name, arguments)					\
	__attribute__((visibility("default"))) type name arguments;	\
	type name arguments

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

static void lists_lock(void)
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

static void lists_unlock(void)
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
	uint64_t mask;

	if (!module)
		return -1;
	module->tracepoints = tracepoints;
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

/* Forgets a module's call sites. */
EXPORT(int, lttng_ust_tracepoint_module_unregister,
       (struct ust_tracepoint *const *tracepoints))
{
	struct module **link = &modules;
	struct module *module;
	uint64_t mask;

	lists_enter(&mask);
	while (*link && (*link)->tracepoints != tracepoints)
		link = &(*link)->next;
	module = *link;
	if (module)
		*link = module->next;
	lists_leave(&mask);
	free(module);
	return 0;
}

/* The agent calls these around forks. */
EXPORT(void, lttng_ust_urcu_before_fork, (void))
{
	lists_lock();
}

EXPORT(void, lttng_ust_urcu_after_fork_parent, (void))
{
	lists_unlock();
}

EXPORT(void, lttng_ust_urcu_after_fork_child, (void))
{
	lists_unlock();
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

/* Returns a text of an error, which there is none of. */
EXPORT(const char *, lttng_ust_strerror, (int error))
{
	(void)error;
	return "";
}

/* Names that a program may bind when it first calls them, which would end it
 * where one is missing: nothing to do. By the last one the agent knows this
 * library. */
#define NOTHING(name)	EXPORT(void *, name, (void)) { return NULL; }
#define LOG(level)	NOTHING(lttng_ust__tracelog_##level)		\
			NOTHING(lttng_ust__vtracelog_##level)
#define LOG_DEBUG(what)	LOG(LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG##what)

NOTHING(lttng_ust_tp_rcu_read_lock)
NOTHING(lttng_ust_tp_rcu_read_unlock)
NOTHING(lttng_ust_tp_disable_destructors)
NOTHING(lttng_ust_tp_probe_prune_release_queue)
NOTHING(lttng_ust_urcu_synchronize_rcu)
NOTHING(lttng_ust_before_fork)
NOTHING(lttng_ust_after_fork_parent)
NOTHING(lttng_ust_after_fork_child)
NOTHING(lttng_ust_after_setegid)
NOTHING(lttng_ust_after_seteuid)
NOTHING(lttng_ust_after_setgid)
NOTHING(lttng_ust_after_setns)
NOTHING(lttng_ust_after_setregid)
NOTHING(lttng_ust_after_setresgid)
NOTHING(lttng_ust_after_setresuid)
NOTHING(lttng_ust_after_setreuid)
NOTHING(lttng_ust_after_setuid)
NOTHING(lttng_ust_after_unshare)
NOTHING(lttng_ust_context_procname_reset)
NOTHING(lttng_ust_context_provider_register)
NOTHING(lttng_ust_context_provider_unregister)
NOTHING(lttng_ust_cancelstate_disable_pop)
NOTHING(lttng_ust_cancelstate_disable_push)
NOTHING(lttng_ust_dl_update)
NOTHING(lttng_ust_enable_trace_clock_override)
NOTHING(lttng_ust_getcpu_override)
NOTHING(lttng_ust_trace_clock_set_description_cb)
NOTHING(lttng_ust_trace_clock_set_freq_cb)
NOTHING(lttng_ust_trace_clock_set_name_cb)
NOTHING(lttng_ust_trace_clock_set_read64_cb)
NOTHING(lttng_ust_trace_clock_set_uuid_cb)
NOTHING(lttng_ust_init_thread)
NOTHING(lttng_ust__tracef)
NOTHING(lttng_ust__vtracef)
LOG(LTTNG_UST_TRACEPOINT_LOGLEVEL_EMERG)
LOG(LTTNG_UST_TRACEPOINT_LOGLEVEL_ALERT)
LOG(LTTNG_UST_TRACEPOINT_LOGLEVEL_CRIT)
LOG(LTTNG_UST_TRACEPOINT_LOGLEVEL_ERR)
LOG(LTTNG_UST_TRACEPOINT_LOGLEVEL_WARNING)
LOG(LTTNG_UST_TRACEPOINT_LOGLEVEL_NOTICE)
LOG(LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)
LOG_DEBUG(_SYSTEM)
LOG_DEBUG(_PROGRAM)
LOG_DEBUG(_PROCESS)
LOG_DEBUG(_MODULE)
LOG_DEBUG(_UNIT)
LOG_DEBUG(_FUNCTION)
LOG_DEBUG(_LINE)
LOG_DEBUG()
NOTHING(taffrail_stands_in)

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stands in for the libraries of LTTng-UST 2.12 and older, as lttng.c does for
 * those of later series. The two libraries are this file; the variables of the
 * one for tracepoints are used.
 *
 * Invariant: no name of liburcu's. Call sites load this library for all modules
 * (RTLD_GLOBAL), and one that comes later could be bound to such a name.
 */
#include "agent/standin/private.h"

#include <string.h>

#include "tracepoints/lttng/older.h"

void site_set(void *p, const struct event *event)
{
	struct older_tracepoint *site = p;

	if (!strcmp(site->name, event->name) &&
	    !strcmp(site->signature, event->signature))
		site_switch(event, &site->probes, &site->state);
}

EXPORT(int, __tracepoint_probe_register_queue_release,
       (const char *name, void (*function)(void), void *data,
	const char *signature))
{
	const struct event event = {
		.name = name,
		.signature = signature,
		.probes = { { function, data } },
	};

	return event_connect(&event);
}

EXPORT(int, __tracepoint_probe_unregister_queue_release,
       (const char *name, void (*function)(void), void *data))
{
	const struct event event = {
		.name = name,
		.probes = { { function, data } },
	};

	return event_disconnect(&event);
}

EXPORT(int, tracepoint_register_lib, (void *const *tracepoints, int n))
{
	return module_come(tracepoints, n);
}

EXPORT(int, tracepoint_unregister_lib, (void *const *tracepoints))
{
	module_go(tracepoints);
	return 0;
}

EXPORT(void *, tp_rcu_dereference_sym_bp, (void *p))
{
	return p;
}

/* Returns true: the program's destructors forget their call sites. Programs of
 * 2.10 and older read the word. */
EXPORT(int, tp_get_destructors_state, (void))
{
	return 1;
}

__attribute__((visibility("default"))) extern int
	__tracepoints__disable_destructors;
int __tracepoints__disable_destructors;

/* The agent calls these around forks. */
EXPORT(void, taffrail_lists_lock, (void))
{
	lists_lock();
}

EXPORT(void, taffrail_lists_unlock, (void))
{
	lists_unlock();
}

/* By the last one the agent knows this library. */
#define LOG(level)	NOTHING(_lttng_ust_tracelog_TRACE_##level)

NOTHING(tp_rcu_read_lock_bp) NOTHING(tp_rcu_read_unlock_bp)
NOTHING(tp_disable_destructors) NOTHING(__tracepoint_probe_prune_release_queue)
NOTHING(ust_before_fork) NOTHING(ust_after_fork_parent)
NOTHING(ust_after_fork_child) NOTHING(lttng_context_procname_reset)
NOTHING(lttng_ust_context_provider_register)
NOTHING(lttng_ust_context_provider_unregister) NOTHING(lttng_ust_dl_update)
NOTHING(_lttng_ust_tracef) LOG(EMERG) LOG(ALERT) LOG(CRIT) LOG(ERR) LOG(WARNING)
LOG(NOTICE) LOG(INFO) LOG(DEBUG_SYSTEM) LOG(DEBUG_PROGRAM) LOG(DEBUG_PROCESS)
LOG(DEBUG_MODULE) LOG(DEBUG_UNIT) LOG(DEBUG_FUNCTION) LOG(DEBUG_LINE) LOG(DEBUG)
NOTHING(taffrail_stands_in)

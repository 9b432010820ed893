/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stands in for LTTng-UST's libraries in a program that has call sites, where
 * LTTng is not installed (agent/beside/absent.c). A call site looks for the
 * functions here by dlopen() and dlsym(); the agent calls those that connect
 * events, as it calls LTTng's own. The three libraries are this file, under the
 * names of LTTng's; the variables of the one for tracepoints are used.
 *
 * No name of liblttng-ust.so.0, and none by which providers register: those
 * lead to the agent.
 */
#include "agent/standin/private.h"

#include <string.h>

#include "tracepoints/lttng/describe.h"

void site_set(void *p, const struct event *event)
{
	struct ust_tracepoint *site = p;

	if (site->bytes >= sizeof(*site) &&
	    !strcmp(site->event, event->name) &&
	    !strcmp(site->provider, event->provider) &&
	    !strcmp(site->signature, event->signature))
		site_switch(event, &site->probes, &site->state);
}

EXPORT(int, lttng_ust_tp_probe_register_queue_release,
       (const char *provider, const char *name, void (*function)(void),
	void *data, const char *signature))
{
	const struct event event = {
		.provider = provider,
		.name = name,
		.signature = signature,
		.probes = { { function, data } },
	};

	return event_connect(&event);
}

EXPORT(int, lttng_ust_tp_probe_unregister_queue_release,
       (const char *provider, const char *name, void (*function)(void),
	void *data))
{
	const struct event event = {
		.provider = provider,
		.name = name,
		.probes = { { function, data } },
	};

	return event_disconnect(&event);
}

EXPORT(int, lttng_ust_tracepoint_module_register,
       (void *const *tracepoints, int n))
{
	return module_come(tracepoints, n);
}

EXPORT(int, lttng_ust_tracepoint_module_unregister, (void *const *tracepoints))
{
	module_go(tracepoints);
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
	return "";
}

/* By the last one the agent knows this library. */
#define LOG(level)	LOG_OF(LTTNG_UST_TRACEPOINT_LOGLEVEL_##level)
#define LOG_OF(level)	NOTHING(lttng_ust__tracelog_##level)		\
			NOTHING(lttng_ust__vtracelog_##level)

NOTHING(lttng_ust_tp_rcu_read_lock) NOTHING(lttng_ust_tp_rcu_read_unlock)
NOTHING(lttng_ust_tp_disable_destructors)
NOTHING(lttng_ust_tp_probe_prune_release_queue)
NOTHING(lttng_ust_urcu_synchronize_rcu) NOTHING(lttng_ust_before_fork)
NOTHING(lttng_ust_after_fork_parent) NOTHING(lttng_ust_after_fork_child)
NOTHING(lttng_ust_after_setegid) NOTHING(lttng_ust_after_seteuid)
NOTHING(lttng_ust_after_setgid) NOTHING(lttng_ust_after_setns)
NOTHING(lttng_ust_after_setregid) NOTHING(lttng_ust_after_setresgid)
NOTHING(lttng_ust_after_setresuid) NOTHING(lttng_ust_after_setreuid)
NOTHING(lttng_ust_after_setuid) NOTHING(lttng_ust_after_unshare)
NOTHING(lttng_ust_context_procname_reset)
NOTHING(lttng_ust_context_provider_register)
NOTHING(lttng_ust_context_provider_unregister)
NOTHING(lttng_ust_cancelstate_disable_pop)
NOTHING(lttng_ust_cancelstate_disable_push) NOTHING(lttng_ust_dl_update)
NOTHING(lttng_ust_enable_trace_clock_override)
NOTHING(lttng_ust_getcpu_override)
NOTHING(lttng_ust_trace_clock_set_description_cb)
NOTHING(lttng_ust_trace_clock_set_freq_cb)
NOTHING(lttng_ust_trace_clock_set_name_cb)
NOTHING(lttng_ust_trace_clock_set_read64_cb)
NOTHING(lttng_ust_trace_clock_set_uuid_cb) NOTHING(lttng_ust_init_thread)
NOTHING(lttng_ust__tracef) NOTHING(lttng_ust__vtracef)
LOG(EMERG) LOG(ALERT) LOG(CRIT) LOG(ERR) LOG(WARNING) LOG(NOTICE) LOG(INFO)
LOG(DEBUG_SYSTEM) LOG(DEBUG_PROGRAM) LOG(DEBUG_PROCESS) LOG(DEBUG_MODULE)
LOG(DEBUG_UNIT) LOG(DEBUG_FUNCTION) LOG(DEBUG_LINE) LOG(DEBUG)
NOTHING(taffrail_stands_in)

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions that libtaffrail-probe.so needs of the agent.
 */
#include "agent/callbacks.h"

#include <errno.h>

#include "agent/fork-private.h"
#include "agent/fork.h"
#include "base/base.h"
#include "base/host.h"
#include "control/threads/vectors.h"
#include "tracepoints/sites/lock.h"
#include "tracepoints/sites/registry.h"

static const struct session_client *connected;

static int rule_parse(struct session_rule *rule, const char *string)
{
	char bytes[8];
	struct text why;

	text_open(&why, bytes, sizeof(bytes));
	return session_rule_parse(rule, string, &why);
}

static SIGSAFE int program_holds(const struct ax_program *program,
				 const struct ax_event *event)
{
	return ax_holds(program, event, NULL);
}

static int change_rule(const struct session_rule *rule, int wanted)
{
	int ret;

	if (!agent_off && !load_relaxed(fork_mark))
		fork_revive();
	registry_lock();
	ret = session_client_rule(connected, rule, wanted);
	registry_unlock_unsettled();
	return ret;
}

static void forking_begin(void)
{
	if (fork_hooks)
		fork_hooks->before();
}

void callback_describe(struct text *out)
{
	if (!connected)
		return;
	registry_lock_look();
	connected->describe(out);
	registry_unlock();
}

static void registry_wait(void)
{
	registry_lock();
	registry_unlock();
}

int taffrail_probe_serve(const char *version, uint32_t object_bytes,
			 const struct session_client *client,
			 struct callback_host *host)
{
	if (!text_equal(version, CALLBACKS_VERSION) ||
	    object_bytes != sizeof(struct object))
		return -ENOEXEC;
	connected = client;
	host->off = &agent_off;
	host->confined = &host_confined;
	host->parse = rule_parse;
	host->rule = change_rule;
	host->settle = registry_settle_now;
	host->forking = forking_begin;
	host->condition = condition_make_bare;
	host->fault = session_condition_fault;
	host->holds = program_holds;
	host->wait = registry_wait;
	host->page = &process.page;
	host->kept = vectors_kept;
	host->handle = &call_handle;
	return 0;
}

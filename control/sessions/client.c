/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The session of callbacks: rules that choose markers, and no rings.
 *
 * A thread of the program changes it. It takes the registry's lock first, and
 * then the worker, as when libraries come: a thread that did it the other way
 * round would wait for a thread that waits for it.
 */
#include <errno.h>

#include "control/sessions/private.h"
#include "control/threads/thread.h"
#include "tracepoints/sites/lock.h"

static struct session *held;

static int apply_aside(void *rule)
{
	session_rules_apply(held, rule ? ((struct session_rule *)rule)->glob :
					 NULL, 0);
	return 0;
}

int session_client_rule(const struct session_client *client,
			const struct session_rule *rule, int wanted)
{
	struct session_rule *old;
	int ret = -EUSERS;

	registry_lock();
	if (!held) {
		held = session_hold_for("callbacks", client);
		registry_callbacks_gone = client->gone;
	}
	if (!held)
		goto unlock;
	old = session_rule_find(held, rule->glob);
	ret = wanted && !old && held->nrules == SESSION_RULES_MAX ? -ENOSPC : 0;
	if (!wanted && old)
		session_rule_drop(held, old);
	else if (wanted && !old && !ret)
		held->rules[held->nrules++] = *rule;
	if (!ret && held->phase == SESSION_HELD)
		ret = thread_run_wait(apply_aside, (void *)rule);
unlock:
	registry_unlock();
	return ret;
}

void session_client_sleep(void)
{
	if (!held)
		return;
	registry_lock();
	session_objects_disable(held);
	held->phase = SESSION_ASLEEP;
	registry_unlock();
}

void session_client_wake(void)
{
	if (!held || held->phase != SESSION_ASLEEP)
		return;
	registry_lock();
	held->phase = SESSION_HELD;
	thread_run_wait(apply_aside, NULL);
	registry_unlock();
}

uint32_t session_client_attached(void)
{
	return held ? load_relaxed(held->client->attached) : 0;
}

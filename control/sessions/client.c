/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The session of callbacks: rules that choose markers, and no rings.
 */
#include <errno.h>

#include "control/sessions/private.h"
#include "tracepoints/sites/lock.h"

static struct session *held;

static int rule_keep(const struct session_rule *rule, int wanted)
{
	struct session_rule *old = session_rule_find(held, rule->glob);

	if (!wanted && old)
		session_rule_drop(held, old);
	if (!wanted || old)
		return 0;
	if (held->nrules == SESSION_RULES_MAX)
		return -ENOSPC;
	registry_lock();
	held->rules[held->nrules++] = *rule;
	registry_unlock();
	return 0;
}

int session_client_rule(const struct session_client *client,
			const struct session_rule *rule, int wanted)
{
	int ret;

	if (!held) {
		held = session_hold_for("callbacks", client);
		registry_probes_gone = client->gone;
	}
	if (!held)
		return -EUSERS;
	ret = rule_keep(rule, wanted);
	if (!ret && held->phase == SESSION_HELD)
		session_rules_apply(held, rule->glob, 0);
	return ret;
}

void session_client_wake(int awake)
{
	if (!held)
		return;
	if (!awake) {
		session_objects_disable(held);
		held->phase = SESSION_ASLEEP;
		return;
	}
	held->phase = SESSION_HELD;
	session_rules_apply(held, NULL, 0);
}

uint32_t session_client_attached(void)
{
	return held ? load_relaxed(held->client->attached) : 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Between the files of this room.
 */
#ifndef CONTROL_SESSIONS_PRIVATE_H
#define CONTROL_SESSIONS_PRIVATE_H

#include "control/sessions/session.h"

/* Slots that were never used cost no memory (see channels_used). */
extern struct session sessions[SESSIONS_MAX];

static inline enum session_phase session_phase(uint32_t number)
{
	return channel_used(number) ? sessions[number].phase : SESSION_FREE;
}

/* Returns 1 when a rule spells the provider. Only such rules want USDT probes:
 * by default, only markers are recorded. */
static inline int session_rule_names(const struct session_rule *rule)
{
	return *rule->glob != '*' && *rule->glob != '?' && *rule->glob != '[';
}

/* Makes markers of the probes that sessions name. The caller holds the
 * registry's lock and has a private descriptor table. */
void session_probes_adopt(const struct patcher *patcher);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sessions that are started in a process, and in programs which the process and
 * its descendants execute later.
 */
#ifndef COMMAND_AGENTS_HANDED_H
#define COMMAND_AGENTS_HANDED_H

#include "command/agents/client.h"

/*
 * Sends MESSAGE_START, of session `name`. Returns as client_call(). If later
 * programs cannot take part, prints why, and `*result` becomes
 * COMMAND_FAILED; else `*result` stays.
 */
int inheritance_start(struct client *client,
		      const struct client_request *request, const char *name,
		      struct client_answer *answer, int *result);

/*
 * Has threads of a process not block SIGTRAP, if rules of the request may name
 * functions, source lines or USDT probes, for which code is switched by traps.
 * Where that is refused, the agent tells which places stay off.
 */
void inheritance_unblock(const struct rundir_process *process,
			 const struct client_request *request);

/* Returns a copy of the file for later programs with a rule, or with one that
 * switches markers off, as its last, or with neither (RULE_BACK); NULL without
 * memory. The caller frees it. */
enum rule_change { RULE_OFF, RULE_ON, RULE_BACK };
char *inheritance_edit(const char *text, const char *rule,
		       enum rule_change change);

/* Adds to a request the last rule of that file which has the glob of this one,
 * with the descriptions of places. Returns how to bring it: RULE_BACK, and has
 * added nothing, where there is none. */
enum rule_change inheritance_rule(const char *text, const char *rule,
				  struct client_request *request);

/* Changes the session for later programs so, if there is one. Failures as
 * inheritance_start(). */
void inheritance_change(const struct rundir_process *process, const char *name,
			const char *rule, enum rule_change change,
			int *result);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rules as they are typed: GLOB, matched against "channel/name", or
 * GLOB if EXPR (tracepoints/conditions/expr.h); behind GLOB the types of
 * arguments may stand (tracepoints/conditions/rule-split.h).
 */
#ifndef COMMAND_PROCESSES_RULE_H
#define COMMAND_PROCESSES_RULE_H

#include <stdbool.h>

#define RULE_BYTES_MAX	159	/* of a glob: what an agent keeps */
#define RULE_CONDITION_MAX 347	/* of a condition */

/*
 * Is this a rule that can be obeyed? 0, or -EINVAL and the fact in *why: it
 * is empty or too long, has characters that no id has, a condition that is
 * none, or argument types that do not exist. *why is good until the next call.
 */
int rule_check(const char *rule, const char **why);

/* Does a checked rule select the marker with that id? */
bool rule_matches(const char *rule, const char *id);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rules as they are typed: GLOB, matched against "channel/name".
 */
#ifndef COMMAND_RULE_H
#define COMMAND_RULE_H

#include <stdbool.h>

#define RULE_BYTES_MAX	159	/* what an agent keeps */

/*
 * Is this a rule that can be obeyed? 0, or -EINVAL and the fact in *why: it
 * is empty or too long, has characters that no id has, or asks for what does
 * not exist yet (conditions, types).
 */
int rule_check(const char *rule, const char **why);

/* Does a checked rule select the marker with that id? */
bool rule_matches(const char *rule, const char *id);

#endif

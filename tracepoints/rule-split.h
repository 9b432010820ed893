/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The two halves of a rule, GLOB if EXPR: the same to agent and command.
 */
#ifndef TRACEPOINTS_RULE_SPLIT_H
#define TRACEPOINTS_RULE_SPLIT_H

#include <stddef.h>

/*
 * Where the condition of a rule begins: behind the first blank, "if", and
 * blanks or '('; a rule that ends there has an empty condition. NULL: it has
 * none. `glob_bytes` gets the length of the glob before it.
 */
const char *rule_condition(const char *rule, size_t *glob_bytes);

#endif

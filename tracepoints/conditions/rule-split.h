/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parts of a rule, GLOB(TYPES) if EXPR, as agent and command find them.
 */
#ifndef TRACEPOINTS_CONDITIONS_RULE_SPLIT_H
#define TRACEPOINTS_CONDITIONS_RULE_SPLIT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns where the condition of a rule begins: after the first blank, "if",
 * and blanks or '('. If the rule ends there, the condition is empty. Returns
 * NULL when the rule has no condition. `glob_bytes` gets the length of the glob
 * before it, without types.
 */
const char *rule_condition(const char *rule, size_t *glob_bytes);

/*
 * Finds the arguments that a rule wants as strings: bit I is argument I + 1.
 * GLOB(str,,str) names types; an empty one leaves the argument as it is. `end`
 * gets the end of the types, or of the glob if there are none. Returns 0, or
 * -EINVAL: a type is not known, or there are too many, or the ')' is missing.
 */
int rule_strings(const char *rule, uint32_t *strings, const char **end);

#endif

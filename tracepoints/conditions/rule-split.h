/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parts of a rule, GLOB(TYPES) if EXPR: the same to agent and command.
 */
#ifndef TRACEPOINTS_CONDITIONS_RULE_SPLIT_H
#define TRACEPOINTS_CONDITIONS_RULE_SPLIT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Where the condition of a rule begins: behind the first blank, "if", and
 * blanks or '('; a rule that ends there has an empty condition. NULL: it has
 * none. `glob_bytes` gets the length of the glob before it, without types.
 */
const char *rule_condition(const char *rule, size_t *glob_bytes);

/*
 * Which arguments a rule wants as strings: bit I for argument I + 1, from
 * GLOB(str,,str), where nothing stands for an argument as it is. `end` gets
 * where the types end: the end of the glob when there are none. Returns 0, or
 * -EINVAL: no type is called so, or they are too many or do not end.
 */
int rule_strings(const char *rule, uint32_t *strings, const char **end);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parts of a rule, GLOB(TYPES) if EXPR, as agent and command find them.
 */
#ifndef TRACEPOINTS_CONDITIONS_RULE_SPLIT_H
#define TRACEPOINTS_CONDITIONS_RULE_SPLIT_H

#include <stddef.h>
#include <stdint.h>

#include "include/taffrail/site.h"

/*
 * Returns where the condition of a rule begins: after the first blank, "if",
 * and blanks or '('. If the rule ends there, the condition is empty. Returns
 * NULL when the rule has no condition. `glob_bytes` gets the length of the glob
 * before it, without types.
 */
const char *rule_condition(const char *rule, size_t *glob_bytes);

/* The arguments that must be strings. */
struct rule_types {
	uint32_t strings;		/* bit I: argument I + 1 is one */
	uint8_t lengths[TAFFRAIL_FIELDS_MAX];	/* number of the argument that
						 * has its length; 0: a NUL
						 * ends the string */
};

/*
 * Reads the types of arguments that a rule names. GLOB(str,,str:4) makes the
 * first and the third argument strings, the third one with the length in the
 * fourth; an empty type leaves the argument as it is. `end` gets the end of the
 * types, or of the glob if there are none. Returns 0, or -EINVAL: a type is not
 * known, there are too many, a length is no argument or a string itself, or the
 * ')' is missing.
 */
int rule_types(const char *rule, struct rule_types *types, const char **end);

#endif

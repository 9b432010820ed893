/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Types of the functions that rules fn:GLOB name, by debug information, for
 * agents (USDT_LINE_CALL).
 */
#ifndef COMMAND_ELF_CALL_TYPES_PRIVATE_H
#define COMMAND_ELF_CALL_TYPES_PRIVATE_H

#include <stddef.h>

struct named_in;

/* Reads the types for the rules for functions. A rule for more functions than
 * there is room for gets none. */
void call_types_compile(const char *const *rules, int count,
			const struct named_in *in);

/* Returns the descriptions of a rule, lines "spot=..."; or "". */
const char *call_types_text(const char *rule);

#endif

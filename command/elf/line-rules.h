/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rules for source lines: read as they are typed, and compiled by the debug
 * information of the files of processes or of a program, to descriptions for
 * agents (struct usdt_line).
 *
 *	FILE.c:LINE			the parameters of the function
 *	FILE.c:LINE(EXPR, ...)		values, which may be computed
 *	FILE.c:LINE "FORMAT", EXPR, ...	values as a text
 *	FUNCTION:+N ...			the Nth line behind the function's own
 *	... if CONDITION		which may name variables
 */
#ifndef COMMAND_ELF_LINE_RULES_H
#define COMMAND_ELF_LINE_RULES_H

#include <stdbool.h>
#include <stddef.h>

struct named_in;

/*
 * Takes a rule for a line. Returns NULL, and in *rule a text that lives until
 * the command ends: the line alone, with the condition, in which fields stand
 * in place of expressions; or the fact that makes it none, in memory that the
 * next call overwrites. A rule that is typed as one before is that one.
 */
const char *line_rule_take(const char **rule);

/* Tells whether line_rule_take() has made the text of a rule: --where may name
 * the events of -e. */
bool line_rule_made(const char *text);

/* Compiles the rules for lines among `rules`, which were taken. `nearest` is
 * functions_nearest(). Returns COMMAND_DONE, or COMMAND_FAILED after printing
 * why one cannot be had. */
typedef void line_nearest(const char *rule, const struct named_in *in,
			  char *text, size_t room);
int line_rules_compile(const char *const *rules, int count,
		       const struct named_in *in, line_nearest *nearest);

/* Returns where a column of a rule's condition, from 1, stands in the rule as
 * typed, if line_rule_take() has made the rule; else the same column. */
size_t line_rule_column(const char *rule, size_t column);

/* Returns the descriptions of a rule for lines, or for functions
 * (call-types-private.h), lines "spot=..." and "field=..."; or "". */
const char *line_rule_text(const char *rule);

/* Returns the name of the library that a rule's line is in; "": it is one of
 * the program, or of none. */
const char *line_rule_library(const char *rule);

#endif

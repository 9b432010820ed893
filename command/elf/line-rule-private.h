/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A rule for a line as it was read (line-rules.c) and is compiled
 * (line-compiling.c).
 */
#ifndef COMMAND_ELF_LINE_RULE_PRIVATE_H
#define COMMAND_ELF_LINE_RULE_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "taffrail/site.h"
#include "tracepoints/fields/fields.h"

#define WHERE_BYTES	118		/* of a name in an event's id */
#define COUNT		'@'		/* between an array and its length */

#define LINE_CONDITION_BYTES	512	/* none that is taken is longer */

/* A rule as it was typed. */
struct line_rule {
	char *typed;
	char *made;			/* as agents get it */
	char *where;			/* FILE:LINE */
	char *format;			/* or NULL */
	char *expressions[TAFFRAIL_FIELDS_MAX];
	uint32_t n;
	uint32_t wanted;		/* of them; the others are of the
					 * condition */
	bool parameters;		/* no value was said */
	uint16_t columns[LINE_CONDITION_BYTES]; /* of the condition, where
						   * `typed` has it, from 0 */
	char *text;			/* of the descriptions; or NULL */
	char library[64];		/* with the line; "": the program */
};

/* Gives the names of the fields. Returns false if there are none. */
bool line_rule_names(const struct line_rule *rule,
		     struct field_name names[TAFFRAIL_FIELDS_MAX]);

/* Returns the rule that was taken for a line, or NULL. */
struct line_rule *line_rule_find(const char *rule);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rules as text.
 */
#include <errno.h>

#include "control/sessions/session.h"
#include "tracepoints/conditions/rule-split.h"

void session_condition_fault(struct text *why, const char *condition,
			     const struct expr_error *error)
{
	text_add(why, "condition '");
	text_add(why, condition);
	text_add(why, "', column ");
	text_add_unsigned(why, error->column);
	text_add(why, ": ");
	text_add(why, error->fact);
}

int session_rule_parse(struct session_rule *rule, const char *string,
		       struct text *why)
{
	struct expr_error error;
	size_t bytes;
	const char *condition = rule_condition(string, &bytes);
	const char *end;

	if (!bytes || rule_strings(string, &rule->strings, &end) ||
	    (!condition && *end)) {
		text_add(why, "a rule is GLOB or GLOB if EXPR");
		return -EINVAL;
	}
	if (bytes >= SESSION_RULE_BYTES ||
	    (condition && text_length(condition) >= SESSION_CONDITION_BYTES)) {
		text_add(why, "a rule is too long");
		return -EINVAL;
	}
	__builtin_memcpy(rule->glob, string, bytes);
	rule->glob[bytes] = 0;
	rule->condition[0] = 0;
	rule->wanted = 1;
	if (!condition)
		return 0;
	if (expr_check(condition, &error)) {
		session_condition_fault(why, condition, &error);
		return -EINVAL;
	}
	text_copy(rule->condition, sizeof(rule->condition), condition);
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rules as text.
 */
#include <errno.h>
#include <stdbool.h>

#include "base/base.h"
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

/* Returns the line of the page's faults that is the rule's, or NULL. */
static const char *fault_line(const struct session_page *page,
			      const struct session_rule *rule)
{
	char buffer[SESSION_RULE_BYTES + SESSION_CONDITION_BYTES + 16];
	const char *p = page->faults;
	const char *end = p + sizeof(page->faults);
	struct text key;

	text_open(&key, buffer, sizeof(buffer));
	text_add(&key, rule->glob);
	text_add(&key, "\tcondition '");
	text_add(&key, rule->condition);
	text_add_char(&key, '\'');
	while (p < end && *p && !text_after(p, buffer))
		while (p < end && *p++ != '\n')
			;
	return p < end && *p ? p : NULL;
}

void session_fault_note(struct session_page *page,
			const struct session_rule *rule,
			const struct expr_error *error, const char *before)
{
	char buffer[2 * SESSION_RULE_BYTES + SESSION_CONDITION_BYTES + 256];
	size_t used = load_relaxed(&page->fault_bytes);
	struct text line;

	text_open(&line, buffer, sizeof(buffer));
	text_add(&line, rule->glob);
	text_add_char(&line, '\t');
	session_condition_fault(&line, rule->condition, error);
	if (before) {
		text_add(&line, "; an earlier rule, '");
		text_add(&line, before);
		text_add(&line, "', decided that until the process ends");
	}
	text_add_char(&line, '\n');
	if (line.cut || used + line.used >= sizeof(page->faults) ||
	    fault_line(page, rule))
		return;
	__builtin_memcpy(page->faults + used, buffer, line.used);
	/* SESSION-FAULT: else a reader could see a part of the line */
	store_release(&page->fault_bytes, (uint32_t)(used + line.used),
		      SESSION_FAULT);
}

bool session_rule_fault(const struct session_page *page,
			const struct session_rule *rule, struct text *why)
{
	const char *p;

	if (rule->fits || !rule->misfits)
		return false;
	p = fault_line(page, rule);
	if (!p)
		text_add(why, "a condition fits no marker");
	for (p = p ? p + text_length(rule->glob) + 1 : ""; *p && *p != '\n';)
		text_add_char(why, *p++);
	return true;
}

int session_rule_parse(struct session_rule *rule, const char *string,
		       struct text *why)
{
	struct expr_error error;
	size_t bytes;
	const char *condition = rule_condition(string, &bytes);
	const char *unknown = rule_unknown(string);
	const char *end;

	if (unknown) {
		text_add(why, unknown);
		return -EINVAL;
	}
	if (!bytes || rule_types(string, &rule->types, &end) ||
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
	rule_unify(rule->glob);
	rule->condition[0] = 0;
	rule->wanted = 1;
	rule->fits = 0;
	rule->misfits = 0;
	rule->found = 0;
	rule->calls = 0;
	rule->replaced = 0;
	rule->lines = 0;
	if (!condition)
		return 0;
	if (expr_check(condition, &error)) {
		session_condition_fault(why, condition, &error);
		return -EINVAL;
	}
	text_copy(rule->condition, sizeof(rule->condition), condition);
	rule->calls = rule_kind(rule->glob) == RULE_FUNCTIONS &&
		      !rule_names_half(rule->glob) &&
		      (expr_names(condition, "duration") ||
		       expr_names(condition, "depth"));
	return 0;
}

int session_rule_add(struct session *session, const char *string,
		     struct text *why)
{
	if (session->nrules == SESSION_RULES_MAX) {
		text_add(why, "too many rules");
		return -EINVAL;
	}
	if (session_rule_parse(&session->rules[session->nrules], string, why))
		return -EINVAL;
	session->nrules++;
	return 0;
}

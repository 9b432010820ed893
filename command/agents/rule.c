/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rules as they are typed. See rule.h.
 *
 * Invariant: a rule that passes fits into one line of a request, and means the
 * same to the agent, which uses the same matcher.
 */
#include "command/agents/rule.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "command/causes/cause.h"
#include "command/common/command.h"
#include "tracepoints/conditions/expr.h"
#include "tracepoints/conditions/rule-split.h"

static const char other_character[] =
	"it has a character that no marker's id has";

int rule_check(const char *rule, const char **why)
{
	static char fact[200];
	size_t bytes;
	const char *condition = rule_condition(rule, &bytes);
	struct expr_error error;
	struct rule_types types;
	const char *end;

	*why = !bytes ? "it is empty" : rule_unknown(rule);
	if (!*why && bytes > RULE_BYTES_MAX)
		*why = "it is too long";
	for (size_t i = 0; !*why && i < bytes; i++)
		if (iscntrl((unsigned char)rule[i]) || rule[i] == ';')
			*why = other_character;
	if (!*why && rule_types(rule, &types, &end))
		*why = "types must be like (str,,str:4), without blanks: for "
		       "each argument str, str:N (argument N has its length) "
		       "or nothing";
	if (!*why && !condition && *end)
		*why = isblank((unsigned char)*end) ?
			       "behind a blank only 'if' and a condition may "
			       "follow, as in '* if n > 3'" :
			       other_character;
	for (const char *p = condition; !*why && p && *p; p++)
		if (iscntrl((unsigned char)*p))
			*why = "its condition has a control character";
	if (!*why && condition && strlen(condition) > RULE_CONDITION_MAX)
		*why = "its condition is too long";
	/* the column counts in the whole rule */
	if (!*why && condition && expr_check(condition, &error)) {
		snprintf(fact, sizeof(fact), "column %zu: %s",
			 (size_t)(condition - rule) + error.column, error.fact);
		*why = fact;
	}
	return *why ? -EINVAL : 0;
}

void rule_list(char *text, size_t room, const char *rule)
{
	static const char more[] = ", ...";
	size_t used = strlen(text);
	/* quotes, a comma and a blank */
	bool fits = used + strlen(rule) + 4 + sizeof(more) <= room;

	if (fits)
		snprintf(text + used, room - used, "%s'%s'", used ? ", " : "",
			 rule);
	else if (used && text[used - 1] != '.')
		snprintf(text + used, room - used, "%s", more);
}

bool rule_matches(const char *rule, const char *id)
{
	char glob[RULE_BYTES_MAX + 1];
	size_t bytes;

	rule_condition(rule, &bytes);
	if (bytes >= sizeof(glob))
		return false;
	memcpy(glob, rule, bytes);
	glob[bytes] = '\0';
	rule_unify(glob);
	return glob_match(glob, id);
}

int rule_take(const char **rule)
{
	const char *why;
	char *copy;

	if (rule_check(*rule, &why))
		return command_misused("rule '%s': %s", *rule, why);
	copy = strdup(*rule);
	if (!copy)
		return cause_report(OUT_OF_MEMORY);
	rule_unify(copy);
	if (strcmp(copy, *rule))
		*rule = copy;
	else
		free(copy);
	return COMMAND_DONE;
}

const char *rule_hint(const char *rule)
{
	size_t bytes;
	const char *condition = rule_condition(rule, &bytes);
	const char *comma = strchr(rule, ',');

	return comma && (!condition || comma < condition) ?
		       "; rules in a list: give each its own -e" : "";
}

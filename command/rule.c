/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rules as they are typed. See rule.h.
 *
 * What must stay true here: a rule that passes fits into one line of a
 * request, and means the same to the agent, which uses the same matcher.
 */
#include "command/rule.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "tracepoints/glob.h"

/* A blank, "if", and an end, a blank or '(': a condition begins. */
static bool has_condition(const char *rule)
{
	for (const char *p = rule; *p; p++)
		if (isspace((unsigned char)p[0]) && p[1] == 'i' &&
		    p[2] == 'f' && (!p[3] || p[3] == '(' ||
				    isspace((unsigned char)p[3])))
			return true;
	return false;
}

int rule_check(const char *rule, const char **why)
{
	*why = NULL;
	if (!*rule)
		*why = "it is empty";
	else if (has_condition(rule))
		*why = "conditions are not supported yet";
	else if (strchr(rule, '('))
		*why = "argument types are not supported yet";
	else if (strlen(rule) > RULE_BYTES_MAX)
		*why = "it is too long";
	else
		for (const char *p = rule; *p; p++)
			if (iscntrl((unsigned char)*p) || *p == ' ' ||
			    *p == ';')
				*why = "no marker has such a character";
	return *why ? -EINVAL : 0;
}

bool rule_matches(const char *rule, const char *id)
{
	return glob_match(rule, id);
}

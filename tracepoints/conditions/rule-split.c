/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Splits rules into globs, types and conditions.
 */
#include "tracepoints/conditions/rule-split.h"

#include <errno.h>

#include "include/taffrail/site.h"

static int is_blank(char c)
{
	return c == ' ' || c == '\t';
}

int rule_strings(const char *rule, uint32_t *strings, const char **end)
{
	const char *p = rule;
	uint32_t i = 0;

	*strings = 0;
	while (*p && !is_blank(*p) && *p != '(')
		p++;
	*end = p;
	if (*p != '(')
		return 0;
	for (p++;; p++, i++) {
		if (i == TAFFRAIL_FIELDS_MAX)
			return -EINVAL;
		if (p[0] == 's' && p[1] == 't' && p[2] == 'r') {
			*strings |= 1u << i;
			p += 3;
		}
		if (*p == ')')
			break;
		if (*p != ',')
			return -EINVAL;
	}
	*end = p + 1;
	return 0;
}

const char *rule_condition(const char *rule, size_t *glob_bytes)
{
	const char *p = rule;
	const char *q;
	uint32_t strings;

	while (*p && !is_blank(*p) && *p != '(')
		p++;
	*glob_bytes = (size_t)(p - rule);
	if (rule_strings(rule, &strings, &p))
		return NULL;
	for (q = p; is_blank(*q); q++)
		;
	if (q == p || q[0] != 'i' || q[1] != 'f' ||
	    (q[2] && q[2] != '(' && !is_blank(q[2])))
		return NULL;
	for (q += 2; is_blank(*q); q++)
		;
	return q;
}

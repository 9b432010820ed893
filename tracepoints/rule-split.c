/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rules and their conditions.
 */
#include "tracepoints/rule-split.h"

static int is_blank(char c)
{
	return c == ' ' || c == '\t';
}

const char *rule_condition(const char *rule, size_t *glob_bytes)
{
	const char *p = rule;
	const char *q;

	while (*p && !is_blank(*p))
		p++;
	*glob_bytes = (size_t)(p - rule);
	for (q = p; is_blank(*q); q++)
		;
	if (q == p || q[0] != 'i' || q[1] != 'f' ||
	    (q[2] && q[2] != '(' && !is_blank(q[2])))
		return NULL;
	for (q += 2; is_blank(*q); q++)
		;
	return q;
}

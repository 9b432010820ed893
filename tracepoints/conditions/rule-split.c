/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Splits rules into globs, types and conditions.
 */
#include "tracepoints/conditions/rule-split.h"

#include <errno.h>

#include "base/text.h"

static int is_blank(char c)
{
	return c == ' ' || c == '\t';
}

int rule_types(const char *rule, struct rule_types *types, const char **end)
{
	const char *p = rule;
	uint32_t i = 0;
	int64_t length;

	*types = (struct rule_types){ 0 };
	while (*p && !is_blank(*p) && *p != '(')
		p++;
	*end = p;
	if (*p != '(')
		return 0;
	for (p++;; p++, i++) {
		if (i == TAFFRAIL_FIELDS_MAX)
			return -EINVAL;
		if (p[0] == 's' && p[1] == 't' && p[2] == 'r') {
			types->strings |= 1u << i;
			p += 3;
		}
		/* ":N" behind a type */
		if (types->strings >> i & 1 && *p == ':') {
			length = *++p == '0' ? 0 : text_number(&p);
			if (length <= 0 || length > TAFFRAIL_FIELDS_MAX)
				return -EINVAL;
			types->lengths[i] = (uint8_t)length;
		}
		if (*p == ')')
			break;
		if (*p != ',')
			return -EINVAL;
	}
	*end = p + 1;
	/* a length is no string itself */
	for (i = 0; i < TAFFRAIL_FIELDS_MAX; i++)
		if (types->lengths[i] &&
		    types->strings >> (types->lengths[i] - 1) & 1)
			return -EINVAL;
	return 0;
}

const char *rule_condition(const char *rule, size_t *glob_bytes)
{
	const char *p = rule;
	const char *q;
	struct rule_types types;

	while (*p && !is_blank(*p) && *p != '(')
		p++;
	*glob_bytes = (size_t)(p - rule);
	if (rule_types(rule, &types, &p))
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

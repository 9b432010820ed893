/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the text of an expression ends. See expression-text-private.h.
 */
#include "command/elf/expression-text-private.h"

/* Returns the text behind a bracket and that which closes it. */
static const char *bracket_end(const char *p)
{
	int depth = 0;

	do
		depth += (*p == '(' || *p == '[') - (*p == ')' || *p == ']');
	while (*p++ && depth && *p);
	return p;
}

const char *expression_chain(const char *p, bool *simple)
{
	const char *next;

	*simple = true;
	while (is_word(*p))
		p++;
	for (;; p = next) {
		next = blanks_skip(p);
		if (*next == '[') {
			next = bracket_end(next);
		} else if (*next == '.' ||
			   (next[0] == '-' && next[1] == '>')) {
			next = blanks_skip(next + 1 + (*next == '-'));
			if (!isalpha((unsigned char)*next) && *next != '_')
				return p;
			while (is_word(*next))
				next++;
		} else {
			return p;
		}
		*simple = false;
	}
}

const char *expression_end(const char *p, bool *simple)
{
	const char *begin = p, *end, *next;

	for (; *p == '*' || *p == '&' || *p == '('; p = next) {
		next = blanks_skip(p + 1);
		if (*p != '(')
			continue;
		end = bracket_end(p);
		next = blanks_skip(end);
		if (*next == '[' || *next == '.' || !strncmp(next, "->", 2))
			return expression_chain(next, simple);
		/* behind a cast stands an operand */
		if (!is_word(*next) && *next != '(' &&
		    (end[-2] != '*' || (*next != '*' && *next != '&')))
			return p == begin ? begin : end;
	}
	if (!isalpha((unsigned char)*p) && *p != '_')
		return begin;
	next = expression_chain(p, simple);
	*simple &= p == begin;
	return next;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the text of an expression ends. See expression-text-private.h.
 */
#include "command/elf/expression-text-private.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "tracepoints/conditions/rule-split.h"
#include "tracepoints/fields/fields.h"
#include "tracepoints/fields/scalar.h"

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

uint32_t condition_never(const char *condition, const struct field_name *names,
			 const uint8_t *types, const uint8_t *widths,
			 uint32_t n)
{
	char word[sizeof(names->name)], op[3], digits[19], *rest;
	const char *p = condition, *next;
	uint32_t never = 0, i, bits;
	long long number, low, high;
	bool is_signed;
	int end;

	for (; *p; p = next + 2 * !!*next) {
		for (next = p; *next && strncmp(next, "&&", 2) &&
			       strncmp(next, "||", 2);)
			next = rule_step(next);
		if (*next == '|')
			return 0;
		end = 0;
		if (sscanf(p, " %63[A-Za-z0-9_] %2[<>=] %18[-0-9] %n", word, op,
			   digits, &end) != 3 || p + end != next || never)
			continue;
		number = strtoll(digits, &rest, 10);
		for (i = 0; i < n && strcmp(names[i].name, word); i++)
			;
		is_signed = i < n && scalar_sort(types[i]) == SCALAR_SIGNED;
		/* "010" is another number */
		if (i == n || *rest || (*digits == '0' && digits[1]) ||
		    (!is_signed && scalar_sort(types[i]) != SCALAR_UNSIGNED))
			continue;
		bits = (widths[i] ? widths[i] : 8 * scalar_bytes(types[i])) -
		       is_signed;
		/* above what is in the text */
		high = bits > 62 ? LLONG_MAX : (1ll << bits) - 1;
		low = is_signed ? -high - 1 : 0;
		if (*op == '=' ? number < low || number > high :
		    *op == '>' ? number > high - !op[1] :
				 number < low + !op[1])
			never = (uint32_t)(p - condition) + 1;
	}
	return never;
}

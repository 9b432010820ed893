/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conditions: strings against texts and globs. See ax-insn.h.
 *
 * The globs are those of tracepoints/glob.h, here over strings that need not
 * end with NUL. As there: no recursion, only the last star is ever retried.
 */
#include "tracepoints/ax-insn.h"

#include <stdbool.h>

#include "buffers/base.h"

SIGSAFE int ax_text_equal(const char *p, uint64_t limit, const char *text)
{
	for (; *text; p++, text++, limit--)
		if (!limit || *p != *text)
			return 0;
	return !limit || !*p;
}

/* The class at pattern ('['): where it ends, or NULL when nothing closes it;
 * and whether it holds c. */
static const char *class_match(const char *pattern, unsigned char c,
			       bool *holds)
{
	const char *p = pattern + 1;
	bool negated = *p == '!' || *p == '^';
	bool found = false;
	const char *first;

	p += negated;
	for (first = p; *p && (*p != ']' || p == first); p++) {
		unsigned char low = (unsigned char)*p, high = low;

		if (p[1] == '-' && p[2] && p[2] != ']') {
			high = (unsigned char)p[2];
			p += 2;
		}
		found |= low <= c && c <= high;
	}
	*holds = found != negated;
	return *p ? p + 1 : NULL;
}

/* One element against one character: the next element, or NULL. */
static const char *element_match(const char *pattern, char c)
{
	const char *end;
	bool holds;

	if (*pattern == '?')
		return pattern + 1;
	if (*pattern == '[') {
		end = class_match(pattern, (unsigned char)c, &holds);
		if (end)
			return holds ? end : NULL;
	}
	return *pattern == c ? pattern + 1 : NULL;
}

SIGSAFE int ax_text_glob(const char *p, uint64_t limit, const char *pattern)
{
	const char *star = NULL;	/* behind the last star ... */
	uint64_t taken = 0;		/* ... which takes p up to here */
	uint64_t i = 0;

	while (i < limit && p[i]) {
		const char *next = NULL;

		if (*pattern == '*') {
			star = ++pattern;
			if (!*star)
				return 1;
			taken = i;
			continue;
		}
		if (*pattern)
			next = element_match(pattern, p[i]);
		if (next) {
			pattern = next;
			i++;
		} else if (star) {
			pattern = star;
			i = ++taken;
		} else {
			return 0;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

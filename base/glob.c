/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Glob matching for rules. See glob.h.
 *
 * Invariant: no libc and no recursion. Only the last star is
 * retried: text that an earlier star could still take, the last star can take.
 */
#include "base/glob.h"

#include <stddef.h>

#include "base/base.h"

/*
 * Reads the class that begins at pattern ('['). Returns where the class ends,
 * or NULL when nothing closes it; `holds` tells whether c is in it.
 */
static const char *match_class(const char *pattern, unsigned char c,
			       bool *holds)
{
	const char *p = pattern + 1;
	bool negated = *p == '!' || *p == '^';
	bool found = false;
	const char *first;

	p += negated;
	for (first = p; *p && (*p != ']' || p == first); p++) {
		unsigned char low = *p, high = low;

		if (p[1] == '-' && p[2] && p[2] != ']') {
			high = p[2];
			p += 2;
		}
		found |= low <= c && c <= high;
	}
	*holds = found != negated;
	return *p ? p + 1 : NULL;
}

/* Matches one element with one character. Returns the next element, or NULL. */
static const char *match_one(const char *pattern, char c)
{
	const char *end;
	bool holds;

	if (*pattern == '?')
		return pattern + 1;
	if (*pattern == '[') {
		end = match_class(pattern, c, &holds);
		if (end)
			return holds ? end : NULL;
	}
	return *pattern == c ? pattern + 1 : NULL;
}

static ALWAYS_INLINE bool match_all(const char *pattern, glob_text *at,
				    void *text)
{
	const char *star = NULL;	/* behind the last star ... */
	uint64_t taken = 0;		/* ... which takes text up to here */
	uint64_t i = 0;
	char c;

	while ((*pattern != '*' || pattern[1]) && (c = at(text, i))) {
		const char *next = NULL;

		if (*pattern == '*') {
			star = ++pattern;
			taken = i;
			continue;
		}
		if (*pattern)
			next = match_one(pattern, c);
		if (next) {
			pattern = next;
			i++;
		} else if (star) {
			pattern = star;
			i = ++taken;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

bool glob_match_read(const char *pattern, glob_text *at, void *text)
{
	return match_all(pattern, at, text);
}

struct bounded {
	const char *text;
	uint64_t limit;
};

static inline char bounded_at(void *text, uint64_t i)
{
	const struct bounded *bounded = text;

	return i < bounded->limit ? bounded->text[i] : '\0';
}

bool glob_match_upto(const char *pattern, const char *text, uint64_t limit)
{
	struct bounded bounded = { text, limit };

	return match_all(pattern, bounded_at, &bounded);
}

bool glob_match(const char *pattern, const char *text)
{
	return glob_match_upto(pattern, text, UINT64_MAX);
}

bool glob_match_cut(const char *pattern, const char *text, size_t most)
{
	size_t n = 0;

	while (text[n] && text[n] == pattern[n])
		n++;
	return (n == most && !text[n]) || glob_match(pattern, text);
}

const char *glob_next(const char *pattern)
{
	bool holds;
	const char *end = *pattern == '[' ? match_class(pattern, 0, &holds) :
					    NULL;

	return end ? end : pattern + 1;
}

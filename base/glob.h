/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The globs of rules, the same in the agent and in the command.
 *
 *	*	any characters, also none, also '/'
 *	?	one character
 *	[abc]	one of these; [a-z] a range; [!a] or [^a] any other; a ']' that
 *		comes first is one of these; a '[' that nothing closes is itself
 *
 * Everything else stands for itself.
 */
#ifndef BASE_GLOB_H
#define BASE_GLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Returns whether the whole text matches the pattern. Any two strings are fine:
 * no recursion, no memory, time at most the product of their lengths.
 * SIGSAFE, thread-safe.
 */
bool glob_match(const char *pattern, const char *text);

/* Does the same for a text that ends at a NUL or after `limit` bytes. */
bool glob_match_upto(const char *pattern, const char *text, uint64_t limit);

/* Returns character i of a text, or 0 behind the last one. */
typedef char glob_text(void *text, uint64_t i);

/* Does the same for a text that is read in parts. A star at the pattern's end
 * reads none of it. */
bool glob_match_read(const char *pattern, glob_text *at, void *text);

/* Does as glob_match() for a text that may have been cut to `most` bytes: if it
 * has this length, it also matches a pattern that begins with it. */
bool glob_match_cut(const char *pattern, const char *text, size_t most);

/* Returns where the first element of a pattern ends: a class, else one
 * character. The pattern is not empty. SIGSAFE, thread-safe. */
const char *glob_next(const char *pattern);

#endif

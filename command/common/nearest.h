/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds marker ids similar to a rule that matched nothing, for a message.
 */
#ifndef COMMAND_COMMON_NEAREST_H
#define COMMAND_COMMON_NEAREST_H

#include <stddef.h>

#define NEAREST_IDS		3
#define NEAREST_LENGTH_MAX	128

struct nearest {
	const char *rule;		/* set this, the rest zero */
	const char *ids[NEAREST_IDS];	/* nearest first; then NULL */
	unsigned int distances[NEAREST_IDS];
};

/*
 * Returns the edit distance between a glob and an id: insertions, deletions and
 * changes of one character, swaps of two; characters that '*' and '?' match
 * cost nothing. Looks at the first NEAREST_LENGTH_MAX characters of each.
 */
unsigned int nearest_distance(const char *glob, const char *id);

/* Considers an id, and keeps it by reference. A repeated id counts once. Events
 * of LTTng-UST's own providers come last, unless a rule begins with "lttng". */
void nearest_add(struct nearest *nearest, const char *id);

/* The same, of an id whose distance the caller knows; keeps a copy if it is
 * near, until the command ends, which has failed. */
void nearest_add_copy(struct nearest *nearest, const char *id,
		      unsigned int distance);

/* Writes "a/b, a/c or x/y"; "" when no id was added. */
void nearest_text(const struct nearest *nearest, char *text, size_t room);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the user may have meant: the ids that lie nearest to a rule which
 * matches none.
 */
#ifndef COMMAND_PROCESSES_NEAREST_H
#define COMMAND_PROCESSES_NEAREST_H

#include <stddef.h>

#define NEAREST_IDS		3
#define NEAREST_LENGTH_MAX	128

struct nearest {
	const char *rule;		/* set this, the rest zero */
	const char *ids[NEAREST_IDS];	/* nearest first; then NULL */
	unsigned int distances[NEAREST_IDS];
};

/*
 * Edit distance between a glob and an id: insertions, deletions and changes
 * of one character, swaps of two; what '*' and '?' stand for is free. Looks
 * at the first NEAREST_LENGTH_MAX characters of each.
 */
unsigned int nearest_distance(const char *glob, const char *id);

/* Consider an id. It is kept by reference. Repeated ones count once. */
void nearest_add(struct nearest *nearest, const char *id);

/* "a/b, a/c or x/y"; "" when no id was added. */
void nearest_text(const struct nearest *nearest, char *text, size_t room);

#endif

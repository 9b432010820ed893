/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text of "key=value" lines (control/protocol.h), read in place.
 */
#ifndef BASE_LINES_H
#define BASE_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

#define LINE_KEY_BYTES		32
#define LINE_VALUE_BYTES	512

struct line {
	char key[LINE_KEY_BYTES];
	char value[LINE_VALUE_BYTES];
	int cut;		/* key or value was too long */
};

/* Takes the next line with a key from *text, which is terminated. Returns 0 at
 * the end. Skips lines without '='. */
bool line_next(const char **text, struct line *line);

/* Copies the value of the first line with that key. Returns false when there is
 * none, or the value is too long: a part of a name is another name. */
bool line_find(const char *text, const char *key, char *value, uint32_t size);

void line_add(struct text *out, const char *key, const char *value);
void line_add_unsigned(struct text *out, const char *key, uint64_t value);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * "key=value" lines.
 */
#include "base/lines.h"

#include <stdbool.h>

bool line_next(const char **text, struct line *line)
{
	const char *p = *text;

	while (*p) {
		const char *begin = p, *equals = NULL;
		struct text key, value;

		for (; *p && *p != '\n'; p++)
			if (!equals && *p == '=')
				equals = p;
		*text = p + !!*p;
		text_open(&key, line->key, sizeof(line->key));
		text_open(&value, line->value, sizeof(line->value));
		if (equals) {
			text_add_bytes(&key, begin, (size_t)(equals - begin));
			text_add_bytes(&value, equals + 1,
				       (size_t)(p - equals - 1));
		}
		line->cut = key.cut || value.cut;
		p = *text;
		if (key.used)
			return true;
	}
	return false;
}

bool line_find(const char *text, const char *key, char *value, uint32_t size)
{
	struct line line;

	while (line_next(&text, &line)) {
		if (!text_equal(line.key, key))
			continue;
		if (line.cut || text_length(line.value) >= size)
			return false;
		text_copy(value, size, line.value);
		return true;
	}
	return false;
}

void line_add(struct text *out, const char *key, const char *value)
{
	text_add(out, key);
	text_add_char(out, '=');
	text_add(out, value);
	text_add_char(out, '\n');
}

void line_add_unsigned(struct text *out, const char *key, uint64_t value)
{
	text_add(out, key);
	text_add_char(out, '=');
	text_add_unsigned(out, value);
	text_add_char(out, '\n');
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bytes that grow. The room doubles, so a column of n bytes costs no more than
 * 2 n bytes that are copied, however small the pieces are.
 */
#include "command/timeline/bytes-private.h"

#include <stdlib.h>

#define BYTES_MIN	256u

bool bytes_grow(struct bytes *b, size_t n)
{
	size_t room = b->room ? 2 * b->room : BYTES_MIN;
	uint8_t *p;

	while (room - b->n < n)
		room *= 2;
	p = b->failed ? NULL : realloc(b->p, room);
	if (!p) {
		b->failed = true;
		b->n = b->room = 0;
		return false;
	}
	b->p = p;
	b->room = room;
	return true;
}

void bytes_free(struct bytes *b)
{
	free(b->p);
	memset(b, 0, sizeof(*b));
}

uint8_t *bytes_take(struct bytes *b, size_t n)
{
	if (!bytes_room(b, n))
		return NULL;
	b->n += n;
	return b->p + b->n - n;
}

void bytes_text(struct bytes *b, const char *text)
{
	size_t n = strlen(text);

	bytes_number(b, n);
	bytes_put(b, text, n);
}

void bytes_section(struct bytes *b, const struct bytes *section)
{
	bytes_number(b, section->n);
	bytes_put(b, section->p, section->n);
	b->failed |= section->failed;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Steps over the fields of an event (struct event_shape).
 *
 * Invariant: no load beyond the cursor's `end`, whatever the
 * bytes say.
 */
#ifndef BUFFERS_READER_STEP_H
#define BUFFERS_READER_STEP_H

#include <errno.h>
#include <string.h>

#include "buffers/cursor.h"
#include "buffers/reader/reader.h"

static inline int step_string(struct cursor *c)
{
	const uint8_t *nul = memchr(c->p, 0, cursor_room(c));

	if (!nul)
		return -EBADMSG;
	c->p = nul + 1;
	return 0;
}

static inline int step_sequence(struct cursor *c, unsigned int element)
{
	uint32_t count;

	if (cursor_room(c) < sizeof(count))
		return -EBADMSG;
	memcpy(&count, c->p, sizeof(count));
	c->p += sizeof(count);
	return cursor_skip(c, (uint64_t)count * element);
}

/* Takes one step, which is not 0. Returns 0 or -EBADMSG. */
static inline int step_one(struct cursor *c, uint16_t step)
{
	if (step == STEP_STRING)
		return step_string(c);
	if (step & STEP_SEQUENCE)
		return step_sequence(c, step & STEP_FIXED_MAX);
	return cursor_skip(c, step & STEP_FIXED_MAX);
}

/* Steps over the fields at c->p. Returns 0 or -EBADMSG. */
static inline int step_fields(struct cursor *c, const uint16_t *step)
{
	int ret = 0;

	for (; *step && !ret; step++)
		ret = step_one(c, *step);
	return ret;
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory for the agent's own structures: mapped, never unmapped, zeroed when
 * handed out. What was of one type is only used again for that type, so that
 * a thread which still holds a pointer to a retired object finds an object.
 *
 * Not thread-safe: the registry's lock is held.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

/* A type: its size, and the objects of it that were given back. */
struct arena_type {
	size_t bytes;
	void *free;
};

#define ARENA_TYPE(type)	{ .bytes = sizeof(type) }

/* A zeroed object, or NULL when the process has no memory. */
void *arena_take(struct arena_type *type);

/* Memory for good, zeroed, aligned to 64; or NULL. */
void *arena_keep(size_t bytes);

/*
 * A copy of these bytes for good, aligned to 64; what is asked for once more
 * from the same set is the same copy. NULL when the process has no memory. A
 * set is NULL at first.
 */
struct arena_copy;
const void *arena_copy(struct arena_copy **set, const void *bytes, size_t n);

/* Gives it back; its memory stays readable. */
void arena_give(struct arena_type *type, void *object);

#endif

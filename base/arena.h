/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory for the agent's structures: mapped, never unmapped, zeroed when handed
 * out. An object's memory is only used again for objects of the same type: a
 * thread that still has a pointer to a retired object finds an object there.
 *
 * Not thread-safe: the caller holds the registry's lock.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A type: the size, whether objects are packed, and those that were given
 * back. */
struct arena_type {
	size_t bytes;
	bool packed;		/* aligned to 16, not to 64 */
	void *free;
};

#define ARENA_TYPE(type)	{ .bytes = sizeof(type) }

/* Returns a zeroed object, or NULL when the process has no memory. */
void *arena_take(struct arena_type *type);

/* Returns memory that is never given back, zeroed, aligned to 64; or NULL. */
void *arena_keep(size_t bytes);

/* Returns the same, aligned to 16: for things of which there are very many. */
void *arena_pack(size_t bytes);

/*
 * Returns a copy of these bytes that is never given back, aligned to 64. The
 * same bytes from the same set give the same copy. Returns NULL when the
 * process has no memory. A set is NULL at first.
 */
struct arena_copy;
const void *arena_copy(struct arena_copy **set, const void *bytes, size_t n);

/* Gives an object back; the memory stays readable. */
void arena_give(struct arena_type *type, void *object);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The agent's memory: pieces cut from anonymous mappings.
 */
#include "tracepoints/arena.h"

#include "buffers/base.h"
#include "buffers/sys.h"

#define ARENA_CHUNK_BYTES	(256u << 10)
#define ARENA_ALIGN		64

static char *chunk;
static size_t chunk_left;

void *arena_keep(size_t size)
{
	size_t bytes = align_up(size, ARENA_ALIGN);
	void *object;

	if (chunk_left < bytes) {
		size_t fresh = bytes > ARENA_CHUNK_BYTES ? bytes :
							   ARENA_CHUNK_BYTES;

		chunk = sys_map_anonymous(fresh);
		chunk_left = chunk ? fresh : 0;
		if (!chunk)
			return NULL;
	}
	object = chunk;
	chunk += bytes;
	chunk_left -= bytes;
	return object;
}

void *arena_take(struct arena_type *type)
{
	void *object = type->free;

	if (!object)
		return arena_keep(type->bytes);
	type->free = *(void **)object;
	__builtin_memset(object, 0, type->bytes);
	return object;
}

void arena_give(struct arena_type *type, void *object)
{
	*(void **)object = type->free;
	type->free = object;
}

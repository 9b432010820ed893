/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The agent's memory: pieces cut from anonymous mappings.
 */
#include "base/arena.h"

#include <sys/mman.h>

#include "base/base.h"
#include "base/sys.h"

/* All that most programs need; the linker puts both beside other variables
 * (agent/beside/start.ld). */
#define OWN_BYTES		6656u
#define PACKED_OWN_BYTES	384u
#define FIRST_CHUNK_BYTES	(256u << 10)
#define CHUNK_BYTES		(64u << 10)	/* of others: all is touched */
#define ARENA_ALIGN		64
#define PACKED_ALIGN		16

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE	23	/* Linux 5.14; does nothing before */
#endif

/* A mapping that pieces of one alignment are cut from. */
struct chunk {
	char *p;
	size_t left;
	uint32_t mapped;	/* how many there were */
};

/* Cuts a piece from a chunk. Returns NULL without memory. */
static void *chunk_cut(struct chunk *chunk, size_t bytes)
{
	void *piece;

	if (chunk->left < bytes) {
		size_t least = chunk->mapped ? CHUNK_BYTES : FIRST_CHUNK_BYTES;

		/* what is left is for smaller pieces */
		if (bytes > least)
			return sys_map_anonymous(bytes);
		chunk->p = sys_map_anonymous(least);
		/* a process that needs a second chunk will need many */
		if (chunk->p && chunk->mapped++)
			sys_madvise(chunk->p, least, MADV_POPULATE_WRITE);
		chunk->left = chunk->p ? least : 0;
		if (!chunk->p)
			return NULL;
	}
	piece = chunk->p;
	chunk->p += bytes;
	chunk->left -= bytes;
	return piece;
}

void *arena_keep(size_t size)
{
	static char own[OWN_BYTES] __attribute__((aligned(64)));
	static struct chunk chunk = { own, sizeof(own), 0 };

	return chunk_cut(&chunk, align_up(size, ARENA_ALIGN));
}

void *arena_pack(size_t size)
{
	static char packed[PACKED_OWN_BYTES]
		__attribute__((aligned(PACKED_ALIGN)));
	static struct chunk chunk = { packed, sizeof(packed), 0 };

	return chunk_cut(&chunk, align_up(size, PACKED_ALIGN));
}

struct arena_copy {
	struct arena_copy *next;
	size_t bytes;
	uint8_t pad[ARENA_ALIGN - 16];
	uint8_t copy[];
};

_Static_assert(sizeof(struct arena_copy) == ARENA_ALIGN, "aligned copies");

const void *arena_copy(struct arena_copy **set, const void *bytes, size_t n)
{
	struct arena_copy *copy;

	for (copy = *set; copy; copy = copy->next)
		if (copy->bytes == n && !__builtin_memcmp(copy->copy, bytes, n))
			return copy->copy;
	copy = arena_keep(sizeof(*copy) + n);
	if (!copy)
		return NULL;
	copy->bytes = n;
	__builtin_memcpy(copy->copy, bytes, n);
	copy->next = *set;
	*set = copy;
	return copy->copy;
}

void *arena_take(struct arena_type *type)
{
	void *object = type->free;

	if (!object)
		return type->packed ? arena_pack(type->bytes) :
				      arena_keep(type->bytes);
	type->free = *(void **)object;
	__builtin_memset(object, 0, type->bytes);
	return object;
}

void arena_give(struct arena_type *type, void *object)
{
	*(void **)object = type->free;
	type->free = object;
}

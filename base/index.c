/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Open addressing, at most three quarters full; no value is ever removed alone.
 */
#include "base/index.h"

#include <errno.h>

#include "base/sys.h"

#define FIRST_SLOTS	256u	/* a page */
#define FNV_PRIME	1099511628211ull

uint64_t index_hash(uint64_t hash, const void *p, uint64_t n)
{
	const uint8_t *byte = p;
	uint64_t word;

	/* FNV-1a, by words: a product moves bits up only, the shift down */
	for (; n >= sizeof(word); n -= sizeof(word), byte += sizeof(word)) {
		__builtin_memcpy(&word, byte, sizeof(word));
		hash = (hash ^ word) * FNV_PRIME;
		hash ^= hash >> 32;
	}
	while (n--)
		hash = (hash ^ *byte++) * FNV_PRIME;
	return hash;
}

static struct index_slot *slot_first(const struct index *index, uint64_t hash)
{
	return index_slots(index) +
	       ((hash ^ hash >> 32) & (index_room(index) - 1));
}

static struct index_slot *slot_next(const struct index *index,
				    struct index_slot *slot)
{
	return ++slot == index_slots(index) + index_room(index) ?
		       index_slots(index) : slot;
}

uint64_t index_find(const struct index *index, uint64_t hash,
		    bool (*same)(uint64_t value, const void *key),
		    const void *key)
{
	struct index_slot *slot;

	for (slot = slot_first(index, hash); slot->value;
	     slot = slot_next(index, slot))
		if (slot->hash == hash && same(slot->value, key))
			return slot->value;
	return 0;
}

static void slot_put(struct index *index, uint64_t hash, uint64_t value)
{
	struct index_slot *slot = slot_first(index, hash);

	while (slot->value)
		slot = slot_next(index, slot);
	slot->hash = hash;
	slot->value = value;
	index->used++;
}

static int index_grow(struct index *index)
{
	struct index more = { .size = index->size ? index->size * 2 :
						    FIRST_SLOTS };
	const struct index_slot *slots = index_slots(index);

	more.slots = sys_map_anonymous(more.size * sizeof(*more.slots));
	if (!more.slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < index_room(index); i++)
		if (slots[i].value)
			slot_put(&more, slots[i].hash, slots[i].value);
	index_clear(index);
	*index = more;
	return 0;
}

int index_add(struct index *index, uint64_t hash, uint64_t value)
{
	if (index->used >= index_room(index) / 4 * 3 && index_grow(index))
		return -ENOMEM;
	slot_put(index, hash, value);
	return 0;
}

void index_clear(struct index *index)
{
	if (index->size)
		sys_munmap(index->slots, index->size * sizeof(*index->slots));
	/* an empty one is not written: it may be a page of its own */
	if (index->size || index->used)
		*index = (struct index){ 0 };
}

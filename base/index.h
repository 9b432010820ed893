/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A hash table for things that there may be very many of: markers, event
 * records.
 *
 * Not thread-safe: the caller holds the registry's lock.
 */
#ifndef BASE_INDEX_H
#define BASE_INDEX_H

#include <stdbool.h>
#include <stdint.h>

struct index_slot {
	uint64_t hash;
	uint64_t value;			/* 0: free */
};

#define INDEX_FEW	4

/* All zero: empty. May be moved. */
struct index {
	struct index_slot *slots;
	uint32_t size;			/* power of two; 0: few[] has all */
	uint32_t used;
	struct index_slot few[INDEX_FEW];	/* to map a page, write there
						 * and unmap it takes 12 us */
};

/* All slots, and their number: for a walk over the values. */
static inline struct index_slot *index_slots(const struct index *index)
{
	return index->size ? index->slots : (struct index_slot *)index->few;
}

static inline uint32_t index_room(const struct index *index)
{
	return index->size ? index->size : INDEX_FEW;
}

/* Returns the value with that hash for which same(value, key) is true, or 0. */
uint64_t index_find(const struct index *index, uint64_t hash,
		    bool (*same)(uint64_t value, const void *key),
		    const void *key);

/* Adds a value that is not 0. Returns 0 or -ENOMEM. */
int index_add(struct index *index, uint64_t hash, uint64_t value);

/* Empties the table, and keeps the memory: as many values can be added again
 * without a failure. */
static inline void index_empty(struct index *index)
{
	__builtin_memset(index_slots(index), 0,
			 index_room(index) * sizeof(*index->slots));
	index->used = 0;
}

/* Empties the table and unmaps the memory. */
void index_clear(struct index *index);

/* Returns the hash of `n` bytes, continued from `hash` (first INDEX_HASH). */
#define INDEX_HASH	14695981039346656037ull
uint64_t index_hash(uint64_t hash, const void *p, uint64_t n);

/* Sets of addresses: the hash of an address, or of another number. */
static inline uint64_t address_hash(uint64_t address)
{
	return index_hash(INDEX_HASH, &address, sizeof(address));
}

/* As index_find() asks, in a set: the value is the address. */
static inline bool address_same(uint64_t value, const void *address)
{
	return value == *(const uint64_t *)address;
}

/* Returns true when the set has the address. */
static inline bool address_has(const struct index *set, uint64_t address)
{
	return !!index_find(set, address_hash(address), address_same, &address);
}

/* Adds an address; leaves 0 out, which is none. Returns 0 or -ENOMEM. */
static inline int address_add(struct index *set, uint64_t address)
{
	return address ? index_add(set, address_hash(address), address) : 0;
}

#endif

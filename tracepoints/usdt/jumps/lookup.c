/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The list of ways, and a hash table of them by address for the handler of
 * SIGTRAP. The agent adds to both while handlers look. Without memory for a
 * table, and while no trap (`--int3`) was asked for, handlers walk the list.
 *
 * A table is at most seven eighths full, and probed one by one. A way is in it
 * for each block of addresses that the switched bytes touch. No entry changes
 * or goes: a table that is too small is replaced by a larger one, and stays, as
 * handlers may be in it. A child that was forked at any moment has a whole one.
 *
 * Invariant: a table that is found has all ways of the list that have a cc. Of
 * those of a block the newer one comes later, unlike in the list.
 */
#include "tracepoints/usdt/jumps/jumps.h"

#include "base/arena.h"
#include "base/base.h"

#define BLOCK		64u	/* bytes; a way touches one or two */
#define FIRST_SLOTS	256u

_Static_assert(USDT_PATCH_MAX <= BLOCK, "blocks of a way");

struct way_table {
	uint64_t mask;
	struct way *slots[];
};

struct way *usdt_ways;
static struct way_table *table;
static uint64_t entries;	/* of all ways, in the table or not */

static SIGSAFE uint64_t slot_first(const struct way_table *in, uint64_t address)
{
	return (address / BLOCK * 0x9e3779b97f4a7c15ull >> 32) & in->mask;
}

/* Returns an address in the second block of a way; in the only one, if any. */
static uint64_t way_last(const struct way *way)
{
	return way->site + way->n - 1;
}

static uint32_t way_blocks(const struct way *way)
{
	return way->n ? 1 + (way_last(way) / BLOCK != way->site / BLOCK) : 0;
}

/* Adds a way behind all others. Handlers may look. */
static void way_append(struct way *way, uint64_t address)
{
	uint64_t slot = slot_first(table, address);

	while (table->slots[slot])
		slot = (slot + 1) & table->mask;
	store_release(&table->slots[slot], way, USDT_LOOKUP);
}

/* Adds a way before all others of the block. No handler looks yet. */
static void way_prepend(struct way_table *in, struct way *way, uint64_t address)
{
	uint64_t slot = slot_first(in, address);
	struct way *moves;

	for (; way; way = moves, slot = (slot + 1) & in->mask) {
		moves = in->slots[slot];
		in->slots[slot] = way;
	}
}

/* Returns how many ways are the most for a table. */
static uint64_t slots_used(uint64_t slots)
{
	return slots / 8 * 7;
}

/* Returns a table of all ways, or NULL. */
static struct way_table *table_make(void)
{
	uint64_t slots = FIRST_SLOTS;
	struct way_table *made;
	struct way *way;

	while (slots_used(slots) < entries)
		slots *= 2;
	made = arena_keep(sizeof(*made) + slots * sizeof(*made->slots));
	if (!made)
		return NULL;
	made->mask = slots - 1;
	for (way = usdt_ways; way; way = way->next) {
		if (way_blocks(way))
			way_prepend(made, way, way->site);
		if (way_blocks(way) > 1)
			way_prepend(made, way, way_last(way));
	}
	return made;
}

void usdt_way_add(struct way *way)
{
	uint32_t blocks = way_blocks(way);

	way->next = usdt_ways;
	/* USDT-WAY: a handler that finds the way finds it complete */
	store_release(&usdt_ways, way, USDT_WAY);
	entries += blocks;
	/* jumps have a cc for moments alone: a table is worth its memory from
	 * the first trap on */
	if (!table && !usdt_is_trap(way))
		return;
	if (!table || entries > slots_used(table->mask + 1)) {
		/* USDT-LOOKUP: before a cc of the way */
		store_release(&table, blocks ? table_make() : table,
			      USDT_LOOKUP);
		return;
	}
	if (blocks)
		way_append(way, way->site);
	if (blocks > 1)
		way_append(way, way_last(way));
}

SIGSAFE const struct way *usdt_lookup_next(struct usdt_lookup *lookup)
{
	const struct way *way = lookup->way;

	if (!lookup->table) {
		lookup->way = way ? way->next : NULL;
		return way;
	}
	/* USDT-LOOKUP: as complete as in the list */
	way = load_acquire(&lookup->table->slots[lookup->slot], USDT_LOOKUP);
	lookup->slot = (lookup->slot + 1) & lookup->table->mask;
	return way;
}

SIGSAFE struct usdt_lookup usdt_lookup_open(uint64_t address, uint64_t mask)
{
	struct usdt_lookup lookup = { 0 };

	/* USDT-LOOKUP: all that is there is in it */
	if (mask == ~0ull)
		lookup.table = load_acquire(&table, USDT_LOOKUP);
	if (lookup.table)
		lookup.slot = slot_first(lookup.table, address);
	else
		lookup.way = load_acquire(&usdt_ways, USDT_WAY);
	return lookup;
}

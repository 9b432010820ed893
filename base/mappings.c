/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keeps a list of mappings, see mappings.h.
 *
 * Invariant: a range is in at most one row. A mapping that MAP_FIXED puts into
 * another one changes no row. Only the thread that owns a range unmaps it, so
 * rows are taken by one compare-and-swap and need no lock.
 */
#include "base/mappings.h"

#include <stdbool.h>
#include <sys/mman.h>

#include "base/base.h"
#include "base/sys.h"

#define PAGE_BYTES	4096

/* Each start writes a row: the linker puts the last ones on a page that is
 * written anyhow (agent/beside/start.ld). */
struct mapping mappings[MAPPINGS_MAX] TABLE;
uint32_t mappings_lost;
static uint32_t rows;		/* at the end, that were ever taken */

/* Returns the first row that was ever taken: to read those before it takes a
 * page fault. */
SIGSAFE static uint32_t rows_begin(void)
{
	return MAPPINGS_MAX - load_relaxed(&rows);
}

static void rows_reach(uint32_t n)
{
	uint32_t before = load_relaxed(&rows);

	while (before < n &&
	       !__atomic_compare_exchange_n(&rows, &before, n, 0,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* Returns true when one row has the whole range. */
static bool is_listed(uint64_t start, uint64_t bytes)
{
	for (uint32_t i = rows_begin(); i < MAPPINGS_MAX; i++)
		if (start - mappings[i].start < mappings[i].bytes &&
		    start + bytes <= mappings[i].start + mappings[i].bytes)
			return true;
	return false;
}

static void mapping_note(uint64_t start, uint64_t bytes)
{
	uint64_t none;

	for (uint32_t i = MAPPINGS_MAX; i--;) {
		rows_reach(MAPPINGS_MAX - i);
		none = 0;
		/* no load before: to read a page first takes two faults */
		if (__atomic_compare_exchange_n(&mappings[i].start, &none,
						start, 0, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED)) {
			store_relaxed(&mappings[i].bytes, bytes);
			return;
		}
	}
	store_relaxed(&mappings_lost, 1);
}

SIGSAFE void mapping_forget(uint64_t start, uint64_t bytes)
{
	uint64_t end = start + align_up(bytes, PAGE_BYTES);

	for (uint32_t i = rows_begin(); i < MAPPINGS_MAX; i++) {
		struct mapping *row = &mappings[i];
		uint64_t from = load_relaxed(&row->start);
		uint64_t to = from + load_relaxed(&row->bytes);

		if (from >= end || to <= start)
			continue;
		if (from < start && to > end)
			store_relaxed(&mappings_lost, 1);
		else if (from < start)
			store_relaxed(&row->bytes, start - from);
		else
			store_relaxed(&row->bytes, to > end ? to - end : 0);
		if (from >= start)
			store_relaxed(&row->start, to > end ? end : 0);
	}
}

SIGSAFE long mapping_map(long at, uint64_t bytes, int prot, int flags, int fd,
			 uint64_t offset)
{
	long p = sys6(SYS_mmap, at, bytes, prot, flags, fd, offset);

	bytes = align_up(bytes, PAGE_BYTES);
	if ((p >= 0 || p <= -4096) &&
	    !(flags & MAP_FIXED && is_listed((uint64_t)p, bytes)))
		mapping_note((uint64_t)p, bytes);
	return p;
}

SIGSAFE long mapping_unmap(long at, uint64_t bytes)
{
	/* first: another thread may get the range as soon as it is free */
	mapping_forget((uint64_t)at, bytes);
	return sys2(SYS_munmap, at, bytes);
}

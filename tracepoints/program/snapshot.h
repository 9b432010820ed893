/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Snapshots of the registers at a site.
 *
 * Where the arguments of a marker are evaluated the compiler has moved
 * registers already, so a snapshot is taken before, on the way from the site:
 * its stub calls snapshot_entry (taffrail/site-x86_64.h), which stores the
 * registers in one of a few places of the thread. What the marker then calls
 * finds the youngest that is of its site.
 *
 * What must stay true: places are used in a circle, and given back youngest
 * first. A handler that is hit in between takes the next ones and gives them
 * back. A snapshot that nobody fetches, as of a thread that leaves by
 * siglongjmp(), is overwritten by later ones, always before a younger one of
 * the same site.
 */
#ifndef TRACEPOINTS_PROGRAM_SNAPSHOT_H
#define TRACEPOINTS_PROGRAM_SNAPSHOT_H

#include "base/base.h"
#include "include/taffrail/site.h"
#include "tracepoints/program/patch.h"
#include "tracepoints/program/registers-x86_64.h"

/* Offsets are in machine code; see snapshot-entry-x86_64.S. */
struct snapshot {
	uint64_t general[16];		/* as struct registers has them */
	const uint8_t *behind;		/* the stub's call; or the address */
	const struct taffrail_site *site; /* NULL: free; odd: put there */
	uint32_t flags;
	uint32_t number;
};

#define SNAPSHOTS	8		/* of a thread; a power of two */
#define SNAPSHOT_SITE	2		/* from `behind` to what leads there */

struct snapshot_area {
	struct snapshot places[SNAPSHOTS];
	uint32_t next;
};

/* In the static part of every thread's variables, so no call is needed. The
 * machine code defines it. */
extern __thread struct snapshot_area snapshot_area
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* What snapshot_find() does when the youngest is not of that site. SIGSAFE. */
struct snapshot *snapshot_search(const struct taffrail_site *site);

/*
 * The calling thread's snapshot of a site that is being hit, or NULL when
 * there is none. SIGSAFE.
 */
static ALWAYS_INLINE struct snapshot *
snapshot_find(const struct taffrail_site *site)
{
	struct snapshot_area *area = &snapshot_area;
	uint32_t n = load_relaxed(&area->next) - 1;
	struct snapshot *snapshot = &area->places[n % SNAPSHOTS];

	if (likely(snapshot->site == site && snapshot->number == n))
		return snapshot;
	return snapshot_search(site);
}

/*
 * The same for registers that somebody else has taken on the way from the
 * site: puts them there, with an address; and finds them, apart from those of
 * the stub. SIGSAFE.
 */
void snapshot_put(const struct taffrail_site *site, const uint64_t *general,
		  uint32_t flags, uint64_t address);
struct snapshot *snapshot_find_put(const struct taffrail_site *site);

/* Gives it back; what is younger is given back with it. SIGSAFE. */
static inline void snapshot_release(struct snapshot *snapshot)
{
	snapshot->site = NULL;
	store_relaxed(&snapshot_area.next, snapshot->number);
}

/* The address of the site: label 990. SIGSAFE. */
static inline uint64_t snapshot_address(const struct snapshot *snapshot)
{
	const uint8_t *at = snapshot->behind + SNAPSHOT_SITE;
	int32_t distance;

	if ((uint64_t)snapshot->site & 1)
		return (uint64_t)snapshot->behind;
	__builtin_memcpy(&distance, at, sizeof(distance));
	return (uint64_t)at + (uint64_t)(int64_t)distance;
}

/* The block of registers for gdb: REGISTERS_BLOCK_BYTES. SIGSAFE. */
void snapshot_block(const struct snapshot *snapshot, uint8_t *to);

/*
 * Lets a site's stub take snapshots, or no longer. A thread that is on its way
 * goes the old way. Returns 0, -EBUSY when the stub is not as expected, or
 * another negative errno. The registry's lock is held.
 */
int snapshot_switch(const struct patcher *patcher, struct taffrail_site *site,
		    uint8_t *stub, int on);

#endif

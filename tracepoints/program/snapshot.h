/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Snapshots of the registers at a site.
 *
 * When a marker evaluates the arguments, the compiled code has moved registers
 * already. So a snapshot is taken before that: the site's stub calls
 * snapshot_entry (taffrail/site-x86_64.h), which stores the registers in one of
 * a few places of the thread. The function that the marker then calls finds the
 * youngest snapshot of the site.
 *
 * Invariant: places are used in a circle, and released youngest first. A signal
 * handler that hits a marker in between takes the next places and releases
 * them. A snapshot that is never fetched, as in a thread that leaves by
 * siglongjmp(), is overwritten by later snapshots, always before a younger one
 * of the same site.
 */
#ifndef TRACEPOINTS_PROGRAM_SNAPSHOT_H
#define TRACEPOINTS_PROGRAM_SNAPSHOT_H

#include "base/base.h"
#include "include/taffrail/site.h"
#include "tracepoints/program/patch.h"
#include "tracepoints/program/registers-x86_64.h"

/* Offsets are in machine code; see snapshot-entry-x86_64.S. */
struct snapshot {
	uint64_t general[16];		/* as in struct registers */
	const uint8_t *behind;		/* after the stub's call; or the site */
	const struct taffrail_site *site; /* NULL: free; odd: snapshot_put() */
	uint32_t flags;
	uint32_t number;
};

#define SNAPSHOTS	8		/* of a thread; a power of two */
#define SNAPSHOT_SITE	2		/* from `behind` to .long 990b - . */

struct snapshot_area {
	struct snapshot places[SNAPSHOTS];
	uint32_t next;
};

/* In the static part of every thread's variables: access needs no call. The
 * machine code defines it. */
extern __thread struct snapshot_area snapshot_area
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Does the rest of snapshot_find(): the youngest is not of that site.
 * SIGSAFE. */
struct snapshot *snapshot_search(const struct taffrail_site *site);

/*
 * Returns the calling thread's snapshot of a site that is being hit, or NULL
 * when there is none. SIGSAFE.
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
 * snapshot_put() stores registers that other code than the stub has taken on
 * the way from the site, with the site's address. snapshot_find_put() finds
 * such a snapshot, and none of the stub. SIGSAFE.
 */
void snapshot_put(const struct taffrail_site *site, const uint64_t *general,
		  uint32_t flags, uint64_t address);
struct snapshot *snapshot_find_put(const struct taffrail_site *site);

/* Returns true for a snapshot of snapshot_put(). SIGSAFE. */
static inline bool snapshot_is_put(const struct snapshot *snapshot)
{
	return (uint64_t)snapshot->site & 1;
}

/* Releases a snapshot, and all that are younger. SIGSAFE. */
static inline void snapshot_release(struct snapshot *snapshot)
{
	snapshot->site = NULL;
	store_relaxed(&snapshot_area.next, snapshot->number);
}

/* Returns the address of the site: label 990. SIGSAFE. */
static inline uint64_t snapshot_address(const struct snapshot *snapshot)
{
	const uint8_t *at = snapshot->behind + SNAPSHOT_SITE;
	int32_t distance;

	if (snapshot_is_put(snapshot))
		return (uint64_t)snapshot->behind;
	__builtin_memcpy(&distance, at, sizeof(distance));
	return (uint64_t)at + (uint64_t)(int64_t)distance;
}

/* Stores gdb's block of registers: REGISTERS_BLOCK_BYTES. SIGSAFE. */
void snapshot_block(const struct snapshot *snapshot, uint8_t *to);

/* The function that stubs call instead of snapshot_entry, if it is set. It goes
 * on to snapshot_entry, with all registers as it found them. */
extern void (*snapshot_way)(void);

/*
 * Starts or stops snapshots in a site's stub. A thread that is in the stub may
 * still go the old way. Returns 0, -EBUSY when the stub is not as expected, or
 * another negative errno. The registry's lock is held.
 */
int snapshot_switch(const struct patcher *patcher, struct taffrail_site *site,
		    uint8_t *stub, int on);

#endif

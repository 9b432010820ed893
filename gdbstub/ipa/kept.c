/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Places for the vector registers of hits: kept on the way from the site, used
 * a moment later by the same thread, when it has the marker's arguments.
 *
 *	stub -> ipa_snapshot_entry -> snapshot_entry -> arguments -> ipa_hit()
 *		a place is taken if				its frame
 *		registers are collected				is made
 *
 * What must stay true: a place belongs to the snapshot of that number of the
 * thread that took it; only this thread reads and releases it. Without a place
 * a frame has no registers at all: a register that is not known is never 0.
 */
#include "gdbstub/ipa/ipa.h"

#include "base/base.h"
#include "base/host.h"
#include "tracepoints/frames/draft.h"
#include "tracepoints/program/snapshot.h"

static struct ipa_kept *kept;

void ipa_kept_setup(struct ipa_kept *room)
{
	kept = room;
}

static void place_release(struct ipa_place *place)
{
	store_release(&place->tid, 0);
	__atomic_fetch_sub(&kept->used, 1, __ATOMIC_RELAXED);
}

/* Releases places of snapshots that are over: the thread has left a hit by
 * siglongjmp(). */
static void stale_release(uint32_t tid, uint32_t number)
{
	struct ipa_place *place = kept->places;

	for (; place < kept->places + IPA_KEPT; place++)
		if (load_relaxed(&place->tid) == tid &&
		    (int32_t)(place->number - number) >= 0)
			place_release(place);
}

static int place_take(struct ipa_place *place, uint32_t tid)
{
	uint32_t none = 0;

	return !load_relaxed(&place->tid) &&
	       __atomic_compare_exchange_n(&place->tid, &none, tid, 0,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

SIGSAFE int ipa_keep(const uint8_t *behind, void *unused, const uint8_t *area)
{
	uint32_t number = load_relaxed(&snapshot_area.next);
	uint32_t tid = host_tid();
	uint32_t i, at;

	(void)unused;
	if (load_relaxed(&kept->used))
		stale_release(tid, number);
	for (i = 0; i < IPA_KEPT; i++) {
		at = (tid + i) % IPA_KEPT;
		if (!place_take(&kept->places[at], tid))
			continue;
		__atomic_fetch_add(&kept->used, 1, __ATOMIC_RELAXED);
		kept->places[at].number = number;
		kept->places[at].behind = behind;
		draft_copy(kept->areas[at], area, VECTORS_BYTES);
		break;
	}
	return 0;
}

/* Returns the number of the snapshot's place, or -1. */
static int place_find(const struct snapshot *snapshot)
{
	uint32_t tid = host_tid();
	uint32_t i;

	if (!load_relaxed(&kept->used))
		return -1;
	for (i = 0; i < IPA_KEPT; i++) {
		uint32_t at = (tid + i) % IPA_KEPT;
		const struct ipa_place *place = &kept->places[at];

		if (load_relaxed(&place->tid) == tid &&
		    place->number == snapshot->number &&
		    place->behind == snapshot->behind)
			return (int)at;
	}
	return -1;
}

SIGSAFE const uint8_t *ipa_kept(const struct snapshot *snapshot)
{
	int at = place_find(snapshot);

	return at < 0 ? NULL : kept->areas[at];
}

SIGSAFE void ipa_kept_release(const struct snapshot *snapshot)
{
	int at = place_find(snapshot);

	if (at >= 0)
		place_release(&kept->places[at]);
}

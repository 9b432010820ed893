/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Places for the vector registers of hits: kept on the way from the site, used
 * a moment later by the same thread, when it has the marker's arguments.
 *
 *	stub -> ipa_snapshot_entry -> snapshot_entry -> arguments -> ipa_hit()
 *		a place is taken if				its frame
 *		registers are collected				is made
 *
 * Invariant: a place belongs to one hit from before the registers are copied. A
 * handler may interrupt at any instruction, and have hits itself. Without a
 * place a frame has no registers at all: a register that is not known is never
 * 0.
 */
#include "gdbstub/ipa/ipa.h"

#include "base/base.h"
#include "base/host.h"
#include "tracepoints/frames/builder.h"
#include "tracepoints/frames/hit-place.h"
#include "tracepoints/program/snapshot.h"

static struct ipa_kept *kept;

_Static_assert(IPA_KEPT_PAD == PLACE_STACK_STEP, "tokens of their own");

void ipa_kept_setup(struct ipa_kept *room)
{
	kept = room;
}

SIGSAFE int ipa_keep(const uint8_t *stack, void *unused, const uint8_t *area)
{
	int at = place_take(kept->places, IPA_KEPT, host_tid(),
			    place_token((uint64_t)stack));

	if (at < 0)
		return 0;
	builder_copy(kept->areas[at], area, VECTORS_BYTES);
	store_relaxed(&kept->used, 1);
	return 0;
}

/* Returns the token of the place that the registers of this snapshot took. */
static uint64_t token_of(const struct snapshot *snapshot)
{
	return place_token(snapshot->general[7] +
			   (snapshot_is_put(snapshot) ? IPA_KEPT_PAD : 0));
}

/* Returns the number of a hit's place, or -1. */
static int place_find(uint64_t token)
{
	uint32_t at;

	if (!load_relaxed(&kept->used))
		return -1;
	for (uint32_t i = 0; i < IPA_KEPT; i++) {
		at = (host_tid() + i) % IPA_KEPT;
		if (place_is(&kept->places[at], token))
			return (int)at;
	}
	return -1;
}

SIGSAFE const uint8_t *ipa_kept(const struct snapshot *snapshot)
{
	int at = place_find(token_of(snapshot));

	return at < 0 ? NULL : kept->areas[at];
}

SIGSAFE void ipa_kept_release(const struct snapshot *snapshot)
{
	uint64_t token = token_of(snapshot);
	int at = place_find(token);

	if (at >= 0)
		place_release(&kept->places[at], token);
}

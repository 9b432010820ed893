/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keeping clock anchors while a program runs.
 *
 * Slots are taken one after the other. Nothing orders the stores into a slot,
 * and two threads may write to the same slot when the first one sleeps until
 * all others were used. Then `check` tells a reader that this slot is no
 * anchor, and the other slots are still valid. So a writer needs no lock, and a
 * writer that is killed, forks or is left by siglongjmp here leaves nothing to
 * repair.
 */
#include "buffers/rings/anchor.h"

#include "base/base.h"
#include "buffers/clock.h"
#include "buffers/rings/channel.h"

static uint64_t due;		/* the reading at which the next is due */
static uint32_t next_slot;

static void anchor_store(struct process_page *page,
			 const struct clock_anchor *anchor)
{
	uint32_t k = __atomic_fetch_add(&next_slot, 1, __ATOMIC_RELAXED);
	struct anchor_slot *slot = &page->anchors[k % PROCESS_ANCHORS];

	store_relaxed(&slot->anchor.clock, anchor->clock);
	store_relaxed(&slot->anchor.monotonic_ns, anchor->monotonic_ns);
	store_relaxed(&slot->anchor.realtime_ns, anchor->realtime_ns);
	store_relaxed(&slot->anchor.uncertainty_ns, anchor->uncertainty_ns);
	store_relaxed(&slot->check, anchor_check(anchor));
}

COLD SIGSAFE void anchor_keep(void)
{
	struct process_page *page = load_relaxed(&process.page);
	uint64_t was = load_relaxed(&due);
	struct clock_anchor anchor;
	uint64_t now;

	if (!clock_is_quiet())
		return;
	now = clock_read_tsc();
	/* a child without a page takes none: no reader looks for a child's
	 * anchors in the parent's page */
	if (now < was || !page || !load_relaxed(fork_mark))
		return;
	/* of all threads that find it due, one takes it */
	if (!__atomic_compare_exchange_n(
		    &due, &was, now + clock_hz() / 1000 * ANCHOR_DISTANCE_MS, 0,
		    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return;
	clock_anchor_take_quick(&anchor);
	anchor_store(page, &anchor);
}

void anchor_keep_last(void)
{
	struct clock_anchor anchor;

	/* a counter tells no time, and each reading would count */
	if (clock_kind() == CLOCK_KIND_ATOMIC)
		return;
	clock_anchor_take(&anchor);
	anchor_store(process.page, &anchor);
}

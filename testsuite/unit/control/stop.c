/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A session that stops (control/sessions/session.c): no thread writes into its
 * rings any more, and readers are told.
 */
#include "testsuite/unit/expect.h"

#include "control/sessions/private.h"

static const struct write_shape one_number = { .fixed_bytes = 8 };

static void test_stop(const char *compact, const char *wide)
{
	struct session session = { .name = "s", .channel = channel,
				   .phase = SESSION_RUNS };
	struct write_slot slot;
	struct ring *ring;

	(void)wide;
	variant = compact;
	channel_open(0, 0);
	ring = ring_here();
	bed_slot(&slot, &one_number);
	bed_slot_on(&slot, channel, 1);
	slot.hit(&slot, 1, NULL);
	unit_equal((long long)RING_EVENTS(ring->head), 1, "%s: an event",
		   compact);
	unit_equal(session_stop(&session), 0, "%s: stop", compact);
	unit_equal((int)channel->page->state, SESSION_STOPPED,
		   "%s: readers are told", compact);
	unit_equal((int)channel->active, 0, "%s: the channel has stopped",
		   compact);
	slot.hit(&slot, 2, NULL);
	unit_equal((long long)RING_EVENTS(ring->head), 1,
		   "%s: a late hit writes nothing", compact);
	bed_slot_off(&slot);
	channel_close();
}

int main(void)
{
	return expect_run(test_stop);
}

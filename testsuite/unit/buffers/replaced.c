/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rings that larger ones have replaced (buffers/rings/replace.c): what they
 * held and lost is counted while they are there, and when they have been
 * removed.
 */
#include <sched.h>
#include <stdlib.h>

#include "buffers/rings/private.h"
#include "testsuite/stress/bed.h"
#include "testsuite/unit/unit.h"

#define RING_BYTES	(32u << 10)
#define EVENTS		5000u

static struct channel *const channel = &channels[0];
static const struct write_shape shape = { .fixed_bytes = 8 };

static void check_sums(const char *when, uint64_t lost, uint64_t held)
{
	struct replaced_sums sums;

	channel_replaced_count(channel, &sums);
	unit_equal((long long)(sums.written + sums.lost), EVENTS,
		   "%s: events written and lost", when);
	unit_equal((long long)sums.lost, (long long)lost, "%s: lost", when);
	unit_equal((long long)sums.held, (long long)held, "%s: held", when);
	unit_check(sums.bytes > EVENTS - lost, "%s: bytes", when);
}

static void test_replace(void)
{
	const struct rings_removed *removed;
	struct write_slot slot;
	uint64_t lost;

	if (bed_channel(channel, 0, 0, 0, RING_BYTES))
		abort();
	bed_slot(&slot, &shape);
	bed_slot_on(&slot, channel, 1);
	for (uint64_t n = 0; n < EVENTS; n++)
		slot.hit(&slot, n, NULL);
	lost = channel->rings->tab[sched_getcpu()]->lost;
	unit_check(lost && lost < EVENTS, "a full ring loses events");
	unit_equal(channel_replace(channel, 2 * RING_BYTES), 0, "larger rings");
	slot.hit(&slot, EVENTS, NULL);
	check_sums("replaced", lost, EVENTS - lost);
	unit_equal(channel->page->removals, 0, "nothing is removed yet");
	channel_replaced_remove(channel, 0);
	check_sums("removed", lost, 0);
	removed = &channel->page->removed[channel->page->removals & 1];
	unit_equal((long long)removed->lost, (long long)lost,
		   "the page has the losses");
	unit_equal((long long)removed->events, EVENTS - lost,
		   "the page has the events");
	unit_equal((long long)channel->rings->tab[sched_getcpu()]->lost, 0,
		   "the new ring has lost none");
	bed_slot_off(&slot);
	unit_equal(bed_channel_end(channel), 0, "channel ends");
}

int main(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	sched_setaffinity(0, sizeof(set), &set);
	if (!unit_equal(bed_open(NULL, 1), 0, "set up"))
		return unit_end();
	if (bed.cpus)
		test_replace();
	else
		unit_skip("replaced", "no rseq, or no usable TSC");
	bed_close();
	return unit_end();
}

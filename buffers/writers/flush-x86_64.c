/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Closes open packets on demand: a thread goes to each CPU and switches the
 * ring there, since a section works only on the ring of the CPU that it runs
 * on.
 */
#include "base/sys.h"
#include "buffers/writers/private.h"

#define SWITCH_TRIES	100
#define AFFINITY_BYTES	1024

static void cpu_flush(struct channel *channel, uint32_t cpu)
{
	struct write_slot slot = { .rings = { channel->rings,
					      channel->rings } };
	uint8_t mask[AFFINITY_BYTES] = { 0 };

	mask[cpu / 8] = (uint8_t)(1u << cpu % 8);
	if (sys3(SYS_sched_setaffinity, 0, sizeof(mask), mask))
		return;
	for (int tries = 0; tries < SWITCH_TRIES; tries++)
		if (section_switch(&slot, WRITE_COMPACT, channel->sub_bytes) !=
		    WRITE_AGAIN)
			return;
}

static void cpus_flush(struct channel *channel)
{
	uint8_t before[AFFINITY_BYTES];
	long bytes = sys3(SYS_sched_getaffinity, 0, sizeof(before), before);

	if (bytes <= 0)
		return;
	for (uint32_t cpu = 0; cpu < channel->cpus; cpu++) {
		const struct ring *ring = channel->rings->tab[cpu];
		uint64_t head = load_acquire(&ring->head, RING_HEAD);

		/* an open packet without events stays open */
		if (ring != &ring_absent &&
		    (RING_POSITION(head) & (ring->sub_bytes - 1)) >
			    PACKET_HEAD_BYTES)
			cpu_flush(channel, cpu);
	}
	sys3(SYS_sched_setaffinity, 0, bytes, before);
}

void write_flush(struct channel *channel, bool locked)
{
	if (!locked)
		cpus_flush(channel);
	locked_flush(channel);
}

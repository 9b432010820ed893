/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Larger rings for the CPUs of a channel that runs.
 *
 *	            replaced: read, not written      written
 *	CPU 0       ring.N.0     ring.N.1024         ring.N.2048
 *	CPU 1       ring.N.1     ring.N.1025         ring.N.2049
 *	            256K         4M                  32M
 *
 * One size serves all CPUs, because writers take it from the table of the
 * channel, which costs them nothing. The table changes in three steps. First
 * all entries are ring_absent, which is always full; a membarrier(RSEQ)
 * then restarts each section that had found a ring. Now no thread uses the
 * table's size: the size changes, and the new rings come. A writer that hits in
 * these microseconds finds no ring, and waits as for a ring that is being made
 * (channel.c, ring_want()): that is the only system call which a writer makes.
 *
 * Invariants:
 *  - after the first step no event is committed to the old rings, and none of
 *    the new rings before the third: so each CPU's events are in order;
 *  - the old rings stay mapped until their files are removed;
 *  - the files of removed rings are counted in the session's page, which says
 *    from which number on rings count, before the first file goes.
 */
#include "buffers/rings/private.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <sys/mman.h>

#include "base/sys.h"
#include "buffers/clock.h"
#include "buffers/ring-view.h"

/* The rings of all CPUs that larger ones have replaced. */
struct replaced {
	struct replaced *next;		/* older ones */
	uint64_t when;			/* clock_read_time() */
	uint32_t first;			/* the number of CPU 0's */
	uint32_t cpus;
	uint32_t ring_bytes;
	uint32_t made_bytes;		/* of the rings in their place */
	uint32_t there;			/* CPUs that have a ring */
	struct replaced_sums sums;
	struct ring *rings[];		/* `cpus`; behind them, those that were
					 * made */
};

static uint64_t replaced_bytes(uint32_t cpus)
{
	return sizeof(struct replaced) + 2 * cpus * sizeof(struct ring *);
}

/* Counts so many rings less, before their files go: readers would miss them. */
static void rings_uncount(const struct channel *channel, uint32_t n)
{
	__atomic_fetch_sub(&channel->page->rings, n, RELEASE(SESSION_RINGS));
}

/* Removes n rings, from that of CPU 0 on. */
static void rings_remove(const struct channel *channel,
			 struct ring *const *rings, uint32_t n, uint32_t first,
			 uint32_t ring_bytes)
{
	for (uint32_t i = 0; i < n; i++) {
		if (rings[i] == &ring_absent)
			continue;
		channel_ring_remove(channel, first + i);
		sys_munmap(rings[i], RING_DATA_OFFSET + (uint64_t)ring_bytes);
	}
}

/* Removes the first n of new rings that are not used after all. */
static void made_remove(const struct channel *channel,
			const struct replaced *r, uint32_t n)
{
	rings_uncount(channel, n);
	rings_remove(channel, r->rings + r->cpus, n, r->first + RING_STRIDE,
		     r->made_bytes);
}

/* Makes the rings. Returns 0 or a negative errno, and nothing is left. */
static int rings_make(struct channel *channel, struct replaced *r)
{
	struct ring **made = r->rings + r->cpus;
	uint32_t before = channel->page->roomless;
	int ret;

	for (uint32_t i = 0; i < r->cpus; i++) {
		ret = channel_ring_make(channel, ".",
					r->first + RING_STRIDE + i, i,
					r->made_bytes, &made[i]);
		if (ret) {
			/* no event is lost for want of these */
			channel->page->roomless = before;
			made_remove(channel, r, i);
			return ret;
		}
		sys_madvise(made[i], RING_DATA_OFFSET + (uint64_t)r->made_bytes,
			    MADV_DONTFORK);
	}
	return 0;
}

/* Adds what a ring has that no thread writes any more. */
static void ring_sum(const struct ring *ring, uint32_t ring_bytes,
		     struct replaced_sums *sums)
{
	const struct ring_view view = {
		.ring = ring, .nsub = RING_SUB_BUFFERS,
		.sub_bytes = ring_bytes / RING_SUB_BUFFERS,
		.instance = ring->stream_instance_id,
	};
	struct packet_head head __attribute__((aligned(8)));
	struct ring_count count;
	uint64_t number;

	if (ring_look(&view, &count))
		return;
	/* a switch that was given up has taken the oldest packet */
	number = ring_oldest(&view, &count);
	do
		ring_head_read(&view, number, &head);
	while (!ring_head_belongs(&view, &head, number) &&
	       number++ < count.current);
	sums->written += count.committed;
	sums->held += count.committed - head.events_before;
	sums->lost += count.lost;
	sums->bytes += count.current * view.sub_bytes + count.used;
}

/* Has writers go on in the new rings. Returns 0 or a negative errno, and they
 * go on in the old ones. The caller has taken `making`. */
static int table_change(struct channel *channel, struct replaced *r)
{
	struct ring **made = r->rings + r->cpus;
	struct rings *rings = channel->rings;
	uint64_t clock = clock_read();
	struct packet_head *first;
	int ret;

	for (uint32_t i = 0; i < r->cpus; i++) {
		r->rings[i] = rings->tab[i];
		store_release(&rings->tab[i], &ring_absent, CPU_RING);
	}
	ret = (int)sys_membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ);
	if (!ret) {
		channel_size_set(channel, r->made_bytes);
		channel->replacements++;
	}
	for (uint32_t i = 0; i < r->cpus; i++) {
		/* not later than the first event, whatever clock the CPU has */
		first = (struct packet_head *)((char *)made[i] +
					       RING_DATA_OFFSET);
		first->timestamp_begin = clock;
		store_release(&rings->tab[i], ret ? r->rings[i] : made[i],
			      CPU_RING);
	}
	return ret;
}

int channel_replace(struct channel *channel, uint32_t ring_bytes)
{
	struct session_page *page = channel->page;
	struct replaced *r = sys_map_anonymous(replaced_bytes(channel->cpus));
	int ret;

	if (!r)
		return -ENOMEM;
	r->cpus = channel->cpus;
	r->ring_bytes = channel->ring_bytes;
	r->made_bytes = ring_bytes;
	r->first = channel->replacements * RING_STRIDE;
	ret = rings_make(channel, r);
	if (ret)
		goto unmap;
	ret = channel_making_take(channel);
	if (!ret) {
		ret = table_change(channel, r);
		store_release(&channel->making, 0, RING_MAKING);
	}
	if (ret) {
		made_remove(channel, r, r->cpus);
		goto unmap;
	}
	page->sub_bytes = channel->sub_bytes;
	page->ring_bytes = channel->ring_bytes;
	r->when = clock_read_time();
	for (uint32_t i = 0; i < r->cpus; i++) {
		if (r->rings[i] == &ring_absent)
			continue;
		ring_sum(r->rings[i], r->ring_bytes, &r->sums);
		r->there++;
	}
	r->next = channel->replaced;
	channel->replaced = r;
	return 0;
unmap:
	sys_munmap(r, replaced_bytes(channel->cpus));
	return ret;
}

void channel_replaced_remove(struct channel *channel, uint64_t age)
{
	uint64_t now = clock_read_time();
	struct session_page *page = channel->page;
	struct replaced **at = &channel->replaced;
	struct replaced *r;
	struct rings_removed *sums;
	uint32_t there = 0;

	while (*at && now - (*at)->when < age)
		at = &(*at)->next;
	/* those behind it are older: they all go by one store */
	if (!*at)
		return;
	sums = &page->removed[(page->removals + 1) & 1];
	*sums = page->removed[page->removals & 1];
	sums->end = (*at)->first / RING_STRIDE + 1;
	for (r = *at; r; r = r->next) {
		sums->events += r->sums.written;
		sums->lost += r->sums.lost;
		sums->bytes += r->sums.bytes;
		there += r->there;
	}
	rings_uncount(channel, there);
	/* RINGS-REMOVED: a process that is killed at any instruction has the
	 * sums of before, or these */
	__atomic_store_n(&page->removals, page->removals + 1,
			 SEQ_CST(RINGS_REMOVED));
	while ((r = *at)) {
		*at = r->next;
		rings_remove(channel, r->rings, r->cpus, r->first,
			     r->ring_bytes);
		sys_munmap(r, replaced_bytes(r->cpus));
	}
}

void channel_replaced_count(const struct channel *channel,
			    struct replaced_sums *sums)
{
	const struct session_page *page = channel->page;
	const struct rings_removed *removed;
	const struct replaced *r;

	*sums = (struct replaced_sums){ 0 };
	if (page) {
		removed = &page->removed[page->removals & 1];
		sums->written = removed->events;
		sums->lost = removed->lost;
		sums->bytes = removed->bytes;
	}
	for (r = channel->replaced; r; r = r->next) {
		sums->written += r->sums.written;
		sums->held += r->sums.held;
		sums->lost += r->sums.lost;
		sums->bytes += r->sums.bytes;
	}
}

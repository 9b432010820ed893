/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writer records, which say whose the events behind them are: the content, and
 * the numbers of threads (docs/writers.md).
 *
 * Invariant: a process gives no number twice, and none that an ancestor has
 * given before the fork. A handler may come between taking a number and storing
 * it: the thread then has another one afterwards, and writes one record more.
 */
#include "buffers/writers/private.h"

__thread uint32_t writer_number;

/* The last number; forks copy it. */
static uint32_t writer_numbers;

COLD SIGSAFE int writer_fill(struct writer *writer,
			     const struct channel *channel)
{
	const struct rings *rings = channel->rings;

	/* the base before all else: a handler may fork */
	writer->token = load_relaxed(&rings->base);
	__atomic_signal_fence(SEQ_CST(HOLD_MARK));
	writer->record.vpid = process.page ? process.page->pid : 0;
	writer->record.vtid = host_tid();
	writer->record.process = (uint32_t)(writer->token >> 32);
	if (channel->flags & SESSION_SHARED && channel->shared.member)
		store_release(&channel->shared.member->state, MEMBER_WROTE,
			      MEMBER_STATE);
	if (host_tid_shared(writer->record.vtid) ||
	    (!load_relaxed(&writer_number) && host_tid_strange()))
		return 0;
	while (!load_relaxed(&writer_number))
		store_relaxed(&writer_number,
			      __atomic_add_fetch(&writer_numbers, 1,
						 __ATOMIC_RELAXED));
	writer->token += load_relaxed(&writer_number);
	return 1;
}

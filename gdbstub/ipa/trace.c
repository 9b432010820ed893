/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The trace: whether it runs, why it ended, and how many frames gdbserver can
 * see and has taken.
 */
#include "gdbstub/ipa/ipa.h"

#include <sys/mman.h>

#include "base/base.h"
#include "base/sys.h"

#define VISIBLE		__attribute__((visibility("default"), used))

VISIBLE int32_t gdb_agent_tracing;
VISIBLE int32_t gdb_agent_trace_buffer_is_full;
VISIBLE int32_t gdb_agent_expr_eval_result;
VISIBLE struct ipa_point *gdb_agent_stopping_tracepoint;
VISIBLE struct ipa_point *gdb_agent_error_tracepoint;
VISIBLE uint32_t gdb_agent_traceframe_read_count;
VISIBLE uint32_t gdb_agent_traceframe_write_count;
VISIBLE int32_t gdb_agent_traceframes_created;

/*
 * gdbserver reads these variables at each stop, also after the program has
 * executed another, which may have other data at their addresses. So the filter
 * gives gdbserver the address of a page that hardly any program uses.
 */
#define FAR_ADDRESS	0x200000000000ull

static uint32_t *read_count = &gdb_agent_traceframe_read_count;
static uint32_t *write_count = &gdb_agent_traceframe_write_count;
struct ipa_far *taffrail_ipa_far __attribute__((visibility("default"), used));

COLD void ipa_far_setup(void)
{
	struct ipa_far *page;
	long p = sys_mmap(FAR_ADDRESS, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
			  -1, 0);

	if (p != (long)FAR_ADDRESS) {
		if (p > 0)
			sys_munmap(p, 4096);
		return;
	}
	/* else gdbserver would take the parent's frames once more from a child
	 * that gdb follows */
	sys_madvise(p, 4096, MADV_WIPEONFORK);
	page = (struct ipa_far *)p;
	read_count = &page->read_count;
	write_count = &page->write_count;
	taffrail_ipa_far = page;
}

bool ipa_commit(void)
{
	uint32_t count = load_acquire(write_count, IPA_COUNTS);

	return ipa_trace_same() &&
	       __atomic_compare_exchange_n(write_count, &count, count + 1, 0,
					   SEQ_CST(IPA_COUNTS),
					   SEQ_CST(IPA_COUNTS));
}

void ipa_forget(void)
{
	store_release(&gdb_agent_tracing, 0, IPA_TRACING);
	store_release(&gdb_agent_traceframes_created, 0, IPA_TRACE);
	store_release(read_count, load_acquire(write_count, IPA_COUNTS),
		      IPA_COUNTS);
}

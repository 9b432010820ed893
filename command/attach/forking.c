/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whether a thread is in fork(3).
 *
 * The addresses on a thread's stack show which functions called. Some are left
 * from earlier calls, so the caller trusts only a handler's call for long.
 */
#include "command/attach/steps.h"

#define STACK_LOOK_BYTES 262144u
#define PAGE_BYTES	4096u
/* The function that calls the handlers lies near __register_atfork, because one
 * file has both; the frame of the former lies below fork's. */
#define CALLER_REACH	0x1000
#define CALLER_WORDS	32u

static bool is_within(uint64_t address, uint64_t start, uint64_t bytes)
{
	return address - start < bytes;
}

/* Returns true for an address in libc's fork(3). */
static bool fork_code(const struct attach_target *t, uint64_t pc)
{
	const struct attach_names *n = &t->names;

	return is_within(pc, n->fork, n->fork_bytes) ||
	       (n->fork_alone &&
		is_within(pc, n->fork_alone, n->fork_alone_bytes));
}

enum attach_forking attach_forking_at(const struct attach_target *t,
				      uint64_t sp, uint64_t pc)
{
	const struct attach_names *n = &t->names;
	enum attach_forking found = FORKING_NO;
	uint64_t page[PAGE_BYTES / 8];
	uint64_t end = sp + STACK_LOOK_BYTES;
	size_t since = CALLER_WORDS;	/* words above such a caller's */

	if (fork_code(t, pc))
		return FORKING_INSIDE;
	for (sp &= ~7ull; sp < end; sp = (sp | (PAGE_BYTES - 1)) + 1) {
		size_t words = (PAGE_BYTES - (sp & (PAGE_BYTES - 1))) / 8;

		if (attach_read(t, sp, page, words * 8))
			break;
		for (size_t i = 0; i < words; i++, since++) {
			if (!fork_code(t, page[i]) &&
			    is_within(page[i], n->atfork - CALLER_REACH,
				      2 * CALLER_REACH))
				since = 0;
			if (!is_within(page[i], n->fork, n->fork_bytes))
				continue;
			if (since < CALLER_WORDS)
				return FORKING_HANDLER;
			found = FORKING_MAYBE;
		}
	}
	return found;
}

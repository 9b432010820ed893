/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How much gdbserver can keep, and what the agent has to say of a trace beyond
 * its frames. gdbserver takes a frame for which it has no room without its
 * data, goes on, and tells nothing; and where the agent ends a trace, gdbserver
 * calls that a tstop. The filter says how large gdbserver's buffer is when a
 * trace starts, and reads here what gdb is to be told.
 *
 * Invariant: only the holder of ipa_hold() writes, apart from the reason for
 * the end, which the thread that calls execve(2) or exit(3) writes too. Without
 * the filter the size is 0, which means unknown.
 */
#include "gdbstub/ipa/ipa.h"

#include "base/base.h"

#define VISIBLE		__attribute__((visibility("default"), used))
#define HEAD_BYTES	((uint32_t)sizeof(struct ipa_frame))

VISIBLE struct ipa_limits taffrail_ipa_limits;

/* A circle that holds no two frames of that size can lose each of them. */
uint32_t ipa_limits_room(void)
{
	const struct ipa_limits *limits = &taffrail_ipa_limits;
	uint64_t bytes = load_relaxed(&limits->bytes);

	if (!bytes)
		return IPA_FRAME_BYTES;
	if (limits->circular)
		bytes /= 2;
	bytes = bytes > 2 * HEAD_BYTES ? bytes - HEAD_BYTES : HEAD_BYTES;
	return (uint32_t)min_u64(bytes, IPA_FRAME_BYTES);
}

int ipa_limits_fit(uint32_t n)
{
	struct ipa_limits *limits = &taffrail_ipa_limits;
	uint64_t bytes = load_relaxed(&limits->bytes);

	if (bytes && !limits->circular &&
	    limits->used + n + HEAD_BYTES > bytes) {
		store_relaxed(&limits->reason, IPA_END_FULL);
		return 0;
	}
	return 1;
}

void ipa_limits_add(uint32_t n, int cut)
{
	taffrail_ipa_limits.used += n;
	taffrail_ipa_limits.cut += cut != 0;
}

SIGSAFE void ipa_limits_end(enum ipa_end why)
{
	store_relaxed(&taffrail_ipa_limits.reason, (uint32_t)why);
}

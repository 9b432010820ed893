/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How much gdbserver can keep, and facts of a trace that gdbserver does not
 * report. When gdbserver has no room for a frame, it takes the frame without
 * data, goes on, and reports nothing. When the agent ends a trace, gdbserver
 * reports a tstop. So the filter writes the size of gdbserver's buffer here
 * when a trace starts, and reads here the facts that it tells gdb.
 *
 * Invariant: only the holder of ipa_hold() writes, apart from the reason for
 * the end, which the thread that calls execve(2) or exit(3) writes too, and
 * from the hits that do not become holders. Without
 * the filter the size is 0, which means unknown.
 */
#include "gdbstub/ipa/ipa.h"

#include "base/base.h"

#define VISIBLE		__attribute__((visibility("default"), used))
#define HEAD_BYTES	((uint32_t)sizeof(struct ipa_frame))

VISIBLE struct ipa_limits taffrail_ipa_limits;

/* A circle must hold two frames of the largest size: one that does not can lose
 * every such frame. */
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

bool ipa_limits_fit(uint32_t n)
{
	struct ipa_limits *limits = &taffrail_ipa_limits;
	uint64_t bytes = load_relaxed(&limits->bytes);

	if (bytes && !limits->circular &&
	    limits->used + n + HEAD_BYTES > bytes) {
		store_relaxed(&limits->reason, IPA_END_FULL);
		return false;
	}
	return true;
}

void ipa_limits_add(uint32_t n, int cut)
{
	taffrail_ipa_limits.used += n;
	taffrail_ipa_limits.cut += cut != 0;
}

void ipa_limits_fail(void)
{
	taffrail_ipa_limits.failed++;
}

void ipa_limits_drop(void)
{
	__atomic_fetch_add(&taffrail_ipa_limits.dropped, 1, __ATOMIC_RELAXED);
}

SIGSAFE void ipa_limits_end(enum ipa_end why)
{
	store_relaxed(&taffrail_ipa_limits.reason, (uint32_t)why);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The trace buffer that gdbserver empties, by the protocol of abi.h.
 *
 * Invariant: a frame is reserved as a whole, because gdbserver copies each in
 * one piece; and by one thread at a time, because gdbserver tells frames apart
 * by their order. gdbserver may stop the thread anywhere in this file and move
 * the start on: the token then differs, and the thread tries again. When
 * gdbserver empties the buffer for another trace, the reserved room is gone: a
 * frame that was not reserved would end gdbserver.
 */
#include "gdbstub/ipa/ipa.h"

#include "base/base.h"

#define VISIBLE	__attribute__((visibility("default"), used))

VISIBLE struct ipa_control gdb_agent_trace_buffer_ctrl[IPA_CONTROLS] EARLY;
VISIBLE uint32_t gdb_agent_trace_buffer_ctrl_curr;
VISIBLE uint8_t *gdb_agent_trace_buffer_lo;
VISIBLE uint8_t *gdb_agent_trace_buffer_hi;

#define END_BYTES	((uint32_t)sizeof(struct ipa_frame))

COLD void ipa_buffer_setup(uint8_t *room)
{
	uint8_t *end = room + IPA_BUFFER_BYTES;

	gdb_agent_trace_buffer_lo = room;
	gdb_agent_trace_buffer_hi = end;
	for (uint32_t i = 0; i < IPA_CONTROLS; i++)
		gdb_agent_trace_buffer_ctrl[i] =
			(struct ipa_control){ room, room, end, end };
}

/* Finds room for n bytes, which include the end. Returns false when there is
 * none.
 */
static bool control_fit(struct ipa_control *control, uint64_t n)
{
	if (control->end_free < control->free) {
		if (n <= (uint64_t)(gdb_agent_trace_buffer_hi - control->free))
			return true;
		control->wrap = control->free;
		control->free = gdb_agent_trace_buffer_lo;
	}
	return control->free <= control->end_free &&
	       n <= (uint64_t)(control->end_free - control->free);
}

/*
 * Tries once. Returns 1 with *place, 0 when gdbserver changed the buffer
 * meanwhile, -1 when there is no room. The control block to write next is not
 * the current one, and never 0: for a new trace gdbserver makes block 0 the
 * current one, and then the holder may be stopped just before it writes into
 * the block that it has chosen.
 */
static int reserve_try(uint32_t n, uint8_t **place)
{
	uint32_t before =
		load_acquire(&gdb_agent_trace_buffer_ctrl_curr, IPA_BUFFER);
	uint32_t turn = (before & IPA_TOKEN_TURN) == 1 ? 2 : 1;
	uint32_t counter = ((before & IPA_TOKEN_COUNTER) + IPA_TOKEN_STEP) &
			   IPA_TOKEN_COUNTER;
	uint32_t token = (before & IPA_TOKEN_COUNTER)
				 << IPA_TOKEN_BEFORE_SHIFT | counter | turn;
	struct ipa_control *control = &gdb_agent_trace_buffer_ctrl[turn];
	uint32_t now;

	ipa_call(ipa_request);
	*control = gdb_agent_trace_buffer_ctrl[(before & IPA_TOKEN_TURN) %
					       IPA_CONTROLS];
	if (!control_fit(control, (uint64_t)n + END_BYTES))
		return -1;
	*place = control->free;
	control->free += n;
	if (!__atomic_compare_exchange_n(&gdb_agent_trace_buffer_ctrl_curr,
					 &before, token, 0, SEQ_CST(IPA_BUFFER),
					 SEQ_CST(IPA_BUFFER)))
		return 0;
	ipa_call(ipa_request);
	now = load_acquire(&gdb_agent_trace_buffer_ctrl_curr, IPA_BUFFER);
	if (now != token &&
	    (now & IPA_TOKEN_BEFORE) >> IPA_TOKEN_BEFORE_SHIFT != counter)
		return 0;
	if (!ipa_trace_same()) {
		/* a frame of the old trace, first in the new one's buffer */
		__atomic_compare_exchange_n(&gdb_agent_trace_buffer_ctrl_curr,
					    &token, 0, 0, SEQ_CST(IPA_BUFFER),
					    SEQ_CST(IPA_BUFFER));
		return 0;
	}
	__builtin_memset(control->free, 0, END_BYTES);
	return 1;
}

COLD bool ipa_buffer_is_new(void)
{
	return !ipa_trace_same() &&
	       !load_acquire(&gdb_agent_trace_buffer_ctrl_curr, IPA_BUFFER);
}

uint8_t *ipa_reserve(uint32_t n)
{
	uint64_t all = (uint64_t)(gdb_agent_trace_buffer_hi -
				  gdb_agent_trace_buffer_lo);
	uint8_t *place;

	/* such room might never be free: the loop would not end */
	if ((uint64_t)n + END_BYTES > all / 2)
		return NULL;
	while (load_acquire(&gdb_agent_tracing, IPA_TRACING) &&
	       ipa_trace_same()) {
		int ret = reserve_try(n, &place);

		if (ret > 0)
			return place;
		if (ret < 0 && !ipa_call(ipa_flush))
			break;
	}
	return NULL;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions that the library exports to programs: include/taffrail/clock.h.
 */
#include "taffrail/clock.h"

#include "agent/fork.h"
#include "buffers/clock.h"
#include "buffers/rings/channel.h"
#include "control/threads/settings.h"

#define PUBLIC	__attribute__((visibility("default")))

PUBLIC SIGSAFE uint64_t taffrail_clock_read(void)
{
	fork_need_files();
	return clock_read();
}

PUBLIC SIGSAFE uint64_t taffrail_clock_to_realtime_ns(uint64_t clock)
{
	fork_need_files();
	if (agent_off)
		return 0;
	return clock_to_realtime_ns(&process.page->start, clock_hz(), clock);
}

PUBLIC uint64_t taffrail_clock_hz(void)
{
	fork_need_files();
	return clock_hz();
}

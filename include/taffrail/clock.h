/* SPDX-License-Identifier: MIT */
/*
 * The trace clock, for programs that want to put their own readings beside a
 * trace. Needs the agent (libtaffrail) at link time.
 */
#ifndef TAFFRAIL_CLOCK_H
#define TAFFRAIL_CLOCK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Reads the clock that events carry, in its own unit: cycles of the TSC, or
 * nanoseconds. Any thread, any signal handler; no system call where the clock
 * is the TSC.
 */
uint64_t taffrail_clock_read(void);

/*
 * Converts a reading of this process to nanoseconds since the Epoch
 * (CLOCK_REALTIME as it was when the agent started). Exact to the frequency
 * estimated at start: some microseconds a minute. Traces are fitted better.
 * Any thread, any signal handler. 0 while the agent is off.
 */
uint64_t taffrail_clock_to_realtime_ns(uint64_t clock);

/* The clock's frequency in Hz. */
uint64_t taffrail_clock_hz(void);

#ifdef __cplusplus
}
#endif

#endif

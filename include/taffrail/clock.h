/* SPDX-License-Identifier: MIT */
/*
 * The trace clock, for programs that compare their own readings with a trace.
 * Needs the agent (libtaffrail) at link time.
 */
#ifndef TAFFRAIL_CLOCK_H
#define TAFFRAIL_CLOCK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Reads the clock whose readings events carry. The unit is the clock's: cycles
 * of the TSC, or nanoseconds. Any thread, any signal handler; makes no system
 * call where the clock is the TSC.
 */
uint64_t taffrail_clock_read(void);

/*
 * Converts a reading of this process to nanoseconds since the Epoch
 * (CLOCK_REALTIME as it was when the agent started). As exact as the frequency
 * that was estimated at start: some microseconds off a minute. Traces have
 * better conversions. Any thread, any signal handler. Returns 0 while the agent
 * is off.
 */
uint64_t taffrail_clock_to_realtime_ns(uint64_t clock_);

/* Returns the clock's frequency in Hz. */
uint64_t taffrail_clock_hz(void);

#ifdef __cplusplus
}
#endif

#endif

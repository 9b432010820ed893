/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The trace clock. Events carry raw readings; anchors tie them to the
 * kernel's clocks, and readers convert.
 *
 * Invariant: a later reading is never smaller on the same CPU, and
 * across CPUs by no more than the TSC synchronisation of the machine (below
 * 100 ns where the kernel itself trusts the TSC).
 */
#ifndef BUFFERS_CLOCK_H
#define BUFFERS_CLOCK_H

#include <time.h>

#include "base/base.h"
#include "buffers/clock-x86_64.h"
#include "buffers/layout.h"

#define CLOCK_SOURCE_BYTES	32

/* Reads the name of the kernel's clock source; "" where /sys does not tell it. */
void clock_source_read(char name[static CLOCK_SOURCE_BYTES]);

/* Has clock_select() take this for the name of the kernel's clock source. */
void clock_source_tell(const char *name);

/*
 * Chooses the clock: `wanted` is "tsc", "monotonic", "atomic" or NULL for the
 * best that the processor and the kernel have. Not thread-safe; called once at
 * start. Returns the enum clock_kind chosen.
 */
int clock_select(const char *wanted);

/*
 * Learns the rate of the chosen clock before the first event: `told`, in Hz, by
 * the command that has started the session, or 0. Then it is measured, in a
 * busy loop of 200 us, and a TSC that does not pass this self-test is replaced
 * by CLOCK_KIND_MONOTONIC. Returns the kind. Later calls do nothing else. Not
 * thread-safe.
 */
int clock_settle(uint64_t told);

/* Returns the kind that clock_select() chose; CLOCK_KIND_TSC before that. */
int clock_kind(void);

/* The kind chosen, for code that reads the TSC inline. */
extern int clock_chosen;

/* Reads the chosen clock. SIGSAFE, any thread. */
uint64_t clock_read(void);

/* Does the same, but reads monotonic time where the chosen clock counts events:
 * for durations that no event shows. */
uint64_t clock_read_time(void);

/* Reads a clock of the kernel, in nanoseconds. The kernel stamps files by
 * CLOCK_REALTIME_COARSE: the time of the last tick, which may be some ticks
 * ago. */
uint64_t clock_read_kernel(clockid_t id);

/*
 * From clock_leave() on no function here reads the TSC, or the vDSO's clock
 * that is made of it: the program may not. Readings count, and the kernel's
 * clocks read 0. clock_return() takes that back. SIGSAFE.
 */
void clock_leave(void);
void clock_return(void);

/* Returns the frequency in Hz: of the TSC an estimate (CPUID, or a short
 * measurement), of the others 1,000,000,000. */
uint64_t clock_hz(void);

/* Does the same, but does not measure: returns 0 where clock_settle() has yet
 * to learn it. */
uint64_t clock_hz_known(void);

/* Takes an anchor of the chosen clock. SIGSAFE. */
void clock_anchor_take(struct clock_anchor *anchor);

/* Does the same in a third of the time, a little less exactly. SIGSAFE. */
void clock_anchor_take_quick(struct clock_anchor *anchor);

/*
 * Returns 1 when the clock is the TSC and the kernel's clocks are read without
 * a system call (through the vDSO, from the TSC). This holds as long as the
 * kernel keeps time with the TSC. SIGSAFE.
 */
int clock_is_quiet(void);

/* Converts a reading to CLOCK_REALTIME nanoseconds, from one anchor. */
uint64_t clock_to_realtime_ns(const struct clock_anchor *anchor, uint64_t hz,
			      uint64_t clock);

/* Takes an anchor of the clock `kind`, whatever was selected (readers). */
void clock_anchor_take_kind(int kind, struct clock_anchor *anchor);

#endif

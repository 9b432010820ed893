/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The trace clock. Events carry raw readings; anchors tie them to the
 * kernel's clocks, and readers convert.
 *
 * What must stay true: a later reading is never smaller on the same CPU, and
 * across CPUs by no more than the TSC synchronisation of the machine (below
 * 100 ns where the kernel itself trusts the TSC).
 */
#ifndef BUFFERS_CLOCK_H
#define BUFFERS_CLOCK_H

#include "base/base.h"
#include "buffers/clock-x86_64.h"
#include "buffers/layout.h"

/*
 * Chooses the clock: `wanted` is "tsc", "monotonic", "atomic" or NULL for the
 * best that passes its self-test. Not thread-safe; called once at start.
 * Returns the enum clock_kind chosen.
 */
int clock_select(const char *wanted);

/* The kind clock_select() chose; CLOCK_KIND_TSC where nothing was selected. */
int clock_kind(void);

/* The kind chosen, for those who read the TSC inline. */
extern int clock_chosen;

/* Reads the chosen clock. SIGSAFE, any thread. */
uint64_t clock_read(void);

/* The same, but where that is a counter of events, monotonic time: how long
 * something has been, of which no event says when it was. */
uint64_t clock_read_time(void);

/* The frequency in Hz: of the TSC an estimate (CPUID, or a short measurement),
 * of the others 1,000,000,000. */
uint64_t clock_hz(void);

/* Takes an anchor of the chosen clock. SIGSAFE. */
void clock_anchor_take(struct clock_anchor *anchor);

/* The same in a third of the time, with a little more doubt. SIGSAFE. */
void clock_anchor_take_quick(struct clock_anchor *anchor);

/*
 * Is the clock the TSC, and are the kernel's clocks read without a system
 * call (through the vDSO, from the TSC)? True for as long as the kernel keeps
 * time with the TSC. SIGSAFE.
 */
int clock_is_quiet(void);

/* Converts a reading to CLOCK_REALTIME nanoseconds, from one anchor. */
uint64_t clock_to_realtime_ns(const struct clock_anchor *anchor, uint64_t hz,
			      uint64_t clock);

/* Takes an anchor of the clock `kind`, whatever was selected (readers). */
void clock_anchor_take_kind(int kind, struct clock_anchor *anchor);

#endif

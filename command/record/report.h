/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints what a trace lacks.
 */
#ifndef COMMAND_RECORD_REPORT_H
#define COMMAND_RECORD_REPORT_H

#include "command/record/outcome.h"
#include "traces/trace.h"

/* Adds to an outcome how many rings were left out: some were cut short, the
 * others made no sense. `unreadable` is the number of both. */
void report_unreadable(const struct trace_set *set, uint64_t unreadable,
		       struct outcome *outcome);

/* Adds the first stream file that another program removed or cut. */
void report_spoilt(const struct trace_set *set, struct outcome *outcome);

/* Adds the number of lost events, which is a failure with --fail-on-loss. */
void report_losses(const struct trace_set *set, struct outcome *outcome);

/* Adds the number of markers that are not in the trace. */
void report_left_off(const struct trace_set *set, struct outcome *outcome);

/* On a terminal, prints the command that a user would type next. */
void report_next(const struct trace_set *set);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints what a trace lacks.
 */
#ifndef COMMAND_RECORD_REPORT_H
#define COMMAND_RECORD_REPORT_H

#include <stdbool.h>

#include "traces/trace.h"

/*
 * Prints how many rings were left out: some were cut short, the others made no
 * sense. `unreadable` is the number of both.
 */
void report_unreadable(const struct trace_set *set, uint64_t unreadable);

/* Names the first stream file that another program removed or cut. Returns an
 * exit status: COMMAND_DONE if there is none. */
int report_spoilt(const struct trace_set *set);

/* With `fail`, prints how many events were lost. Returns COMMAND_FAILED if
 * some were, else COMMAND_DONE. */
int report_losses(const struct trace_set *set, bool fail);

/* On a terminal, prints the command that a user would type next. */
void report_next(const struct trace_set *set);

/* Prints which markers are not in the trace, if any. */
void report_left_off(const struct trace_set *set);

#endif

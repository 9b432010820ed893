/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a trace lacks, as commands say it.
 */
#ifndef COMMAND_RECORD_REPORT_H
#define COMMAND_RECORD_REPORT_H

#include "traces/trace.h"

/*
 * Says how many rings were left out, of which some were cut short and the
 * others made no sense. `unreadable`: both.
 */
void report_unreadable(const struct trace_set *set, uint64_t unreadable);

/* Says which markers are not in the trace, if any. */
void report_left_off(const struct trace_set *set);

#endif

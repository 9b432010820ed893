/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints what a trace lacks.
 */
#include "command/record/report.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "command/common/command.h"
#include "command/common/shell.h"

void report_left_off(const struct trace_set *set, struct outcome *outcome)
{
	if (set->left_off)
		outcome_note(outcome, MARKERS_LEFT_OFF,
			     .n = (int64_t)set->left_off);
}

void report_losses(const struct trace_set *set, struct outcome *outcome)
{
	if (set->lost)
		outcome_note(outcome, EVENTS_LOST, .n = (int64_t)set->lost);
}

void report_unreadable(const struct trace_set *set, uint64_t unreadable,
		       struct outcome *outcome)
{
	uint64_t known = set->cut + set->gone_rings;

	if (set->cut)
		outcome_note(outcome, RINGS_CUT, .n = (int64_t)set->cut);
	if (set->gone_rings)
		outcome_note(outcome, RINGS_GONE,
			     .n = (int64_t)set->gone_rings,
			     .pid = (pid_t)set->gone_pid);
	if (unreadable > known)
		outcome_note(outcome, RINGS_INVALID,
			     .n = (int64_t)(unreadable - known));
}

void report_spoilt(const struct trace_set *set, struct outcome *outcome)
{
	char path[PATH_MAX + sizeof(set->spoilt_name)];

	if (!set->spoilt)
		return;
	snprintf(path, sizeof(path), "%s/%s", set->path, set->spoilt_name);
	outcome_note(outcome, TRACE_SPOILT, .n = (int64_t)set->spoilt,
		     .path = path);
}

void report_next(const struct trace_set *set)
{
	char word[PATH_MAX];

	if (isatty(STDERR_FILENO) &&
	    shell_word(word, sizeof(word), set->path))
		command_warn("taffrail view %s prints them", word);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints what a trace lacks.
 */
#include "command/record/report.h"

#include <limits.h>
#include <unistd.h>

#include "command/common/command.h"
#include "command/common/counted.h"
#include "command/common/shell.h"

void report_left_off(const struct trace_set *set)
{
	if (set->left_off)
		command_warn("%s %s not enabled: no room for %s",
			     counted(set->left_off, "marker"),
			     agreed(set->left_off, "was", "were"),
			     agreed(set->left_off, "its description",
				    "their descriptions"));
}

int report_losses(const struct trace_set *set, bool fail)
{
	if (!fail || !set->lost)
		return COMMAND_DONE;
	return command_failed("%llu events were lost (--fail-on-loss): trace "
			      "fewer markers, or give a larger --buffer-size",
			      (unsigned long long)set->lost);
}

int report_spoilt(const struct trace_set *set)
{
	if (!set->spoilt)
		return COMMAND_DONE;
	return command_failed("%s/%s: another program removed or cut this file "
			      "meanwhile; what was in it is lost (%s)",
			      set->path, set->spoilt_name,
			      counted(set->spoilt, "such file"));
}

void report_unreadable(const struct trace_set *set, uint64_t unreadable)
{
	uint64_t known = set->cut + set->gone_rings;
	uint64_t others = unreadable > known ? unreadable - known : 0;

	if (set->cut)
		command_warn("%s %s cut short by another program: the events "
			     "there are missing, and not counted as lost",
			     counted(set->cut, "buffer"),
			     agreed(set->cut, "was", "were"));
	if (set->gone_rings)
		command_warn("the files of %s are missing or cut short "
			     "(process %u): their events are missing, and not "
			     "counted as lost; the other files were kept",
			     counted(set->gone_rings, "buffer"),
			     set->gone_pid);
	if (others)
		command_warn("%s held invalid data and %s left out",
			     counted(others, "buffer"),
			     agreed(others, "was", "were"));
}

void report_next(const struct trace_set *set)
{
	char word[PATH_MAX];

	if (isatty(STDERR_FILENO) &&
	    shell_word(word, sizeof(word), set->path))
		command_warn("taffrail view %s prints them", word);
}

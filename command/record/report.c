/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints what a trace lacks.
 */
#include "command/record/report.h"

#include "command/common/command.h"

void report_left_off(const struct trace_set *set)
{
	if (set->left_off)
		command_warn("%llu markers were not enabled: no room for "
			     "their descriptions",
			     (unsigned long long)set->left_off);
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
			      "meanwhile; what was in it is lost (%llu such "
			      "file%s)", set->path, set->spoilt_name,
			      (unsigned long long)set->spoilt,
			      set->spoilt == 1 ? "" : "s");
}

void report_unreadable(const struct trace_set *set, uint64_t unreadable)
{
	if (set->cut)
		command_warn("%llu buffers were cut short by another program: "
			     "their events are missing, and not counted as "
			     "lost", (unsigned long long)set->cut);
	if (set->gone_rings)
		command_warn("the files of %llu buffer%s are missing or cut "
			     "short (process %u): their events are missing, "
			     "and not counted as lost; the other files were "
			     "kept", (unsigned long long)set->gone_rings,
			     set->gone_rings == 1 ? "" : "s", set->gone_pid);
	if (unreadable > set->cut + set->gone_rings)
		command_warn("%llu buffers held invalid data and were left out",
			     (unsigned long long)(unreadable - set->cut -
						  set->gone_rings));
}

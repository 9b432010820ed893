/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Messages about processes whose agent is of another version. See layouts.h.
 */
#include "command/agents/layouts.h"

void layouts_say(const struct rundir_process *process, const char *what)
{
	struct cause cause;

	cause_set(&cause, 0, AGENT_LAYOUT, .pid = process->pid,
		  .n = rundir_foreign(process, NULL), .text = what,
		  .path = process->alive ? NULL : process->path);
	cause_tell(&cause);
}

int layouts_tell(const struct rundir_list *list, const char *name,
		 const char *what)
{
	int told = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (!rundir_foreign(&list->processes[i], name))
			continue;
		layouts_say(&list->processes[i], what);
		told++;
	}
	return told;
}

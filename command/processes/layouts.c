/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Messages about processes whose agent is of another version. See layouts.h.
 */
#include "command/processes/layouts.h"

#include <stdio.h>

#include "command/common/command.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

const char *layouts_text(const struct rundir_process *process, char *text,
			 size_t room)
{
	char remains[LAYOUTS_TEXT_BYTES] = "";

	if (!process->alive)
		snprintf(remains, sizeof(remains), ", or remove %.300s",
			 process->path);
	snprintf(text, room, "its agent is of another version (its files have "
		 "layout %u, taffrail " PACKAGE_VERSION " has %d): use the "
		 "taffrail that belongs to its libtaffrail%s",
		 rundir_foreign(process, NULL), LAYOUT_VERSION, remains);
	return text;
}

int layouts_tell(const struct rundir_list *list, const char *name,
		 const char *what)
{
	char text[LAYOUTS_TEXT_BYTES];
	int told = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct rundir_process *process = &list->processes[i];

		if (!rundir_foreign(process, name))
			continue;
		command_warn("process %d: %s: %s", process->pid, what,
			     layouts_text(process, text, sizeof(text)));
		told++;
	}
	return told;
}

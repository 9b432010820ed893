/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Messages about processes whose agent is of another version, and about shared
 * rings that cannot be read. See layouts.h.
 */
#include "command/agents/layouts.h"

#include <errno.h>

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

static void shared_say(const char *name, int error, void *what)
{
	struct cause cause;

	if (error == -EPROTO)
		cause_set(&cause, 0, SHARED_FOREIGN, .subject = name,
			  .text = what);
	else
		cause_set(&cause, 0, SHARED_DAMAGED, .subject = name,
			  .text = what);
	cause_tell(&cause);
}

int layouts_tell_shared(struct rundir *dir, const char *name, const char *what)
{
	return dir->fd < 0 ? 0 :
	       rundir_each_unread(dir, name, shared_say, (void *)what);
}

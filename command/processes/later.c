/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads sessions/ (control/protocol.h) for sessions of `start --all`.
 */
#include "command/processes/later.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct later {
	struct rundir *dir;
	char *names;
	size_t room;
	size_t count;
};

/* Returns true for a session of `start --all`. */
static bool session_for_all(struct rundir *dir, const char *name)
{
	char *text;
	bool all;

	if (rundir_read_rules(dir, name, &text))
		return false;
	all = !strncmp(text, "all=1\n", 6) || strstr(text, "\nall=1\n");
	free(text);
	return all;
}

static int name_take(const char *name, void *priv)
{
	struct later *later = priv;
	size_t used = strlen(later->names);

	if (!session_for_all(later->dir, name))
		return 0;
	snprintf(later->names + used, later->room - used, "%s%s",
		 later->count ? ", " : "", name);
	later->count++;
	return 0;
}

size_t later_sessions(struct rundir *dir, char *names, size_t room)
{
	struct later later = { dir, names, room, 0 };

	names[0] = '\0';
	rundir_each_rules(dir, name_take, &later);
	return later.count;
}

/* Returns true for a process whose files are not in this directory. */
static bool files_elsewhere(const struct rundir *dir,
		      const struct rundir_process *process)
{
	struct stat here, there;

	return !fstat(dir->fd, &here) &&
	       !fstatat(process->fd, "..", &there, AT_SYMLINK_NOFOLLOW) &&
	       (here.st_ino != there.st_ino || here.st_dev != there.st_dev);
}

size_t later_tell_elsewhere(struct rundir *dir, const struct rundir_list *list,
			    const char *name)
{
	struct process_page head;
	struct session_page page;
	char text[CAUSE_TEXT_BYTES];
	struct cause cause;
	size_t n = 0;

	if (dir->fd < 0 || !session_for_all(dir, name))
		return 0;
	for (size_t i = 0; i < list->count; i++) {
		const struct rundir_process *process = &list->processes[i];

		if (!process->alive || !files_elsewhere(dir, process) ||
		    rundir_read_process(process, process->image, &head) ||
		    !rundir_find_session(process, process->image, name, &page))
			continue;
		snprintf(text, sizeof(text), "(%s) does not take part in '%s'",
			 head.procname, name);
		cause_set(&cause, 0, SESSION_OUTSIDE, .pid = process->pid,
			  .text = text);
		cause_tell(&cause);
		n++;
	}
	return n;
}

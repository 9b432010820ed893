/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Messages about processes whose agent is of another version, and about shared
 * rings that cannot be read.
 */
#ifndef COMMAND_AGENTS_LAYOUTS_H
#define COMMAND_AGENTS_LAYOUTS_H

#include "command/runtime/rundir.h"

/* Prints that the process's agent is of another version, and what was left
 * undone for that (NULL: nothing): "process PID: WHAT: ...". */
void layouts_say(const struct rundir_process *process, const char *what);

/* Does so for each process of the list whose agent is of another version, and
 * which has a session of that name (NULL: any). Returns how many. */
int layouts_tell(const struct rundir_list *list, const char *name,
		 const char *what);

/* Prints which shared rings of a session of that name (NULL: any) cannot be
 * read, and what was left undone for that. Returns how many; 0 where there is
 * no directory (dir->fd is -1). */
int layouts_tell_shared(struct rundir *dir, const char *name, const char *what);

#endif

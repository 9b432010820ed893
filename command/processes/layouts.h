/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Messages about processes whose agent is of another version.
 */
#ifndef COMMAND_PROCESSES_LAYOUTS_H
#define COMMAND_PROCESSES_LAYOUTS_H

#include "command/rundir/rundir.h"

#define LAYOUTS_TEXT_BYTES	640

/* Writes what the versions are, and the remedy. Returns text. */
const char *layouts_text(const struct rundir_process *process, char *text,
			 size_t room);

/*
 * Says of each process whose agent is of another version,
 * and which has a session of that name (NULL: of any): "process PID: WHAT: ...".
 * Returns how many.
 */
int layouts_tell(const struct rundir_list *list, const char *name,
		 const char *what);

#endif

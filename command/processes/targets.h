/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The processes that a sub-command works on: one (-p PID), or all of the
 * user's, with a connection to each that lives.
 */
#ifndef COMMAND_PROCESSES_TARGETS_H
#define COMMAND_PROCESSES_TARGETS_H

#include "command/elf/markers.h"
#include "command/processes/client.h"
#include "command/rundir/rundir.h"

struct target {
	struct rundir_process *process;
	struct client client;		/* fd -1 while not connected */
	struct marker_list markers;	/* when targets_list() was asked */
};

struct targets {
	struct rundir dir;		/* fd -1: there is none */
	struct rundir_list list;
	struct target *targets;		/* one a process of the list */
	size_t count;
};

/*
 * pid 0: every process of the user, living and dead. Prints the error itself
 * and returns a negative errno; no process at all is no error. To be closed
 * whatever the result.
 */
int targets_open(struct targets *targets, pid_t pid);
void targets_close(struct targets *targets);

/* Has the process's newest image a session of that name, not destroyed? */
bool target_has(const struct target *target, const char *session);

/*
 * Connect if that was not done. Negative errno, the fact in client.error.
 * A process that ended meanwhile gives -ESRCH and no longer counts as alive.
 */
int target_connect(struct target *target);

/* Connect, and ask for the markers. Errors as target_connect(). */
int target_list(struct target *target);

/*
 * Does `rule` select a marker of the listed targets? Otherwise prints the
 * error that names the nearest ones, and returns -ENOENT.
 */
int targets_check_rule(const struct targets *targets, const char *rule);

#endif

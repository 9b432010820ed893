/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the files of this room only.
 */
#ifndef COMMAND_RUNDIR_PRIVATE_H
#define COMMAND_RUNDIR_PRIVATE_H

#include "command/rundir/rundir.h"

/*
 * Reads the state (a letter, as in /proc/PID/stat) and the start time of a
 * process. Returns 0, or -ESRCH if there is none. A zombie leader with running
 * threads is a living process.
 */
int rundir_stat_living(pid_t pid, char *state, uint64_t *starttime);

/* Returns a thread of the process that has not exited. */
pid_t rundir_living_thread(pid_t pid);

/* Parses "PID.STARTTIME"; false for any other text. */
bool rundir_parse_name(const char *name, pid_t *pid, uint64_t *starttime);

/*
 * Parses ".../PID.STARTTIME/IMAGE/NAME", a file that an agent shares, and cuts
 * the path behind STARTTIME; false for any other path.
 */
bool rundir_parse_file(char *path, pid_t *pid, uint64_t *starttime,
		       uint32_t *image, char name[NAME_MAX + 1]);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the rundir*.c files only.
 */
#ifndef COMMAND_RUNDIR_PRIVATE_H
#define COMMAND_RUNDIR_PRIVATE_H

#include <dirent.h>

#include "command/rundir/rundir.h"

#define RUNDIR_IMAGES_MAX	256

/*
 * State (as /proc/PID/stat calls it) and start time of a process; -ESRCH if
 * there is none. A zombie leader with running threads is a living process.
 */
int rundir_stat_living(pid_t pid, char *state, uint64_t *starttime);

/* A thread of the process that has not exited. */
pid_t rundir_living_thread(pid_t pid);

/* "PID.STARTTIME" and nothing else. */
bool rundir_parse_name(const char *name, pid_t *pid, uint64_t *starttime);

/*
 * Is this ".../PID.STARTTIME/IMAGE/NAME", something that an agent shares? Cuts
 * the path behind STARTTIME.
 */
bool rundir_parse_file(char *path, pid_t *pid, uint64_t *starttime,
		       uint32_t *image, char name[NAME_MAX + 1]);

/* A stream over directory `name` below fd, no symlink; NULL and errno. */
DIR *rundir_opendir(int fd, const char *name);

/* Give a process to the list; 0 or -ENOMEM. */
int rundir_append(struct rundir_list *list, const struct rundir_process *p);

/* As rundir_open(), of this path. */
int rundir_open_at(struct rundir *dir, const char *path);

/* Every process directory, nothing removed. Negative errno and dir->error:
 * -EMFILE when not all could be opened. */
int rundir_collect(struct rundir *dir, struct rundir_list *list);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where this command finds the files that a process has mapped.
 *
 * The kernel writes paths of /proc/PID/maps for the command that reads them:
 * from that command's root directory, or, for files that are not below it, from
 * the top of the process's own mount namespace. The root directory of the
 * process is written in the same way (/proc/PID/root). So the rest of a path
 * behind that root directory is the path that the process itself sees.
 */
#ifndef COMMAND_PROCFS_MAPPED_FILE_H
#define COMMAND_PROCFS_MAPPED_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct process_mapping;

#define PROCESS_FILE_BYTES	(PATH_MAX + 64)

/* How this command reaches a mapped file. */
enum process_way {
	PROCESS_WAY_NONE,	/* not: the file was removed, or another has the
				 * name */
	PROCESS_WAY_NAME,	/* by the name, or as the executed file */
	PROCESS_WAY_MAPPING,	/* by the mapping alone, which takes a right
				 * (process_opens_mappings()) */
	PROCESS_WAY_SILENT,	/* the file system does not answer */
};

/* Gives a path by which this command reaches a mapped file. To read the file
 * takes opener_open(). */
enum process_way process_file(char path[PROCESS_FILE_BYTES], pid_t pid,
			      const struct process_mapping *m);

/* Returns true when the kernel lets the process open files by mappings: with
 * CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN, in the first user namespace. */
bool process_opens_mappings(pid_t pid);

/*
 * Returns the part of a path of /proc/PID/maps that the process itself sees,
 * "/..."; or NULL: the path is not below the root directory of the process, or
 * that directory cannot be known. `pid` may be a thread.
 */
const char *process_path_inside(pid_t pid, const char *path);

/*
 * Looks for a process of the same mount namespace that sees the path, as one
 * that has not changed the root directory. Calls `call` with the root directory
 * of each, "/proc/PID/root", and the path there, until a call returns 0.
 * Returns that, or -ENOENT.
 */
int process_each_beside(pid_t pid, const char *path,
			int (*call)(const char *root, const char *path,
				    void *arg),
			void *arg);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The threads of a process, or all processes, one after the other:
 *
 *	DIR *list = threads_open(pid);
 *
 *	while ((tid = threads_next(list)))
 *		...
 *	threads_close(list);
 *
 * A thread that begins or ends meanwhile may be in the list or not. One that
 * does neither may be left out once: the kernel finds its place again by a
 * count.
 */
#ifndef COMMAND_PROCFS_THREADS_H
#define COMMAND_PROCFS_THREADS_H

#include <dirent.h>
#include <sys/types.h>

/* Returns the list, or NULL and errno: there is no such process, or it cannot
 * be read. The other functions take NULL for an empty list. */
DIR *threads_open(pid_t pid);

/* Returns the list of all processes; else as threads_open(). */
static inline DIR *processes_open(void)
{
	return opendir("/proc");
}

/* Returns the next thread's or process's id, or 0: there is no more. */
pid_t threads_next(DIR *list);

void threads_close(DIR *list);

#endif

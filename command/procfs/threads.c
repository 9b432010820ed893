/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Threads of a process, in /proc. See threads.h.
 */
#include "command/procfs/threads.h"

#include <stdio.h>
#include <stdlib.h>

DIR *threads_open(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	return opendir(path);
}

pid_t threads_next(DIR *list)
{
	struct dirent *entry;
	pid_t tid = 0;

	while (!tid && list && (entry = readdir(list)))
		tid = atoi(entry->d_name);
	return tid;
}

void threads_close(DIR *list)
{
	if (list)
		closedir(list);
}

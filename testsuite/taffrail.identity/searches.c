/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * For LD_PRELOAD, in a recorder: adds a byte to the file that SEARCHES names
 * for each time that it opens /proc to look through all processes.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef DIR *opener(const char *path);

DIR *opendir(const char *path)
{
	opener *next = (opener *)dlsym(RTLD_NEXT, "opendir");
	const char *file = getenv("SEARCHES");
	int fd = file && !strcmp(path, "/proc") ?
		 open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) :
		 -1;

	if (fd >= 0 && write(fd, "x", 1) == 1)
		close(fd);
	return next(path);
}

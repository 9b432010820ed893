/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A library for LD_PRELOAD: behind the command's first look at the file
 * SWAPPED_FILE, a FIFO takes the file's place, as another user may do at that
 * instant. It is SWAPPED_FIFO, in the same directory.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void looked_at(const char *path)
{
	const char *file = getenv("SWAPPED_FILE");
	const char *fifo = getenv("SWAPPED_FIFO");

	if (file && fifo && !strcmp(path, file))
		rename(fifo, file);
}

static int open_at(const char *name, const char *path, int flags, mode_t mode)
{
	int (*next)(const char *, int, ...) =
		(int (*)(const char *, int, ...))dlsym(RTLD_NEXT, name);
	int fd = next(path, flags, mode);

	looked_at(path);
	return fd;
}

int open(const char *path, int flags, ...)
{
	va_list list;
	mode_t mode;

	va_start(list, flags);
	mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
	va_end(list);
	return open_at("open", path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
	va_list list;
	mode_t mode;

	va_start(list, flags);
	mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
	va_end(list);
	return open_at("open64", path, flags, mode);
}

int stat(const char *path, struct stat *st)
{
	int (*next)(const char *, struct stat *) =
		(int (*)(const char *, struct stat *))dlsym(RTLD_NEXT, "stat");
	int ret = next(path, st);

	looked_at(path);
	return ret;
}

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

int open(const char *path, int flags, ...)
{
	int (*next)(const char *, int, ...) =
		(int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
	va_list list;
	mode_t mode;
	int fd;

	va_start(list, flags);
	mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
	va_end(list);
	fd = next(path, flags, mode);
	looked_at(path);
	return fd;
}

/* The same where files have 64 bits. */
int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int stat(const char *path, struct stat *st)
{
	int (*next)(const char *, struct stat *) =
		(int (*)(const char *, struct stat *))dlsym(RTLD_NEXT, "stat");
	int ret = next(path, st);

	looked_at(path);
	return ret;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A library for LD_PRELOAD: behind mkdtemp() and mkostemp() a link to
 * EXCHANGED_TO takes the place of the new directory or file, as the owner of
 * the directory around it may do at that instant.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void exchange(const char *path)
{
	const char *to = getenv("EXCHANGED_TO");
	char away[4096];

	if (!to)
		return;
	snprintf(away, sizeof(away), "%s.away", path);
	if (rename(path, away) || symlink(to, path))
		abort();
}

char *mkdtemp(char *path)
{
	char *(*next)(char *) =
		(char *(*)(char *))dlsym(RTLD_NEXT, "mkdtemp");

	path = next(path);
	if (path)
		exchange(path);
	return path;
}

int mkostemp(char *path, int flags)
{
	int (*next)(char *, int) =
		(int (*)(char *, int))dlsym(RTLD_NEXT, "mkostemp");
	int fd = next(path, flags);

	if (fd >= 0)
		exchange(path);
	return fd;
}

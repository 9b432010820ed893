/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A library for LD_PRELOAD: behind mkdtemp() a link to EXCHANGED_TO takes the
 * place of the new directory, as the owner of the directory around it may do
 * at that instant.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

char *mkdtemp(char *path)
{
	char *(*next)(char *) =
		(char *(*)(char *))dlsym(RTLD_NEXT, "mkdtemp");
	const char *to = getenv("EXCHANGED_TO");
	char away[4096];

	path = next(path);
	if (!path || !to)
		return path;
	snprintf(away, sizeof(away), "%s.away", path);
	if (rename(path, away) || symlink(to, path))
		abort();
	return path;
}

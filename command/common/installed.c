/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds files of this installation, and programs in PATH; see installed.h.
 */
#include "command/common/installed.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#ifndef TAFFRAIL_LIBDIR
#define TAFFRAIL_LIBDIR		"/usr/local/lib"
#define TAFFRAIL_LIB_BESIDE	"../lib"
#endif
#ifndef TAFFRAIL_DATADIR
#define TAFFRAIL_DATADIR	"/usr/local/share/taffrail"
#define TAFFRAIL_DATA_BESIDE	"../share/taffrail"
#endif

static const struct {
	const char *beside;
	const char *built;
} folders[] = {
	[INSTALLED_LIB] = { TAFFRAIL_LIB_BESIDE, TAFFRAIL_LIBDIR },
	[INSTALLED_DATA] = { TAFFRAIL_DATA_BESIDE, TAFFRAIL_DATADIR },
};

/* Writes the path of this program; without /proc, the one by which it was
 * executed. */
static bool own_path(char self[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", self, PATH_MAX - 1);
	const char *executed = (const char *)getauxval(AT_EXECFN);

	self[n > 0 ? n : 0] = '\0';
	if (n <= 0 && executed && *executed)
		return realpath(executed, self) != NULL;
	return n > 0;
}

int installed_find(char *path, size_t room, enum installed_folder folder,
		   const char *name)
{
	char self[PATH_MAX];
	char near[PATH_MAX + 64];
	char *slash;
	ssize_t n = 0;

	if (own_path(self)) {
		slash = strrchr(self, '/');
		if (slash)
			*slash = '\0';
		snprintf(near, sizeof(near), "%s/%s/%s", self,
			 folders[folder].beside, name);
		slash = realpath(near, NULL);
		if (slash) {
			n = snprintf(path, room, "%s", slash);
			free(slash);
			return n < (ssize_t)room ? 0 : -ENAMETOOLONG;
		}
	}
	n = snprintf(path, room, "%s/%s", folders[folder].built, name);
	if (n >= (ssize_t)room)
		return -ENAMETOOLONG;
	return access(path, R_OK) ? -errno : 0;
}

int installed_program(char *path, size_t room, const char *name)
{
	const char *list = getenv("PATH");
	char usual[128];

	if (strchr(name, '/'))
		return snprintf(path, room, "%s", name) < (int)room ?
			       0 : -ENAMETOOLONG;
	if (!list && confstr(_CS_PATH, usual, sizeof(usual)))
		list = usual;
	while (list && *name) {
		size_t n = strcspn(list, ":");

		snprintf(path, room, "%.*s%s%s", (int)n, list, n ? "/" : "",
			 name);
		if (!access(path, X_OK))
			return 0;
		if (!list[n])
			break;
		list += n + 1;
	}
	return -ENOENT;
}

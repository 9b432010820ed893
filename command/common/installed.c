/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds files of this installation, and programs in PATH; see installed.h.
 */
#include "command/common/installed.h"

#include <errno.h>
#include <limits.h>
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

int installed_find(char *path, size_t room, enum installed_folder folder,
		   const char *name)
{
	const char *executed = (const char *)getauxval(AT_EXECFN);
	char self[PATH_MAX], near[PATH_MAX + 64], *found = NULL;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int ret;
	self[n > 0 ? n : 0] = '\0';
	/* without /proc, the path by which this program was executed */
	if (n > 0 || (executed && *executed && realpath(executed, self))) {
		if (strrchr(self, '/'))
			*strrchr(self, '/') = '\0';
		snprintf(near, sizeof(near), "%s/%s/%s", self,
			 folders[folder].beside, name);
		found = realpath(near, NULL);
	}
	n = found ? snprintf(path, room, "%s", found) :
		    snprintf(path, room, "%s/%s", folders[folder].built, name);
	ret = n >= (ssize_t)room	      ? -ENAMETOOLONG :
	      found || !access(path, R_OK) ? 0 : -errno;
	free(found);
	return ret;
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

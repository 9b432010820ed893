/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keeps former outputs. See former.h.
 *
 * Invariant: the kernel refuses a rename to a name that is there
 * (RENAME_NOREPLACE), so two commands at the same time lose nothing; but for
 * file systems that have no such rename.
 */
#include "command/common/former.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "command/common/command.h"
#include "command/common/limits.h"
#include "traces/follow.h"

#define NUMBERS_MAX	10000

/* The last output that was moved, and its name since; "": none. */
static char kept[PATH_MAX], moved[PATH_MAX];

/* Renames to a name that is not there. Returns 0 or a negative errno. */
static int rename_new(const char *path, const char *to)
{
	struct stat st;
	int ret = renameat2(AT_FDCWD, path, AT_FDCWD, to, RENAME_NOREPLACE) ?
			  -errno : 0;

	/* some file systems have no such rename: look at the name */
	if (ret != -EINVAL)
		return ret;
	if (!lstat(to, &st))
		return -EEXIST;
	return rename(path, to) ? -errno : 0;
}

int former_keep(const char *path)
{
	size_t n = strlen(path);
	char old[PATH_MAX];
	struct stat st;
	int ret = -EEXIST;

	if (lstat(path, &st) && errno == ENOENT)
		return COMMAND_DONE;
	while (n > 1 && path[n - 1] == '/')
		n--;
	for (int i = 1; i < NUMBERS_MAX && ret == -EEXIST; i++) {
		int bytes = i == 1 ? snprintf(old, sizeof(old), "%.*s.old",
					      (int)n, path) :
				     snprintf(old, sizeof(old), "%.*s.old.%d",
					      (int)n, path, i);

		ret = bytes >= (int)sizeof(old) ? -ENAMETOOLONG :
						  rename_new(path, old);
	}
	if (ret)
		return command_failed("cannot move %s to %.*s.old: %s", path,
				      (int)n, path, limits_raise(-ret));
	command_warn("the former %.*s is %s now", (int)n, path, old);
	snprintf(kept, sizeof(kept), "%.*s", (int)n, path);
	strcpy(moved, old);
	return COMMAND_DONE;
}

void former_return(void)
{
	if (*moved && !rename_new(moved, kept))
		command_warn("%s is %s again", moved, kept);
	*moved = '\0';
}

int former_keep_tree(const char *path)
{
	struct dirent *entry;
	bool empty;
	DIR *dir;

	if (follow_recorded(path))
		return command_failed("%s is being recorded: give another "
				      "directory", path);
	dir = opendir(path);
	empty = dir;
	while (empty && (entry = readdir(dir)))
		empty = !strcmp(entry->d_name, ".") ||
			!strcmp(entry->d_name, "..");
	if (dir)
		closedir(dir);
	if (empty)
		return COMMAND_DONE;
	return former_keep(path);
}

int former_check_directory(const char *path)
{
	if (!*path)
		return command_misused("the directory's name is empty");
	if (!strcmp(path, "-"))
		return command_misused("-o -: a trace is a directory, which "
				       "standard output cannot be: give its "
				       "name (./- for this one)");
	return COMMAND_DONE;
}

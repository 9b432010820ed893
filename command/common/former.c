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
#include <unistd.h>

#include "base/base.h"
#include "command/common/command.h"
#include "command/common/limits.h"
#include "traces/follow.h"
#include "traces/ledger.h"

#define NUMBERS_MAX	10000

/* The last output that was moved, and its name since; "": none. */
static char kept[PATH_MAX], moved[PATH_MAX];

/* Renames to a name that is not there. Returns 0 or a negative errno. */
SIGSAFE static int rename_new(const char *path, const char *to)
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
	char name[PATH_MAX], old[PATH_MAX];
	size_t n = strlen(path);
	struct stat st;
	int ret = -EEXIST;

	if (lstat(path, &st) && errno == ENOENT)
		return COMMAND_DONE;
	/* with a slash behind it, a link would not be moved */
	while (n > 1 && path[n - 1] == '/')
		n--;
	if (snprintf(name, sizeof(name), "%.*s", (int)n, path) >=
	    (int)sizeof(name))
		return command_failed("cannot move %s: %s", path,
				      strerror(ENAMETOOLONG));
	for (int i = 1; i < NUMBERS_MAX && ret == -EEXIST; i++) {
		int bytes = i == 1 ? snprintf(old, sizeof(old), "%s.old",
					      name) :
				     snprintf(old, sizeof(old), "%s.old.%d",
					      name, i);

		ret = bytes >= (int)sizeof(old) ? -ENAMETOOLONG :
						  rename_new(name, old);
	}
	if (ret)
		return command_failed("cannot move %s to %s.old: %s", name,
				      name, limits_raise(-ret));
	command_warn("the former %s is %s now", name, old);
	strcpy(kept, name);
	strcpy(moved, old);
	return COMMAND_DONE;
}

SIGSAFE bool former_restore(void)
{
	return *moved && !rename_new(moved, kept);
}

void former_return(void)
{
	if (former_restore())
		command_warn("%s is %s again", moved, kept);
	*moved = '\0';
}

/* Returns whether a directory has no entry. */
static bool is_empty(int fd)
{
	DIR *dir = fdopendir(fd);
	bool empty = dir;
	struct dirent *entry;

	while (empty && (entry = readdir(dir)))
		empty = !strcmp(entry->d_name, ".") ||
			!strcmp(entry->d_name, "..");
	if (dir)
		closedir(dir);
	else
		close(fd);
	return empty;
}

int former_keep_tree(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;
	int error = errno;
	bool recorded;

	if (fd < 0 && error == ENOENT && lstat(path, &st) && errno == ENOENT)
		return COMMAND_DONE;
	if (fd < 0 && error != ENOENT && error != ENOTDIR)
		return command_failed("%s cannot be read, so it is not moved: "
				      "%s: give another directory", path,
				      limits_raise(error));
	if (fd >= 0 && follow_recorded_at(fd)) {
		close(fd);
		return command_failed("%s is being recorded: give another "
				      "directory", path);
	}
	recorded = fd >= 0 && trace_set_there(fd, NULL);
	if (fd >= 0 && is_empty(fd))
		return COMMAND_DONE;
	if (!recorded)
		return command_failed("%s is no recording, and --force moves "
				      "nothing else: give another directory",
				      path);
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

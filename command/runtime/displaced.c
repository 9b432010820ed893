/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Changes of the runtime directory while a command works. The command holds it
 * open, and agents find it by the path. If the path names something else, or
 * agents refuse the directory, then programs that begin from then on make their
 * files elsewhere, or have no agent.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "command/common/inode.h"
#include "command/runtime/rundir.h"
#include "control/protocol.h"

/* Says that the directory, or one in it, is another one now: `held` is NULL
 * then; or that agents refuse it. */
static bool displaced_set(struct rundir *dir, const char *path,
			  const struct stat *held)
{
	if (!held)
		cause_set(&dir->cause, 0, DIRECTORY_GONE, .path = path);
	else if (held->st_uid != dir->uid)
		cause_set(&dir->cause, 0, DIRECTORY_TAKEN, .path = path,
			  .n = held->st_uid);
	else
		cause_set(&dir->cause, 0, DIRECTORY_OPENED, .path = path,
			  .n = held->st_mode & 07777);
	return true;
}

/* Gives the path by which agents find the directory. The path of a directory
 * that came with a process leads through the process's files. Returns false for
 * a path in another mount namespace, which may end before the process. */
static bool public_path(char path[PATH_MAX], const struct rundir *dir)
{
	size_t length;

	snprintf(path, PATH_MAX, "%s", dir->path);
	length = strlen(path);
	if (length > 3 && !strcmp(path + length - 3, "/..")) {
		path[length - 3] = '\0';
		if (strrchr(path, '/'))
			*strrchr(path, '/') = '\0';
	}
	return strncmp(path, "/proc/", 6);
}

bool rundir_displaced(struct rundir *dir)
{
	struct stat held, there;
	char path[PATH_MAX];

	if (dir->fd < 0 || fstat(dir->fd, &held) || !public_path(path, dir))
		return false;
	if (stat(path, &there) ? errno == ENOENT || errno == ENOTDIR :
				 !inode_same(&held, &there))
		return displaced_set(dir, path, NULL);
	return (held.st_uid != dir->uid || held.st_mode & 066) &&
	       displaced_set(dir, path, &held);
}

bool rundir_displaced_off(struct rundir *dir, const char *name, int off)
{
	struct stat held, there;
	char path[PATH_MAX], file[NAME_MAX + 1];

	if (rundir_displaced(dir))
		return true;
	if (dir->fd < 0 || off < 0 || fstat(off, &held) ||
	    !public_path(path, dir))
		return false;
	snprintf(file, sizeof(file), PROTOCOL_SESSIONS_DIR "/"
		 PROTOCOL_OFF_PREFIX "%s", name);
	snprintf(path + strlen(path), sizeof(path) - strlen(path), "/%s",
		 PROTOCOL_SESSIONS_DIR);
	if (fstatat(dir->fd, file, &there, AT_SYMLINK_NOFOLLOW) ?
	    errno == ENOENT || errno == ENOTDIR : !inode_same(&held, &there))
		return displaced_set(dir, path, NULL);
	return !fstatat(dir->fd, PROTOCOL_SESSIONS_DIR, &there,
			AT_SYMLINK_NOFOLLOW) &&
	       (there.st_uid != dir->uid || there.st_mode & 022) &&
	       displaced_set(dir, path, &there);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What becomes of the runtime directory while a command works. The command
 * holds it open, and agents find it by its path. If the path names something
 * else, or agents refuse the directory, then programs that begin from then on
 * make their files elsewhere, or have no agent.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "command/rundir/rundir.h"
#include "control/protocol.h"

#define GONE	"was removed or renamed, or another one is mounted there"
#define OWNED	"belongs to another user now"
#define OPEN	"is open to others (mode %04o)"

static bool displaced(struct rundir *dir, const char *path, const char *below,
		      const char *what)
{
	snprintf(dir->error, sizeof(dir->error),
		 "%.200s%s %s: programs that begin now are not recorded, nor are "
		 "children that have no event yet; leave it as it is while a "
		 "command works", path, below, what);
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

static bool same(const struct stat *one, const struct stat *other)
{
	return one->st_ino == other->st_ino && one->st_dev == other->st_dev;
}

bool rundir_displaced(struct rundir *dir)
{
	struct stat held, there;
	char path[PATH_MAX];
	char mode[48];

	if (dir->fd < 0 || fstat(dir->fd, &held) || !public_path(path, dir))
		return false;
	if (stat(path, &there) ? errno == ENOENT || errno == ENOTDIR :
				 !same(&held, &there))
		return displaced(dir, path, "", GONE);
	if (held.st_uid != dir->uid)
		return displaced(dir, path, "", OWNED);
	snprintf(mode, sizeof(mode), OPEN, (unsigned int)held.st_mode & 07777);
	return held.st_mode & 066 ? displaced(dir, path, "", mode) : false;
}

bool rundir_displaced_off(struct rundir *dir, const char *name, int off)
{
	struct stat held, there;
	char path[PATH_MAX];
	char file[NAME_MAX + 1];
	char mode[48];

	if (rundir_displaced(dir))
		return true;
	if (dir->fd < 0 || off < 0 || fstat(off, &held) ||
	    !public_path(path, dir))
		return false;
	snprintf(file, sizeof(file), PROTOCOL_SESSIONS_DIR "/"
		 PROTOCOL_OFF_PREFIX "%s", name);
	if (fstatat(dir->fd, file, &there, AT_SYMLINK_NOFOLLOW) ?
	    errno == ENOENT || errno == ENOTDIR : !same(&held, &there))
		return displaced(dir, path, "/" PROTOCOL_SESSIONS_DIR, GONE);
	if (fstatat(dir->fd, PROTOCOL_SESSIONS_DIR, &there,
		    AT_SYMLINK_NOFOLLOW))
		return false;
	if (there.st_uid != dir->uid)
		return displaced(dir, path, "/" PROTOCOL_SESSIONS_DIR, OWNED);
	if (!(there.st_mode & 022))
		return false;
	snprintf(mode, sizeof(mode), OPEN, (unsigned int)there.st_mode & 07777);
	return displaced(dir, path, "/" PROTOCOL_SESSIONS_DIR, mode);
}

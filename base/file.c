/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opens and makes files in the runtime directory. See file.h.
 *
 * Invariant: another program of the user may have put anything
 * there. No open waits (a FIFO, a device) or makes a terminal the program's
 * controlling terminal, and the descriptor is checked, not the name.
 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/sys.h"
#include "base/text.h"

#define FILE_MODE	0600
#define DIRECTORY_MODE	0700

#define FILE_OPEN (O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)

uint32_t file_owner;

/* Returns true for a file of the program's user, by the user's number at the
 * start or now: a user namespace that the program has entered changes all
 * numbers. */
static bool file_ours(const struct stat *st)
{
	return st->st_uid == file_owner ||
	       st->st_uid == (uid_t)sys0(SYS_geteuid);
}

static int file_judge(const struct stat *st, uint64_t least, uint64_t most)
{
	if (!S_ISREG(st->st_mode) || !file_ours(st))
		return -EPERM;
	if ((uint64_t)st->st_size > most)
		return -EFBIG;
	return (uint64_t)st->st_size < least ? -ENODATA : 0;
}

int file_open(int at, const char *path, int flags, uint64_t least,
	      uint64_t most)
{
	int fd = (int)sys4(SYS_openat, at, path, flags | FILE_OPEN, 0);
	struct stat st;
	int ret;

	if (fd < 0)
		return fd;
	ret = (int)sys2(SYS_fstat, fd, &st);
	if (!ret)
		ret = file_judge(&st, least, most);
	if (!ret)
		return fd;
	sys_close(fd);
	return ret;
}

int file_open_directory(int at, const char *path)
{
	int fd = (int)sys4(SYS_openat, at, path,
			   O_RDONLY | O_DIRECTORY | FILE_OPEN, 0);
	struct stat st;
	int ret;

	if (fd < 0)
		return fd;
	ret = (int)sys2(SYS_fstat, fd, &st);
	if (!ret && (!file_ours(&st) || (st.st_mode & 022)))
		ret = -EPERM;
	if (!ret)
		return fd;
	sys_close(fd);
	return ret;
}

int file_make(int at, const char *path, int flags)
{
	int fd = (int)sys4(SYS_openat, at, path,
			   flags | O_CREAT | O_EXCL | FILE_OPEN, FILE_MODE);
	struct stat st;
	int ret;

	if (fd < 0)
		return fd;
	ret = (int)sys2(SYS_fstat, fd, &st);
	if (!ret && (st.st_mode & 0777) != FILE_MODE)
		ret = (int)sys2(SYS_fchmod, fd, FILE_MODE);
	if (!ret)
		return fd;
	sys_close(fd);
	sys3(SYS_unlinkat, at, path, 0);
	return ret;
}

/* Gives the owner all rights in a directory that cannot be opened without them.
 * Where another user may write above it, the name may lead elsewhere by now: so
 * the directory is looked at by a descriptor, and changed through it. */
static int rights_restore(int at, const char *path)
{
	int fd = (int)sys4(SYS_openat, at, path,
			   O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	char link[40];
	struct text text;
	struct stat st;
	int ret;

	if (fd < 0)
		return fd;
	text_open(&text, link, sizeof(link));
	text_add(&text, "/proc/thread-self/fd/");
	text_add_number(&text, fd);
	ret = (int)sys2(SYS_fstat, fd, &st);
	if (!ret && (!file_ours(&st) || (st.st_mode & 077)))
		ret = -EPERM;
	if (!ret)
		ret = (int)sys3(SYS_fchmodat, AT_FDCWD, link, DIRECTORY_MODE);
	sys_close(fd);
	return ret;
}

int file_make_directory(int at, const char *path)
{
	int ret = (int)sys3(SYS_mkdirat, at, path, DIRECTORY_MODE);
	struct stat st;

	if (ret)
		return ret;
	ret = (int)sys4(SYS_newfstatat, at, path, &st, AT_SYMLINK_NOFOLLOW);
	if (!ret && (st.st_mode & DIRECTORY_MODE) != DIRECTORY_MODE)
		ret = rights_restore(at, path);
	if (ret)
		sys3(SYS_unlinkat, at, path, AT_REMOVEDIR);
	return ret;
}

SIGSAFE bool file_name_plain(const char *name)
{
	if (!*name || *name == '.')
		return false;
	while (*name && *name != '/')
		name++;
	return !*name;
}

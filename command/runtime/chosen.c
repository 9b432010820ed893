/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The runtime directory that the agent of a process chooses. It may not exist,
 * and the process need not have an agent.
 *
 * Invariant: this is the choice of control/sessions/place.c, in the process's
 * own environment and root.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "command/procfs/process.h"
#include "command/runtime/rundir.h"
#include "command/sandbox/opener.h"

#define OTHERS_MAY	0011	/* search, where a group was let in */

/* Copies the value of a variable of a process's environment; "" without.
 * Returns 0 or a negative errno. */
static int read_variable(pid_t pid, const char *name, char *value, size_t room)
{
	FILE *f = process_stream(pid, 0, "environ");
	size_t size = 0, n = strlen(name);
	char *text = NULL;

	value[0] = '\0';
	if (!f)
		return -errno;
	while (getdelim(&text, &size, '\0', f) > 0)
		if (!strncmp(text, name, n) && text[n] == '=')
			snprintf(value, room, "%s", text + n + 1);
	free(text);
	fclose(f);
	return 0;
}

/* Returns true when a directory of the process's root is on tmpfs; false, too,
 * where the file system does not answer. */
static bool on_tmpfs(pid_t pid, const char *directory)
{
	char path[PATH_MAX + 32];
	struct statfs fs;
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/root%s", pid, directory);
	return !opener_stat(path, &st) && !statfs(path, &fs) &&
	       fs.f_type == TMPFS_MAGIC;
}

int rundir_chosen(char path[PATH_MAX], pid_t pid)
{
	char home[PATH_MAX - 16], line[256];
	unsigned int euid = 0;
	FILE *f;
	int ret = read_variable(pid, "TAFFRAIL_DIR", path, PATH_MAX);

	if (ret || *path)
		return ret;
	read_variable(pid, "XDG_RUNTIME_DIR", home, sizeof(home));
	if (*home && on_tmpfs(pid, home)) {
		snprintf(path, PATH_MAX, "%s/taffrail", home);
		return 0;
	}
	f = process_stream(pid, 0, "status");
	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f) &&
	       sscanf(line, "Uid: %*u %u", &euid) != 1)
		;
	fclose(f);
	snprintf(path, PATH_MAX, "%s/taffrail-%u",
		 on_tmpfs(pid, "/dev/shm") ? "/dev/shm" : "/tmp", euid);
	return 0;
}

bool rundir_may_write(pid_t pid, const char *path, const struct stat *st)
{
	long uid = process_euid(pid);
	struct statvfs fs;

	if (!statvfs(path, &fs) && fs.f_flag & ST_RDONLY)
		return false;
	if (process_capable(pid, CAP_DAC_OVERRIDE) &&
	    process_has_id(pid, "uid_map", st->st_uid) &&
	    process_has_id(pid, "gid_map", st->st_gid))
		return true;
	if (uid == (long)st->st_uid)
		return (st->st_mode & 0300) == 0300;
	return (st->st_mode & 0003) == 0003 || (st->st_mode & 0030) == 0030;
}

int rundir_chosen_open(pid_t pid, char path[PATH_MAX], const char **why)
{
	char here[PATH_MAX + 32], *slash;
	long uid = process_euid(pid);
	struct stat st;
	int fd, ret = rundir_chosen(path, pid);

	*why = NULL;
	if (ret)
		return ret;
	snprintf(here, sizeof(here), "/proc/%d/root%s", pid, path);
	if (path[0] != '/') {
		*why = "TAFFRAIL_DIR is not an absolute path";
	} else if (strlen(path) >= PROCESS_DIR_BYTES) {
		*why = "the path has 200 bytes or more";
	} else if (opener_stat(here, &st) == -ETIMEDOUT) {
		*why = "its file system does not answer";
	} else if (!lstat(here, &st)) {
		*why = !S_ISDIR(st.st_mode) ? "it is not a directory" :
		       uid >= 0 && (long)st.st_uid != uid ?
			       "it belongs to another user" :
		       st.st_mode & 077 & ~OTHERS_MAY ?
			       "it is open to others" : NULL;
	} else {
		/* the agent would make it in the directory above */
		slash = strrchr(here, '/');
		slash[slash == strchr(here, '/')] = '\0';
		if (stat(here, &st) || !S_ISDIR(st.st_mode))
			*why = errno == ENOENT ?
				       "a directory above it does not exist" :
				       "a part of the path is not a directory";
	}
	if (!*why && !rundir_may_write(pid, here, &st))
		*why = "the process may not write there";
	if (*why)
		return -EPERM;
	fd = open(here, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int rundir_open_chosen(struct rundir *dir, pid_t pid, char name[48])
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	char path[PATH_MAX];
	uint64_t starttime;
	struct stat st;
	const char *why;
	int above = rundir_chosen_open(pid, path, &why);
	long uid = process_euid(pid);
	int ret = rundir_starttime(&starttime, pid);
	bool other;

	dir->fd = -1;
	if (above < 0 || uid < 0 || ret)
		goto close;
	snprintf(name, 48, "%d.%llu", process_inner_pid(pid),
		 (unsigned long long)(starttime | rundir_namespace(pid)));
	snprintf(dir->path, sizeof(dir->path), "/proc/%d/root%.*s", pid,
		 PATH_MAX - 32, path);
	dir->uid = (uid_t)uid;
	dir->fd = open(dir->path, flags);
	if (dir->fd < 0 && errno == ENOENT) {
		/* with no more rights than those of the user, who may have
		 * chosen the place */
		other = !geteuid() && uid && !seteuid(dir->uid);
		mkdirat(above, strrchr(path, '/') + 1, 0700);
		if (other && seteuid(0)) {
			ret = -errno;
			goto close;
		}
		dir->fd = open(dir->path, flags);
	}
	ret = dir->fd < 0 ? -errno : 0;
	/* the process chose the path, so only what was opened counts */
	if (!ret && (fstat(dir->fd, &st) || st.st_uid != dir->uid ||
		     st.st_mode & 077 & ~OTHERS_MAY)) {
		rundir_close(dir);
		ret = -EPERM;
	}
close:
	if (above >= 0)
		close(above);
	return above < 0 ? above : uid < 0 ? -ESRCH : ret;
}

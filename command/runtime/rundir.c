/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the runtime directory is, and which processes it holds. See rundir.h;
 * the way from a pid to its directory is in find.c, entries are in entries.c,
 * the published pages in pages.c, removal is in sweep.c.
 *
 * Invariant: a directory is opened first, and then checked by the descriptor; a
 * path that was checked is never opened a second time. An existing directory is
 * used as it is, or not at all.
 */
#include "command/runtime/rundir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "command/procfs/process.h"
#include "command/runtime/private.h"
#include "command/sandbox/user-rights.h"
#include "control/protocol.h"

static bool on_tmpfs(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && fs.f_type == TMPFS_MAGIC;
}

/* Opens dir->path for that user. Returns 0, or a negative errno and the
 * cause; then dir->fd is -1. */
static int open_path(struct rundir *dir, uid_t uid)
{
	struct stat st;
	int ret;

	dir->uid = uid;
	dir->fd = open(dir->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
		       O_CLOEXEC);
	if (dir->fd < 0) {
		ret = -errno;
		if (!lstat(dir->path, &st) && S_ISLNK(st.st_mode))
			return cause_set(&dir->cause, -ELOOP, DIRECTORY_SYMLINK,
					 .path = dir->path);
		return cause_set(&dir->cause, ret, DIRECTORY_UNOPENED,
				 .error = ret, .path = dir->path);
	}
	if (fstat(dir->fd, &st))
		ret = cause_set(&dir->cause, -errno, DIRECTORY_UNOPENED,
				.error = errno, .path = dir->path);
	else if (st.st_uid != dir->uid)
		ret = cause_set(&dir->cause, -EPERM, DIRECTORY_OF_USER,
				.n = st.st_uid, .path = dir->path);
	/* --allow-group adds the right to search, and no other
	 * (control/sessions/share.c) */
	else if (st.st_mode & 066)
		ret = cause_set(&dir->cause, -EPERM, DIRECTORY_OPEN,
				.n = st.st_mode & 07777, .path = dir->path);
	else
		return 0;
	rundir_close(dir);
	return ret;
}

int rundir_open(struct rundir *dir, bool create)
{
	const char *env = getenv("TAFFRAIL_DIR");
	const char *xdg = getenv("XDG_RUNTIME_DIR");
	unsigned int uid = geteuid();
	const size_t room = sizeof(dir->path);

	dir->fd = -1;
	dir->cause.id = CAUSE_NONE;
	/* the same choice as the agent's, from this environment */
	if (env && *env)
		snprintf(dir->path, room, "%s", env);
	else if (xdg && *xdg && on_tmpfs(xdg))
		snprintf(dir->path, room, "%s/taffrail", xdg);
	else
		snprintf(dir->path, room, "%s/taffrail-%u",
			 on_tmpfs("/dev/shm") ? "/dev/shm" : "/tmp", uid);
	/* agents refuse these paths, too */
	if (dir->path[0] != '/')
		return cause_set(&dir->cause, -EINVAL, DIRECTORY_RELATIVE,
				 .path = dir->path);
	if (strlen(dir->path) >= PROTOCOL_DIR_BYTES)
		return cause_set(&dir->cause, -ENAMETOOLONG, DIRECTORY_LONG,
				 .n = (int64_t)strlen(dir->path));
	if (create && !rundir_make_directory(AT_FDCWD, dir->path, uid) &&
	    errno != EEXIST)
		return cause_set(&dir->cause, -errno, DIRECTORY_UNMADE,
				 .error = errno, .path = dir->path);
	return open_path(dir, uid);
}

bool rundir_make_directory(int at, const char *path, uid_t uid)
{
	struct rights rights;
	bool made = rights_take(&rights, uid);
	int error;

	if (!made)
		errno = EPERM;
	made = made && !mkdirat(at, path, 0700) && !fchmodat(at, path, 0700, 0);
	error = errno;
	rights_give_back(&rights);
	errno = error;
	return made;
}

int rundir_open_at(struct rundir *dir, const char *path)
{
	return rundir_open_user(dir, path, geteuid());
}

int rundir_open_user(struct rundir *dir, const char *path, uid_t uid)
{
	dir->cause.id = CAUSE_NONE;
	snprintf(dir->path, sizeof(dir->path), "%s", path);
	return open_path(dir, uid);
}

void rundir_close(struct rundir *dir)
{
	if (dir->fd >= 0)
		close(dir->fd);
	dir->fd = -1;
}

int rundir_connect(const struct rundir_process *process, const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct stat st;
	bool other;
	int inode, fd, ret = 0;

	inode = openat(process->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (inode < 0)
		return -errno;
	/* the same inode as checked below, and the path may be of any length */
	snprintf(address.sun_path, sizeof(address.sun_path),
		 "/proc/self/fd/%d", inode);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || fstat(inode, &st)) {
		ret = -errno;
	} else if (!S_ISSOCK(st.st_mode) || st.st_uid != process->uid) {
		ret = -EPERM;
	} else {
		/* the agent hangs up on a caller who has no number in the user
		 * namespace of the process: root connects as its user then */
		other = !geteuid() && process->uid &&
			!process_has_id(process->pid, "uid_map", 0) &&
			!seteuid(process->uid);
		if (connect(fd, (struct sockaddr *)&address, sizeof(address)))
			ret = -errno;
		if (other && seteuid(0))
			ret = -errno;
	}
	close(inode);
	if (ret && fd >= 0)
		close(fd);
	return ret ? ret : fd;
}

/* Opens a process directory and looks whether the process lives. Returns 0, or
 * a negative errno when this is no process directory of the runtime directory's
 * user. */
static int open_process(struct rundir *dir, const char *name,
			struct rundir_process *process)
{
	uint32_t images[RUNDIR_IMAGES_MAX];
	struct process_page page;
	struct ucred cred;
	socklen_t bytes = sizeof(cred);
	uint64_t number;
	struct stat st;
	int n, fd, ret = -ENOENT;

	memset(process, 0, sizeof(*process));
	if (!rundir_parse_name(name, &process->pid, &number))
		return -EINVAL;
	process->starttime = PLACE_STARTTIME(number);
	process->namespace = PLACE_NAMESPACE(number);
	snprintf(process->name, sizeof(process->name), "%d.%llu", process->pid,
		 (unsigned long long)number);
	if (snprintf(process->path, sizeof(process->path), "%s/%s", dir->path,
		     name) >= (int)sizeof(process->path))
		return -ENAMETOOLONG;
	process->fd = openat(dir->fd, name, O_RDONLY | O_DIRECTORY |
			     O_NOFOLLOW | O_CLOEXEC);
	if (process->fd < 0)
		return -errno;
	if (fstat(process->fd, &st) || st.st_uid != dir->uid) {
		rundir_process_close(process);
		return -EINVAL;
	}
	process->uid = st.st_uid;
	/* the newest image with a page; image 0 when none has one */
	n = rundir_images(process, images, RUNDIR_IMAGES_MAX);
	while (n-- > 0 && ret == -ENOENT) {
		ret = rundir_read_process(process, images[n], &page);
		process->image = ret == -ENOENT ? 0 : images[n];
	}
	if (!ret) {
		process->identity = page.identity;
		process->starttime = page.starttime;
	}
	/* the pid in the directory's name means nothing in another namespace */
	process->alive = ((!process->namespace ||
			   process->namespace == rundir_namespace(getpid())) &&
			  rundir_lives(process)) ||
			 rundir_nested(process);
	if (process->alive)
		return 0;
	/* the kernel translates the pid of a socket's listener, which may be in
	 * another PID namespace */
	fd = rundir_connect(process, "control.sock");
	process->alive = fd == -EAGAIN ||
			 (fd >= 0 &&
			  !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred,
				      &bytes) && cred.pid > 0 &&
			  rundir_take_numbers(process, cred.pid));
	if (fd >= 0)
		close(fd);
	/* last: the lock tells no pid */
	if (!process->alive)
		process->alive = process->unseen = rundir_locked(process);
	return 0;
}

/* The order of lists: the living first, then by age, then by pid. */
static int process_compare(const void *left, const void *right)
{
	const struct rundir_process *a = left, *b = right;

	if (a->alive != b->alive)
		return a->alive ? -1 : 1;
	if (a->starttime != b->starttime)
		return a->starttime < b->starttime ? -1 : 1;
	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

int rundir_each_but(struct rundir *dir,
		    bool (*known)(const char *name, void *priv),
		    int (*call)(struct rundir_process *process, void *priv),
		    void *priv)
{
	struct rundir_process process;
	struct dirent *entry;
	DIR *stream;
	int ret = 0;

	stream = rundir_opendir(dir->fd, ".");
	if (!stream)
		return cause_set(&dir->cause, -errno, DIRECTORY_UNREAD,
				 .error = errno, .path = dir->path);
	while (!ret && (entry = readdir(stream))) {
		if (known && known(entry->d_name, priv))
			continue;
		ret = open_process(dir, entry->d_name, &process);
		/* other entries are skipped */
		if (ret) {
			ret = ret == -EMFILE || ret == -ENFILE ? ret : 0;
			continue;
		}
		ret = call(&process, priv);
		rundir_process_close(&process);
	}
	closedir(stream);
	return ret ? cause_set(&dir->cause, ret, DIRECTORY_UNREAD,
			       .error = ret, .path = dir->path) : 0;
}

int rundir_each(struct rundir *dir,
		int (*call)(struct rundir_process *process, void *priv),
		void *priv)
{
	return rundir_each_but(dir, NULL, call, priv);
}

/* Keeps a process in a list. Returns 0 or -ENOMEM. */
static int process_keep(struct rundir_process *process, void *list)
{
	int ret = rundir_append(list, process);

	if (!ret)
		process->fd = -1;
	return ret;
}

int rundir_collect(struct rundir *dir, struct rundir_list *list)
{
	int ret;

	*list = (struct rundir_list){ 0 };
	ret = rundir_each(dir, process_keep, list);
	if (ret)
		rundir_list_free(list);
	else if (list->count)
		qsort(list->processes, list->count, sizeof(*list->processes),
		      process_compare);
	return ret;
}

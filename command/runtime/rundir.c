/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the runtime directory is, and which processes it holds. See rundir.h;
 * the way from a pid to its directory is in find.c, entries are in entries.c,
 * the published pages in pages.c, removal is in sweep.c.
 *
 * Invariant: a directory is opened first, and then checked by
 * the descriptor; a path that was checked is never opened a second time. An
 * existing directory is used as it is, or not at all.
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

#include "command/runtime/private.h"
#include "control/protocol.h"

/* Refuses a path that agents refuse. */
static int check_path(struct rundir *dir)
{
	if (dir->path[0] != '/')
		return cause_set(&dir->cause, -EINVAL, DIRECTORY_RELATIVE,
				 .path = dir->path);
	if (strlen(dir->path) >= PROTOCOL_DIR_BYTES)
		return cause_set(&dir->cause, -ENAMETOOLONG, DIRECTORY_LONG,
				 .n = (int64_t)strlen(dir->path));
	return 0;
}

static bool on_tmpfs(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && fs.f_type == TMPFS_MAGIC;
}

/* Makes the same choice as the agent, from the command's environment. */
static void default_path(char *path, size_t room)
{
	const char *env = getenv("TAFFRAIL_DIR");
	const char *xdg = getenv("XDG_RUNTIME_DIR");
	unsigned int uid = geteuid();

	if (env && *env)
		snprintf(path, room, "%s", env);
	else if (xdg && *xdg && on_tmpfs(xdg))
		snprintf(path, room, "%s/taffrail", xdg);
	else if (on_tmpfs("/dev/shm"))
		snprintf(path, room, "/dev/shm/taffrail-%u", uid);
	else
		snprintf(path, room, "/tmp/taffrail-%u", uid);
}

static int check_owner(struct rundir *dir)
{
	struct stat st;

	if (fstat(dir->fd, &st))
		return cause_set(&dir->cause, -errno, DIRECTORY_UNOPENED,
				 .error = errno, .path = dir->path);
	if (st.st_uid != dir->uid)
		return cause_set(&dir->cause, -EPERM, DIRECTORY_OF_USER,
				 .n = st.st_uid, .path = dir->path);
	/* --allow-group adds the right to search, and no other
	 * (control/sessions/share.c) */
	if (st.st_mode & 066)
		return cause_set(&dir->cause, -EPERM, DIRECTORY_OPEN,
				 .n = st.st_mode & 07777, .path = dir->path);
	return 0;
}

static int open_path(struct rundir *dir, uid_t uid)
{
	int ret;

	dir->uid = uid;
	dir->fd = open(dir->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
		       O_CLOEXEC);
	if (dir->fd < 0) {
		struct stat st;

		ret = -errno;
		if (!lstat(dir->path, &st) && S_ISLNK(st.st_mode))
			return cause_set(&dir->cause, -ELOOP, DIRECTORY_SYMLINK,
					 .path = dir->path);
		return cause_set(&dir->cause, ret, DIRECTORY_UNOPENED,
				 .error = ret, .path = dir->path);
	}
	ret = check_owner(dir);
	if (ret)
		rundir_close(dir);
	return ret;
}

int rundir_open(struct rundir *dir, bool create)
{
	int ret;

	dir->fd = -1;
	dir->cause.id = CAUSE_NONE;
	default_path(dir->path, sizeof(dir->path));
	ret = check_path(dir);
	if (ret)
		return ret;
	if (create && mkdir(dir->path, 0700) && errno != EEXIST)
		return cause_set(&dir->cause, -errno, DIRECTORY_UNMADE,
				 .error = errno, .path = dir->path);
	return open_path(dir, geteuid());
}

int rundir_open_at(struct rundir *dir, const char *path)
{
	dir->cause.id = CAUSE_NONE;
	snprintf(dir->path, sizeof(dir->path), "%s", path);
	return open_path(dir, geteuid());
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

/* Returns true when the process's user namespace has no number for this
 * command's user: then the agent does not know the caller, and hangs up. */
static bool unknown_there(pid_t pid)
{
	unsigned long first, here, count;
	bool known = false;
	char path[32];
	FILE *map;

	snprintf(path, sizeof(path), "/proc/%d/uid_map", pid);
	map = fopen(path, "re");
	if (!map)
		return false;
	while (fscanf(map, "%lu %lu %lu", &first, &here, &count) == 3)
		known |= geteuid() >= here && geteuid() - here < count;
	fclose(map);
	return !known;
}

/* Connects; root, where it has no number, as the process's user. */
static int connect_as(int fd, const struct sockaddr_un *address,
		      const struct rundir_process *process)
{
	bool other = !geteuid() && process->uid &&
		     unknown_there(process->pid) && !seteuid(process->uid);
	int ret = 0;

	if (connect(fd, (const struct sockaddr *)address, sizeof(*address)))
		ret = -errno;
	if (other && seteuid(0))
		ret = -errno;
	return ret;
}

int rundir_connect(const struct rundir_process *process, const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct stat st;
	int inode, fd, ret = 0;

	inode = openat(process->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (inode < 0)
		return -errno;
	/* the same inode as checked below, and the path may be of any length */
	snprintf(address.sun_path, sizeof(address.sun_path),
		 "/proc/self/fd/%d", inode);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		ret = -errno;
	else if (fstat(inode, &st))
		ret = -errno;
	else if (!S_ISSOCK(st.st_mode) || st.st_uid != process->uid)
		ret = -EPERM;
	else
		ret = connect_as(fd, &address, process);
	close(inode);
	if (ret && fd >= 0)
		close(fd);
	return ret ? ret : fd;
}

/*
 * A process of another PID namespace that shares the directory looks dead by
 * its pid. Asks the socket: the kernel translates the listener's pid.
 */
static void look_through_socket(struct rundir_process *process)
{
	struct ucred cred;
	socklen_t bytes = sizeof(cred);
	int fd = rundir_connect(process, "control.sock");
	uint64_t starttime;

	if (fd == -EAGAIN) {
		process->alive = true;
		return;
	}
	if (fd < 0)
		return;
	if (!getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &bytes) &&
	    cred.pid > 0 && !rundir_starttime(&starttime, cred.pid)) {
		process->alive = true;
		process->pid = cred.pid;
		process->starttime = starttime;
		if (!rundir_is(cred.pid, process->identity))
			process->identity = 0;
	}
	close(fd);
}

/* Finds the newest image that has published a page, and the identity of the
 * process in it; takes image 0 when none has. */
static void take_newest(struct rundir_process *process)
{
	uint32_t images[RUNDIR_IMAGES_MAX];
	int n = rundir_images(process, images, RUNDIR_IMAGES_MAX);
	struct process_page page;
	int ret = -ENOENT;

	while (n-- > 0 && ret == -ENOENT) {
		ret = rundir_read_process(process, images[n], &page);
		process->image = images[n];
	}
	if (ret == -ENOENT)
		process->image = 0;
	if (ret)
		return;
	process->identity = page.identity;
	process->starttime = page.starttime;
}

/* Returns 0, or a negative errno when this is no process directory of the
 * runtime directory's user. */
static int open_process(struct rundir *dir, const char *name,
			struct rundir_process *process)
{
	struct stat st;
	uint64_t number;
	int ret = -EINVAL;

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
	if (fstat(process->fd, &st) || st.st_uid != dir->uid)
		goto fail;
	process->uid = st.st_uid;
	take_newest(process);
	/* the pid in the directory's name means nothing in another namespace */
	process->alive = ((!process->namespace ||
			   process->namespace == rundir_namespace(getpid())) &&
			  rundir_lives(process)) ||
			 rundir_nested(process);
	if (!process->alive)
		look_through_socket(process);
	if (!process->alive)
		process->alive = process->unseen = rundir_locked(process);
	return 0;
fail:
	rundir_process_close(process);
	return ret;
}

static int process_compare(const void *left, const void *right)
{
	const struct rundir_process *a = left, *b = right;

	if (a->alive != b->alive)
		return a->alive ? -1 : 1;
	if (a->starttime != b->starttime)
		return a->starttime < b->starttime ? -1 : 1;
	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

int rundir_each(struct rundir *dir,
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

	list->processes = NULL;
	list->count = 0;
	ret = rundir_each(dir, process_keep, list);
	if (ret) {
		rundir_list_free(list);
		return ret;
	}
	if (list->count)
		qsort(list->processes, list->count, sizeof(*list->processes),
		      process_compare);
	return 0;
}

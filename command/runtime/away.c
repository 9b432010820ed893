/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes that keep their files in a file system of a private mount
 * namespace. The files go with the last process of the namespace. A note in
 * sessions/, .away.PID.STARTTIME.NAME, says that session NAME was there, so
 * `snapshot` can say that the events are lost.
 *
 * Invariant: a note is for one process, by identity or start time. The pid is
 * of the PID namespace in which the note was made (the upper bits of
 * STARTTIME): only a command of that namespace may conclude that the process
 * has ended.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "command/common/inode.h"
#include "command/runtime/private.h"

#define AWAY_PREFIX	".away."

/* Returns true when the path that the process sees is the same here. */
static bool same_here(const struct rundir_process *process,
		      const struct stat *st)
{
	const char *path = strstr(process->path, "/root/");
	struct stat here;

	if (strncmp(process->path, "/proc/", 6) || !path)
		path = process->path;
	else
		path += strlen("/root");
	return !stat(path, &here) && inode_same(&here, st);
}

const char *rundir_shown(const struct rundir_process *process)
{
	const char *path = strstr(process->path, "/root/");
	struct stat st;

	return path && !strncmp(process->path, "/proc/", 6) &&
	       !fstat(process->fd, &st) && same_here(process, &st) ?
		       path + strlen("/root") : process->path;
}

bool rundir_away(const struct rundir_process *process)
{
	unsigned int wanted_major, wanted_minor, dev_major, dev_minor;
	bool here = false;
	char line[4096];
	struct stat st;
	FILE *f;

	if (fstat(process->fd, &st) || same_here(process, &st))
		return false;
	f = fopen("/proc/self/mountinfo", "re");
	if (!f)
		return false;
	wanted_major = major(st.st_dev);
	wanted_minor = minor(st.st_dev);
	while (!here && fgets(line, sizeof(line), f))
		here = sscanf(line, "%*d %*d %u:%u", &dev_major,
			      &dev_minor) == 2 &&
		       dev_major == wanted_major && dev_minor == wanted_minor;
	fclose(f);
	return !here;
}

int rundir_note_away(struct rundir *dir, const char *session,
		     const struct rundir_process *process)
{
	char name[NAME_MAX + 1];
	int fd, below, ret = 0;

	if (dir->fd < 0)
		return -ENOENT;
	below = rundir_open_rules(dir, true);
	if (below < 0)
		return below;
	snprintf(name, sizeof(name), AWAY_PREFIX "%d.%llu.%s", process->pid,
		 (unsigned long long)(PLACE_STARTTIME(process->starttime) |
				      rundir_namespace(getpid())), session);
	fd = openat(below, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK |
		    O_NOCTTY | O_CLOEXEC, 0600);
	if (fd < 0 || pwrite(fd, &process->identity, sizeof(process->identity),
			     0) != sizeof(process->identity))
		ret = errno ? -errno : -EIO;
	if (fd >= 0)
		close(fd);
	close(below);
	return ret;
}

size_t rundir_forget_away(struct rundir *dir, const char *session, bool all,
			  void (*call)(pid_t pid))
{
	struct rules_list list = { 0 };
	struct rundir_process process = { .fd = -1 };
	unsigned long long number;
	const ssize_t bytes = sizeof(process.identity);
	const char *name;
	size_t gone = 0;
	bool alive;
	int at, fd;

	while (dir->fd >= 0 && (name = rundir_rules_next(&list, dir, ""))) {
		at = 0;
		if (sscanf(name, AWAY_PREFIX "%d.%llu.%n", &process.pid,
			   &number, &at) != 2 || !at ||
		    strcmp(name + at, session))
			continue;
		fd = openat(dirfd(list.stream), name, O_RDONLY | O_NOFOLLOW |
			    O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		if (fd < 0 || pread(fd, &process.identity, bytes, 0) != bytes)
			process.identity = 0;
		if (fd >= 0)
			close(fd);
		process.starttime = PLACE_STARTTIME(number);
		/* a pid of another namespace means nothing here */
		alive = PLACE_NAMESPACE(number) != rundir_namespace(getpid()) ||
			rundir_lives(&process);
		if (alive && !all)
			continue;
		unlinkat(dirfd(list.stream), name, 0);
		if (!alive)
			gone++;
		if (!alive && call)
			call(process.pid);
	}
	return gone;
}

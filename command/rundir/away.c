/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes that keep their files in a file system of their own mount
 * namespace. The files are gone when the namespace's last process has ended. So
 * a note in sessions/, .away.PID.STARTTIME.NAME, says here that session NAME
 * was there, and `snapshot` can say that its events are lost.
 *
 * What must stay true here: a note is for one process, by pid and start time.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "command/rundir/private.h"
#include "control/protocol.h"

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
	return !stat(path, &here) && here.st_ino == st->st_ino &&
	       here.st_dev == st->st_dev;
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

static int open_sessions(const struct rundir *dir)
{
	struct stat st;
	int fd = dir->fd < 0 ? -1 :
		 openat(dir->fd, PROTOCOL_SESSIONS_DIR, O_RDONLY | O_DIRECTORY |
			O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 && (fstat(fd, &st) || st.st_uid != dir->uid ||
			(st.st_mode & 022))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

int rundir_note_away(struct rundir *dir, const char *session,
		     const struct rundir_process *process)
{
	char name[NAME_MAX + 1];
	int fd, below;

	if (dir->fd < 0)
		return -ENOENT;
	mkdirat(dir->fd, PROTOCOL_SESSIONS_DIR, 0700);
	below = open_sessions(dir);
	if (below < 0)
		return -EPERM;
	snprintf(name, sizeof(name), AWAY_PREFIX "%d.%llu.%s", process->pid,
		 (unsigned long long)process->starttime, session);
	fd = openat(below, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK |
		    O_NOCTTY | O_CLOEXEC, 0600);
	if (fd < 0)
		fd = -errno;
	else
		close(fd);
	close(below);
	return fd < 0 ? fd : 0;
}

size_t rundir_forget_away(struct rundir *dir, const char *session, bool all,
			  void (*call)(pid_t pid))
{
	int below = open_sessions(dir);
	DIR *stream = below < 0 ? NULL : rundir_opendir(below, ".");
	unsigned long long starttime;
	struct dirent *entry;
	size_t gone = 0;
	bool alive;
	int pid, at;

	while (stream && (entry = readdir(stream))) {
		at = 0;
		if (sscanf(entry->d_name, AWAY_PREFIX "%d.%llu.%n", &pid,
			   &starttime, &at) != 2 || !at ||
		    strcmp(entry->d_name + at, session))
			continue;
		alive = rundir_alive(pid, starttime);
		if (alive && !all)
			continue;
		unlinkat(below, entry->d_name, 0);
		if (!alive)
			gone++;
		if (!alive && call)
			call(pid);
	}
	if (stream)
		closedir(stream);
	if (below >= 0)
		close(below);
	return gone;
}

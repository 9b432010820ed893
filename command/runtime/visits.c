/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sessions/.visit.PID.STARTTIME: commands make sessions of their own in that
 * process (command/agents/visits.c). The file has a byte if one of them has
 * loaded the agent, so the last of them detaches it.
 *
 * Invariant: a command holds the lock on the file while it starts such a
 * session or ends one, so none loses the agent between the two. A command that
 * removes the file holds the lock, so the name is not of another file by then.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "command/common/monotonic.h"
#include "command/runtime/private.h"

#define VISIT_PREFIX		".visit."
#define VISIT_PAUSE_NS		2000000

int rundir_visit_lock(const struct rundir *dir, const char *process,
		      bool create, int wait_ms)
{
	static const struct timespec pause = { .tv_nsec = VISIT_PAUSE_NS };
	uint64_t end = monotonic_ns() + (uint64_t)wait_ms * 1000000;
	int below = rundir_open_rules(dir, create), fd = below;
	char file[NAME_MAX + 1];
	struct stat st;

	snprintf(file, sizeof(file), VISIT_PREFIX "%s", process);
	while (below >= 0) {
		fd = create ? openat(below, file, O_RDWR | O_CREAT | O_EXCL |
				     O_NOFOLLOW | O_CLOEXEC, 0600) : -1;
		/* root makes it for the directory's user */
		if (fd >= 0 && dir->uid != geteuid() &&
		    fchown(fd, dir->uid, -1)) {
			close(fd);
			unlinkat(below, file, 0);
			fd = -EPERM;
			break;
		}
		if (fd < 0)
			fd = rundir_open_own(below, file, O_RDWR, dir->uid);
		/* removed between two looks, it is made again */
		if (fd < 0 && (fd != -ENOENT || !create))
			break;
		if (fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB)) {
			if (!fstat(fd, &st) && st.st_nlink)
				break;
			close(fd);
			continue;
		}
		if (fd >= 0)
			close(fd);
		fd = -EBUSY;
		if (monotonic_ns() >= end)
			break;
		nanosleep(&pause, NULL);
	}
	if (below >= 0)
		close(below);
	return fd;
}

bool rundir_visit_loaded(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_size;
}

int rundir_visit_note(int fd, bool loaded)
{
	if (loaded)
		return pwrite(fd, "1", 1, 0) == 1 ? 0 : -errno;
	return ftruncate(fd, 0) ? -errno : 0;
}

void rundir_visit_remove(const struct rundir *dir, const char *process)
{
	int below = rundir_open_rules(dir, false);
	char file[NAME_MAX + 1];

	snprintf(file, sizeof(file), VISIT_PREFIX "%s", process);
	if (below < 0)
		return;
	unlinkat(below, file, 0);
	close(below);
}

bool rundir_visited(const struct rundir *dir)
{
	int below = rundir_open_rules(dir, false);
	DIR *stream = below < 0 ? NULL : rundir_opendir(below, ".");
	struct dirent *entry;
	bool found = false;

	while (stream && !found && (entry = readdir(stream)))
		found = !strncmp(entry->d_name, VISIT_PREFIX,
				 strlen(VISIT_PREFIX));
	if (stream)
		closedir(stream);
	if (below >= 0)
		close(below);
	return found;
}

void rundir_visit_sweep(const struct rundir *dir)
{
	const size_t prefix = strlen(VISIT_PREFIX);
	int below = rundir_open_rules(dir, false);
	DIR *stream = below < 0 ? NULL : rundir_opendir(below, ".");
	struct dirent *entry;
	struct stat st;
	int fd;

	while (stream && (entry = readdir(stream))) {
		if (strncmp(entry->d_name, VISIT_PREFIX, prefix) ||
		    !fstatat(dir->fd, entry->d_name + prefix, &st,
			     AT_SYMLINK_NOFOLLOW))
			continue;
		/* a command that has just loaded the agent holds it */
		fd = rundir_visit_lock(dir, entry->d_name + prefix, false, 0);
		if (fd < 0)
			continue;
		unlinkat(below, entry->d_name, 0);
		close(fd);
	}
	if (stream)
		closedir(stream);
	if (below >= 0)
		close(below);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sessions/.visit.PID.STARTTIME: commands make sessions of their own in that
 * process (command/agents/visits.c). The file begins with "1" if one of them
 * has loaded the agent, so the last of them detaches it. While a command loads
 * the agent, the file also has the numbers and start times of the process and
 * of the command, and the PID namespace of these numbers.
 *
 * Invariants:
 *  - a command holds the lock on the file while it loads the agent for such a
 *    session, starts the session or ends it, so none loses the agent between
 *    the two. A file with a number and without a lock was left by a command
 *    that was killed;
 *  - a command that removes the file holds the lock, so the name is not of
 *    another file by then.
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
#define VISIT_LOAD		"1 %d %llu %d %llu %llu\n"
#define VISIT_BYTES		128
#define VISIT_LEFT_MS		3000	/* for a stop, which outlives its
					 * command (command/attach/stop.c) */

/* A load that a command has begun, as its file tells. */
struct load {
	pid_t pid, command;
	unsigned long long starttime, command_starttime;
};

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
	if (loaded && pwrite(fd, "1", 1, 0) != 1)
		return -errno;
	return ftruncate(fd, loaded) ? -errno : 0;
}

int rundir_visit_begin(int fd, pid_t pid)
{
	uint64_t starttime, command;
	int ret = rundir_starttime(&starttime, pid);

	if (!ret)
		ret = rundir_starttime(&command, getpid());
	if (!ret && dprintf(fd, VISIT_LOAD, pid, (unsigned long long)starttime,
			    getpid(), (unsigned long long)command,
			    (unsigned long long)rundir_namespace(getpid())) < 0)
		ret = -errno;
	return ret;
}

/* Returns false if the file tells of no load, or of numbers of another PID
 * namespace. */
static bool load_read(int fd, struct load *load)
{
	unsigned long long namespace;
	char text[VISIT_BYTES] = "";

	return pread(fd, text, sizeof(text) - 1, 0) > 0 &&
	       sscanf(text, VISIT_LOAD, &load->pid, &load->starttime,
		      &load->command, &load->command_starttime,
		      &namespace) == 5 &&
	       namespace == rundir_namespace(getpid());
}

pid_t rundir_visit_begun(int fd)
{
	struct load load;

	return load_read(fd, &load) && rundir_alive(load.pid, load.starttime) ?
		       load.pid : 0;
}

/* Locks a file that no command at work has. That is also one whose command has
 * been killed while a thread of the process was stopped: a child of the command
 * then has the file for a moment. Returns a descriptor or a negative errno. */
static int lock_left(const struct rundir *dir, int below, const char *file)
{
	const char *process = file + strlen(VISIT_PREFIX);
	int fd = rundir_visit_lock(dir, process, false, 0), look;
	struct load load;
	bool left;

	if (fd != -EBUSY)
		return fd;
	look = rundir_open_own(below, file, O_RDONLY, dir->uid);
	left = look >= 0 && load_read(look, &load) &&
	       !rundir_alive(load.command, load.command_starttime);
	if (look >= 0)
		close(look);
	return left ? rundir_visit_lock(dir, process, false, VISIT_LEFT_MS) :
		      fd;
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
	struct rules_list list = { 0 };
	bool found = rundir_rules_next(&list, dir, VISIT_PREFIX);

	rundir_rules_end(&list);
	return found;
}

void rundir_visits_each(const struct rundir *dir,
			void (*call)(const struct rundir *dir,
				     const char *process, int fd))
{
	struct rules_list list = { 0 };
	const char *name;
	int fd;

	while ((name = rundir_rules_next(&list, dir, VISIT_PREFIX))) {
		fd = lock_left(dir, dirfd(list.stream),
			       name - strlen(VISIT_PREFIX));
		if (fd < 0)
			continue;
		call(dir, name, fd);
		close(fd);
	}
}

/* Removes the file if the process has no directory, and no command has been
 * killed while it loaded the agent. */
static void visit_drop(const struct rundir *dir, const char *process, int fd)
{
	struct stat st;

	if (fstatat(dir->fd, process, &st, AT_SYMLINK_NOFOLLOW) &&
	    !rundir_visit_begun(fd))
		rundir_visit_remove(dir, process);
}

void rundir_visit_sweep(const struct rundir *dir)
{
	rundir_visits_each(dir, visit_drop);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes of PID namespaces below ours that share the runtime directory, such
 * as containers and sandboxes. The names of their directories have the pids of
 * their own namespace, which mean nothing here. The kernel tells both pids
 * (NSpid), and the start time is the same. In a time namespace the start time
 * differs by a known offset; where the kernel does not tell the offset, the
 * page that the process maps identifies it. The directory's name also has the
 * namespace, so two processes of the same pid and start time are told apart.
 *
 * Invariant: a process that lives is found. /proc is searched only for a
 * directory that another PID namespace than ours may have made. It is searched
 * once for many directories of dead processes, and again for each directory
 * that is not older than the search: the process may have begun after the
 * search.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/sys.h"
#include "command/procfs/process.h"
#include "command/procfs/threads.h"
#include "command/runtime/private.h"

/* The clock of a file system may lag by this much. */
#define CLOCK_TICK_NS	50000000

/* Of the processes that the last search found, with another pid in their own
 * PID namespace than here. */
struct nested {
	pid_t pid;	/* here */
	pid_t inner;	/* in the namespace of the process */
};

static struct nested *known;
static size_t known_count;
static int64_t known_since;	/* when the search began, by CLOCK_REALTIME; 0
				 * without a search */

static int64_t time_ns(const struct timespec *t)
{
	return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

/* Returns the inode of a file of /proc/PID, as that of a namespace; 0: it
 * cannot be seen. */
static ino_t inode_of(pid_t pid, const char *file)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	return stat(path, &st) ? 0 : st.st_ino;
}

uint64_t rundir_namespace(pid_t pid)
{
	ino_t inode = inode_of(pid, "ns/pid");

	return inode ? place_namespace(inode) : 0;
}

bool rundir_take_numbers(struct rundir_process *process, pid_t pid)
{
	uint64_t starttime;

	if (rundir_starttime(&starttime, pid))
		return false;
	process->pid = pid;
	process->starttime = starttime;
	if (!rundir_is(pid, process->identity))
		process->identity = 0;
	return true;
}

/* Reads the offset that the process's time namespace adds to start times. The
 * kernel tells the offset for the children's namespace, which differs from the
 * process's own after unshare(2). */
static bool boot_offset(pid_t pid, int64_t *ns)
{
	struct timespec offset;
	bool found = false;
	char line[128];
	FILE *f;

	if (inode_of(pid, "ns/time") != inode_of(pid, "ns/time_for_children"))
		return false;
	f = process_stream(pid, 0, "timens_offsets");
	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, "boottime %ld %ld", &offset.tv_sec,
			       &offset.tv_nsec) == 2;
	if (f)
		fclose(f);
	if (found)
		*ns = time_ns(&offset);
	return found;
}

/* Returns true when the candidate is the process of this directory, and then
 * gives the process the numbers that it has here. `end` is the end of the path
 * of its page. */
static bool take_candidate(struct rundir_process *process, pid_t pid,
			   pid_t inner, const char *end)
{
	const int64_t tick = 1000000000 / sysconf(_SC_CLK_TCK);
	char line[PATH_MAX + 128];
	int64_t theirs, ours, early;
	uint64_t starttime, namespace, inode;
	struct stat page;
	bool is;
	int identity;
	FILE *f;

	if (inner != process->pid || rundir_starttime(&starttime, pid))
		return false;
	namespace = process->namespace ? rundir_namespace(pid) : 0;
	if (namespace && namespace != process->namespace)
		return false;
	identity = rundir_is(pid, process->identity);
	is = identity > 0 || (identity < 0 && starttime == process->starttime);
	/* by the clock of another time namespace */
	if (!is && identity < 0 && boot_offset(pid, &theirs) &&
	    boot_offset(getpid(), &ours) && theirs != ours) {
		early = (int64_t)(process->starttime - starttime) -
			(theirs - ours) / tick;
		is = early >= -1 && early <= 1;
	}
	/* a restored checkpoint has another identity: the page that it maps
	 * tells. The device is not compared: for file systems with volumes or
	 * layers, maps may show another device than stat(2). */
	if (!is && !fstatat(process->fd, end + strlen(process->name) + 2,
			    &page, AT_SYMLINK_NOFOLLOW)) {
		f = process_stream(pid, 0, "maps");
		while (f && !is && fgets(line, sizeof(line), f))
			is = sscanf(line, "%*x-%*x %*s %*x %*x:%*x %" SCNu64,
				    &inode) == 1 &&
			     inode == page.st_ino && strstr(line, end);
		if (f)
			fclose(f);
	}
	if (!is)
		return false;
	return rundir_take_numbers(process, pid);
}

/* Returns true when the process is of our PID namespace: its pid here is that
 * of the directory's name. An agent without /proc knows neither the namespace
 * nor a start time. */
static bool is_ours(const struct rundir_process *process)
{
	static uint64_t ours;
	static bool read;

	if (!read) {
		read = inode_of(getpid(), "ns/pid");
		ours = rundir_namespace(getpid());
	}
	return read && process->starttime && process->namespace == ours;
}

bool rundir_nested(struct rundir_process *process)
{
	char end[NAME_MAX + 32];
	struct stat directory;

	if (fstat(process->fd, &directory))
		return false;
	snprintf(end, sizeof(end), "/%s/%u/process", process->name,
		 process->image);
	/* it may be in our PID namespace, and in another time namespace */
	if (take_candidate(process, process->pid, process->pid, end))
		return true;
	if (is_ours(process))
		return false;
	if (time_ns(&directory.st_ctim) + CLOCK_TICK_NS > known_since) {
		struct nested *more, found;
		DIR *list;

		/* processes of PID namespaces below ours; without memory,
		 * the list ends early */
		/* the time first: a process that begins now may be missed */
		known_since = sys_clock_ns(CLOCK_REALTIME);
		known_count = 0;
		list = processes_open();
		while ((found.pid = threads_next(list))) {
			found.inner = process_inner_pid(found.pid);
			if (found.inner == found.pid)
				continue;
			more = reallocarray(known, known_count + 1,
					    sizeof(*known));
			if (!more)
				break;
			known = more;
			known[known_count++] = found;
		}
		threads_close(list);
	}
	for (size_t i = 0; i < known_count; i++)
		if (take_candidate(process, known[i].pid, known[i].inner, end))
			return true;
	return false;
}

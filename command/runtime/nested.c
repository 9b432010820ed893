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
 * Invariant: a process that lives is found. /proc is searched once
 * for many directories of dead processes, and again for each directory that is
 * not older than the search: the process may have begun after the search.
 */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "command/runtime/rundir.h"

/* The clock of a file system may lag by this much. */
#define CLOCK_TICK_NS	50000000

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

/* Returns the pid in the process's own namespace; 0: that is ours. */
static pid_t inner_pid(pid_t pid)
{
	char path[32], line[512], *first, *last;
	pid_t inner = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, "NSpid:", 6))
			continue;
		first = strchr(line, '\t');
		last = strrchr(line, '\t');
		if (first && last != first)
			inner = atoi(last + 1);
		break;
	}
	if (f)
		fclose(f);
	return inner;
}

static void nested_search(void)
{
	struct nested *more, found;
	struct dirent *entry;
	struct timespec now;
	DIR *proc;

	clock_gettime(CLOCK_REALTIME, &now);
	known_since = time_ns(&now);
	known_count = 0;
	proc = opendir("/proc");
	while (proc && (entry = readdir(proc))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		found.pid = atoi(entry->d_name);
		found.inner = inner_pid(found.pid);
		if (!found.inner)
			continue;
		more = reallocarray(known, known_count + 1, sizeof(*known));
		if (!more)
			break;
		known = more;
		known[known_count++] = found;
	}
	if (proc)
		closedir(proc);
}

/* Returns true when the process maps the file with this inode and this end of
 * its path. The device is not compared: for file systems with volumes or
 * layers, maps may show another device than stat(2). */
static bool process_maps(pid_t pid, uint64_t wanted, const char *end)
{
	char path[32], line[PATH_MAX + 128];
	bool found = false;
	uint64_t inode;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "re");
	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%*x-%*x %*s %*x %*x:%*x %" SCNu64,
			       &inode) == 1 &&
			inode == wanted && strstr(line, end);
	if (f)
		fclose(f);
	return found;
}

static ino_t inode_of(pid_t pid, const char *file)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	return stat(path, &st) ? 0 : st.st_ino;
}

/* Reads the offset that the process's time namespace adds to start times. The
 * kernel tells the offset for the children's namespace, which differs from the
 * process's own after unshare(2). */
static bool boot_offset(pid_t pid, int64_t *ns)
{
	struct timespec offset;
	char path[64], line[128];
	bool found = false;
	FILE *f;

	if (inode_of(pid, "ns/time") != inode_of(pid, "ns/time_for_children"))
		return false;
	snprintf(path, sizeof(path), "/proc/%d/timens_offsets", pid);
	f = fopen(path, "re");
	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, "boottime %ld %ld", &offset.tv_sec,
			       &offset.tv_nsec) == 2;
	if (f)
		fclose(f);
	if (found)
		*ns = time_ns(&offset);
	return found;
}

/* Returns true when the candidate's start time, by the clock of that time
 * namespace, is the directory's. `starttime` is by our clock. */
static bool began_at(const struct rundir_process *process, pid_t pid,
		     uint64_t starttime)
{
	const int64_t tick = 1000000000 / sysconf(_SC_CLK_TCK);
	int64_t theirs, ours, early;

	if (!boot_offset(pid, &theirs) || !boot_offset(getpid(), &ours) ||
	    theirs == ours)
		return false;
	early = (int64_t)(process->starttime - starttime) -
		(theirs - ours) / tick;
	return early >= -1 && early <= 1;
}

uint64_t rundir_namespace(pid_t pid)
{
	ino_t inode = inode_of(pid, "ns/pid");

	return inode ? place_namespace(inode) : 0;
}

/* Returns true when the candidate is the process of this directory. `end` is
 * the end of its page's path. */
static bool is_candidate(const struct rundir_process *process,
			 const struct nested *candidate, const char *end,
			 uint64_t *starttime)
{
	struct stat page;
	uint64_t namespace;
	int identity;

	if (candidate->inner != process->pid ||
	    rundir_starttime(starttime, candidate->pid))
		return false;
	namespace = process->namespace ? rundir_namespace(candidate->pid) : 0;
	if (namespace && namespace != process->namespace)
		return false;
	identity = rundir_is(candidate->pid, process->identity);
	if (identity > 0 ||
	    (identity < 0 &&
	     (*starttime == process->starttime ||
	      began_at(process, candidate->pid, *starttime))))
		return true;
	/* a restored checkpoint has another identity */
	return !fstatat(process->fd, end + strlen(process->name) + 2, &page,
			AT_SYMLINK_NOFOLLOW) &&
	       process_maps(candidate->pid, page.st_ino, end);
}

/* Takes the numbers that the process has here. */
static void numbers_take(struct rundir_process *process, pid_t pid,
			 uint64_t starttime)
{
	process->pid = pid;
	process->starttime = starttime;
	if (!rundir_is(pid, process->identity))
		process->identity = 0;
}

bool rundir_nested(struct rundir_process *process)
{
	const struct nested same = { process->pid, process->pid };
	char end[NAME_MAX + 32];
	struct stat directory;
	uint64_t starttime;

	if (fstat(process->fd, &directory))
		return false;
	if (time_ns(&directory.st_ctim) + CLOCK_TICK_NS > known_since)
		nested_search();
	snprintf(end, sizeof(end), "/%s/%u/process", process->name,
		 process->image);
	/* it may be in our PID namespace, and in another time namespace */
	if (is_candidate(process, &same, end, &starttime)) {
		numbers_take(process, process->pid, starttime);
		return true;
	}
	for (size_t i = 0; i < known_count; i++) {
		if (!is_candidate(process, &known[i], end, &starttime))
			continue;
		numbers_take(process, known[i].pid, starttime);
		return true;
	}
	return false;
}

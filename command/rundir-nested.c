/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes of PID namespaces below ours that share the runtime directory, as
 * those of containers and sandboxes do. Their directories have the numbers that
 * they have there, by which nothing is found here. What tells them is the file
 * that they map: their page.
 *
 * /proc is searched for such processes when the last search is a moment old, so
 * that a directory with a thousand dead processes costs one.
 */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

#include "command/rundir.h"

#define FRESH_MS	20

struct nested {
	pid_t pid;	/* here */
	pid_t inner;	/* in the namespace of its own */
};

static struct nested *known;
static size_t known_count;
static int64_t known_since;	/* ms; 0: never */

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* The number in its own namespace; 0: that is ours. */
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

static void search(void)
{
	struct nested *more, found;
	struct dirent *entry;
	DIR *proc;

	if (known_since && now_ms() - known_since < FRESH_MS)
		return;
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
	known_since = now_ms();
}

static bool maps(pid_t pid, const struct stat *page)
{
	unsigned int major, minor;
	char path[32], line[512];
	bool found = false;
	uint64_t inode;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "re");
	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%*x-%*x %*s %*x %x:%x %" SCNu64, &major,
			       &minor, &inode) == 3 &&
			inode == page->st_ino &&
			makedev(major, minor) == page->st_dev;
	if (f)
		fclose(f);
	return found;
}

bool rundir_nested(struct rundir_process *process)
{
	char name[32];
	struct stat page;
	uint64_t starttime;

	snprintf(name, sizeof(name), "%u/process", process->image);
	if (fstatat(process->fd, name, &page, AT_SYMLINK_NOFOLLOW))
		return false;
	search();
	for (size_t i = 0; i < known_count; i++) {
		if (known[i].inner != process->pid ||
		    rundir_starttime(&starttime, known[i].pid) ||
		    !maps(known[i].pid, &page))
			continue;
		process->pid = known[i].pid;
		process->starttime = starttime;
		return true;
	}
	return false;
}

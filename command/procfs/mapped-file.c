/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where this command finds the files that a process has mapped. See
 * mapped-file.h.
 */
#include "command/procfs/mapped-file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/common/inode.h"
#include "command/procfs/process.h"
#include "command/sandbox/opener.h"

#define CHECKPOINT	40	/* CAP_CHECKPOINT_RESTORE, since Linux 5.9 */

const char *process_path_inside(pid_t pid, const char *path)
{
	char link[32], root[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/root", pid);
	n = readlink(link, root, sizeof(root));
	if (n <= 0 || n == sizeof(root) || root[0] != '/')
		return NULL;
	if (n == 1)
		return path;
	return !strncmp(path, root, (size_t)n) && path[n] == '/' ? path + n :
								   NULL;
}

/* Returns `way` when the path names the mapped file; PROCESS_WAY_SILENT when
 * the file system does not tell. */
static enum process_way way_by_path(const char *path,
				    const struct process_mapping *m,
				    enum process_way way)
{
	struct stat st;
	int ret = opener_stat(path, &st);

	if (ret)
		return ret == -ETIMEDOUT ? PROCESS_WAY_SILENT :
					   PROCESS_WAY_NONE;
	/* file systems with volumes may show another device in maps */
	return S_ISREG(st.st_mode) && st.st_ino == m->inode ? way :
							      PROCESS_WAY_NONE;
}

/* Writes the path below that root directory. Returns 0, or -ENAMETOOLONG: the
 * search goes on. */
static int reach_beside(const char *root, const char *inside, void *arg)
{
	return snprintf(arg, PROCESS_FILE_BYTES, "%s%s", root, inside) <
			       PROCESS_FILE_BYTES ? 0 : -ENAMETOOLONG;
}

enum process_way process_file(char path[PROCESS_FILE_BYTES], pid_t pid,
			      const struct process_mapping *m)
{
	const char *inside = process_path_inside(pid, m->path);
	char name[PATH_MAX];
	enum process_way way;
	ssize_t n;

	if (inside)
		snprintf(path, PROCESS_FILE_BYTES, "/proc/%d/root%s", pid,
			 inside);
	/* else the process has changed the root directory since */
	else
		snprintf(path, PROCESS_FILE_BYTES, "%s", m->path);
	way = way_by_path(path, m, PROCESS_WAY_NAME);
	/* the kernel opens the very file that is executed, whatever became of
	 * the name */
	if (!way) {
		snprintf(path, PROCESS_FILE_BYTES, "/proc/%d/exe", pid);
		n = readlink(path, name, sizeof(name));
		if (n > 0 && (size_t)n == strlen(m->path) &&
		    !memcmp(name, m->path, (size_t)n))
			way = way_by_path(path, m, PROCESS_WAY_NAME);
	}
	if (!way && !inside &&
	    !process_each_beside(pid, m->path, reach_beside, path))
		way = way_by_path(path, m, PROCESS_WAY_NAME);
	if (way)
		return way;
	snprintf(path, PROCESS_FILE_BYTES, "/proc/%d/map_files/%" PRIx64
		 "-%" PRIx64, pid, m->start, m->end);
	return way_by_path(path, m, PROCESS_WAY_MAPPING);
}

bool process_opens_mappings(pid_t pid)
{
	return !process_namespace_differs(pid, "user") &&
	       (process_capable(pid, CAP_SYS_ADMIN) ||
		process_capable(pid, CHECKPOINT));
}

int process_each_beside(pid_t pid, const char *path,
			int (*call)(const char *root, const char *path,
				    void *arg),
			void *arg)
{
	const char *inside;
	struct dirent *entry;
	struct stat wanted, st;
	char root[32];
	int ret = -ENOENT;
	DIR *proc;

	snprintf(root, sizeof(root), "/proc/%d/ns/mnt", pid);
	if (stat(root, &wanted))
		return ret;
	proc = opendir("/proc");
	while (ret && proc && (entry = readdir(proc))) {
		pid_t other = atoi(entry->d_name);

		if (!isdigit((unsigned char)entry->d_name[0]) || other == pid)
			continue;
		snprintf(root, sizeof(root), "/proc/%d/ns/mnt", other);
		if (stat(root, &st) || !inode_same(&st, &wanted))
			continue;
		inside = process_path_inside(other, path);
		if (!inside)
			continue;
		snprintf(root, sizeof(root), "/proc/%d/root", other);
		ret = call(root, inside, arg);
	}
	if (proc)
		closedir(proc);
	return ret;
}

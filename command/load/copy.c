/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A copy of a probe library for a process that has another file system: in the
 * /tmp there, for the moment in which the library is loaded.
 *
 * Invariant: the process may own that file system. So no path there is reached
 * through a symbolic link, and no file that is there is written.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/load/libraries.h"
#include "control/request.h"

#define TRIES	100

/* Opens the process's /tmp. */
static int tmp_open(pid_t pid)
{
	char path[32];
	int root, fd;

	snprintf(path, sizeof(path), "/proc/%d/root", pid);
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -1;
	fd = openat(root, "tmp", O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
				 O_CLOEXEC);
	close(root);
	return fd;
}

/* Makes a directory of our own, and opens it. */
static int directory_make(struct load_copy *copy)
{
	for (int i = 0; i < TRIES; i++) {
		snprintf(copy->directory, sizeof(copy->directory),
			 REQUEST_COPY_PREFIX "%d.%d", getpid(), i);
		if (!mkdirat(copy->tmp, copy->directory, 0755)) {
			copy->made = openat(copy->tmp, copy->directory,
					    O_RDONLY | O_DIRECTORY |
					    O_NOFOLLOW | O_CLOEXEC);
			return copy->made < 0 ? -1 :
						fchmod(copy->made, 0755);
		}
		if (errno != EEXIST)
			break;
	}
	copy->directory[0] = '\0';
	return -1;
}

static int file_make(const struct load_copy *copy, const char *file)
{
	int from = open(file, O_RDONLY | O_CLOEXEC);
	int to = from < 0 ? -1 :
		 openat(copy->made, copy->name, O_WRONLY | O_CREAT | O_EXCL |
						O_NOFOLLOW | O_CLOEXEC, 0700);
	ssize_t n = -1;
	int ret;

	while (to >= 0 && (n = sendfile(to, from, NULL, 1u << 20)) > 0)
		;
	ret = n < 0 ? -1 : fchmod(to, 0755);
	/* a file that is open for writing is not mapped to be executed */
	if (to >= 0 && close(to))
		ret = -1;
	if (from >= 0)
		close(from);
	return ret;
}

int load_copy_make(struct load_copy *copy, pid_t pid, const char *file,
		   char path[PATH_MAX])
{
	const char *name = strrchr(file, '/');
	int ret;

	*copy = (struct load_copy){ .tmp = tmp_open(pid), .made = -1 };
	snprintf(copy->name, sizeof(copy->name), "%s", name ? name + 1 : file);
	if (copy->tmp >= 0 && !directory_make(copy) && !file_make(copy, file)) {
		snprintf(path, PATH_MAX, "/tmp/%s/%s", copy->directory,
			 copy->name);
		return 0;
	}
	ret = -errno;
	load_copy_remove(copy);
	return ret;
}

void load_copy_remove(struct load_copy *copy)
{
	if (copy->made >= 0) {
		unlinkat(copy->made, copy->name, 0);
		close(copy->made);
	}
	if (copy->tmp >= 0) {
		if (copy->directory[0])
			unlinkat(copy->tmp, copy->directory, AT_REMOVEDIR);
		close(copy->tmp);
	}
	copy->made = copy->tmp = -1;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The runtime directory of a running process: where its agent's files are, or
 * where an agent that is loaded later would make them.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "buffers/layout.h"
#include "command/doctor/private.h"
#include "command/process/process.h"

#define OTHERS_MAY	0011	/* search, where a group was let in */

/* Writes the path by which this command reaches what the process has there. */
static void seen(char to[PATH_MAX + 32], const struct doctor *d,
		 const char *path)
{
	snprintf(to, PATH_MAX + 32, "/proc/%d/root%s", d->pid, path);
}

/* Returns true when the process may make files in a directory. */
static bool may_write(const struct doctor *d, const char *path,
		      const struct stat *st)
{
	long uid = process_euid(d->pid);
	struct statvfs fs;

	if (!statvfs(path, &fs) && fs.f_flag & ST_RDONLY)
		return false;
	if (process_capable(d->pid, CAP_DAC_OVERRIDE) &&
	    !process_namespace_differs(d->pid, "user"))
		return true;
	if (uid == (long)st->st_uid)
		return (st->st_mode & 0300) == 0300;
	return (st->st_mode & 0003) == 0003 || (st->st_mode & 0030) == 0030;
}

static void found_bad(struct finding *f, const char *path, const char *why)
{
	found_as(f, DOCTOR_NO, "%s: %s", path, why);
	found_remedy(f, "make that directory a private one (mode 0700) of the "
		     "process's user, or start the program with another "
		     "TAFFRAIL_DIR");
}

/* Judges the directory in which the first file would be made: `path` itself, or
 * the one above it. Returns it open, or -1. */
static int look_above(const struct doctor *d, struct finding *f,
		      const char *path)
{
	char here[PATH_MAX + 32], *slash;
	struct stat st;

	seen(here, d, path);
	if (lstat(here, &st)) {
		slash = strrchr(here, '/');
		slash[slash == strchr(here, '/')] = '\0';
		if (stat(here, &st) || !S_ISDIR(st.st_mode)) {
			found_bad(f, path, errno == ENOENT ?
				  "a directory above it does not exist" :
				  "a part of the path is not a directory");
			return -1;
		}
	} else if (!S_ISDIR(st.st_mode)) {
		found_bad(f, path, "it is not a directory");
		return -1;
	} else if ((long)st.st_uid != process_euid(d->pid) &&
		   process_euid(d->pid) >= 0) {
		found_bad(f, path, "it belongs to another user");
		return -1;
	} else if (st.st_mode & 077 & ~OTHERS_MAY) {
		found_bad(f, path, "it is open to others");
		return -1;
	}
	if (!may_write(d, here, &st)) {
		found_bad(f, path, "the process may not write there");
		return -1;
	}
	return open(here, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Looks where an agent that is not there yet would make its files. */
static void look_future(struct doctor *d, struct finding *f)
{
	char path[PATH_MAX];
	int fd;

	if (d->gone || d->attach || (d->found != -ENXIO && d->found != -ECHILD)
	    || rundir_chosen(path, d->pid))
		return;
	if (path[0] != '/') {
		found_bad(f, path, "TAFFRAIL_DIR is not an absolute path");
		return;
	}
	if (strlen(path) >= PROCESS_DIR_BYTES) {
		found_bad(f, path, "the path has 200 bytes or more");
		return;
	}
	fd = look_above(d, f, path);
	if (fd < 0)
		return;
	found_room(f, fd, path);
	close(fd);
}

/* Returns true when the agent does not find its files by its own path. */
static bool moved(const struct doctor *d)
{
	char path[2 * PATH_MAX], here[PATH_MAX + 32];
	struct stat found, named;

	if (!d->page.runtime[0])
		return false;
	seen(here, d, d->page.runtime);
	snprintf(path, sizeof(path), "%s/%s", here, d->process.name);
	return !fstat(d->process.fd, &found) &&
	       (stat(path, &named) ? errno == ENOENT || errno == ENOTDIR :
				     found.st_ino != named.st_ino ||
				     found.st_dev != named.st_dev);
}

/* Returns true when the files are outside of the process's root directory, in
 * which rundir_find() looks first. */
static bool elsewhere(const struct doctor *d)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/task/", d->pid);
	return strncmp(d->process.path, path, strlen(path)) != 0;
}

/* Returns true when the agent may not make files where its first ones are. */
static bool given_up(const struct doctor *d)
{
	struct stat st;

	return !fstat(d->process.fd, &st) &&
	       !may_write(d, d->process.path, &st);
}

void look_place(struct doctor *d, struct finding *f)
{
	const char *is = rundir_shown(&d->process);

	if (!d->page.magic) {
		look_future(d, f);
		return;
	}
	d->page.runtime[sizeof(d->page.runtime) - 1] = '\0';
	if (moved(d) && elsewhere(d)) {
		found_as(f, DOCTOR_NO, "its files are in %s: the program has "
			 "changed its root directory, and does not see them: a "
			 "session cannot begin", is);
		found_remedy(f, "record it from its start (taffrail record -- "
			     "PROGRAM)");
		return;
	}
	if (moved(d)) {
		found_as(f, DOCTOR_NO, "its files are in %s, and not in %s, "
			 "where they were made: it was renamed, or another "
			 "directory has its name", is, d->page.runtime);
		found_remedy(f, "rename it back, or start the program again");
		return;
	}
	if (given_up(d)) {
		found_as(f, DOCTOR_NO, "%s: the program has changed its user, "
			 "and may make no files there: a session cannot begin",
			 is);
		found_remedy(f, "record it from its start (taffrail record -- "
			     "PROGRAM), or start it as the user that it becomes");
		return;
	}
	found_room(f, d->process.fd, is);
	if (!rundir_away(&d->process))
		return;
	f->state = DOCTOR_LIMITED;
	found_remedy(f, "take snapshots while it lives: its buffers go with "
		     "its mount namespace");
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A made-up /proc, and cgroups: the files proc/... and sys/... of made.h. The
 * linker leads the calls that name a path to the functions below (--wrap,
 * testsuite/local.mk), which open those files for paths that begin so. So code
 * of the command needs no other root for the tests.
 */
#ifndef TESTSUITE_COMMAND_PROC_H
#define TESTSUITE_COMMAND_PROC_H

#include <dirent.h>
#include <stdarg.h>

#include "testsuite/unit/command/made.h"

static inline const char *proc_path(const char *path)
{
	return *made_root && ((!strncmp(path, "/proc", 5) &&
			       (!path[5] || path[5] == '/')) ||
			      !strncmp(path, "/sys/fs/cgroup/", 15)) ?
		       made_path(path + 1) : path;
}

#define PROC_CALL(result, name, arguments, passed)			\
	result __real_##name arguments;					\
	result __wrap_##name arguments;					\
	result __wrap_##name arguments					\
	{								\
		return __real_##name passed;				\
	}

PROC_CALL(FILE *, fopen, (const char *path, const char *mode),
	  (proc_path(path), mode))
PROC_CALL(DIR *, opendir, (const char *path), (proc_path(path)))
PROC_CALL(int, access, (const char *path, int mode), (proc_path(path), mode))
PROC_CALL(int, stat, (const char *path, struct stat *st),
	  (proc_path(path), st))
PROC_CALL(int, lstat, (const char *path, struct stat *st),
	  (proc_path(path), st))
PROC_CALL(ssize_t, readlink, (const char *path, char *to, size_t room),
	  (proc_path(path), to, room))

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = flags & O_CREAT ? (mode_t)va_arg(ap, int) : 0;
	va_end(ap);
	return __real_open(proc_path(path), flags, mode);
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks whether LD_PRELOAD can bring an agent into a file that is about to be
 * executed. See executable.c.
 */
#ifndef TRACEPOINTS_PROGRAM_EXECUTABLE_H
#define TRACEPOINTS_PROGRAM_EXECUTABLE_H

#include <stdbool.h>

#include "buffers/layout.h"

#define IMAGE_PATH_BYTES	512

struct image {
	/* as for execve(2) and similar calls; `search`: the environment in
	 * whose PATH to search as execvp(3) does; no path: the file is the
	 * descriptor's */
	int fd;
	const char *path;
	char *const *search;
	int flags;			/* of execveat(2) */
	/* the results */
	enum lacking_why why;		/* LACKING_NOT also if unknown */
	int withhold;			/* its dynamic linker would complain of
					 * the library */
	bool preloads;			/* it brings the library in */
	bool unfiltered;		/* exec.c: it begins under no filter */
	char found[IMAGE_PATH_BYTES];	/* file's path; "": cannot be read */
};

/*
 * Fills in the results, for a program that gets `environment`. A file that
 * cannot be read, or is no program, is unknown. Makes system calls: openat,
 * pread64, close, access, fstat; for a descriptor readlink; for a file that is
 * set-user-ID or set-group-ID getuid, getgid, fstatfs, prctl. Uses a descriptor
 * while it looks. SIGSAFE.
 */
void image_look(struct image *image, char *const *environment);

#endif

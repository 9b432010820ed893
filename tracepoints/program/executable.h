/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Looking at a file that is about to be executed: can an agent come with
 * LD_PRELOAD? See image.c.
 */
#ifndef TRACEPOINTS_PROGRAM_EXECUTABLE_H
#define TRACEPOINTS_PROGRAM_EXECUTABLE_H

#include "buffers/layout.h"

#define IMAGE_PATH_BYTES	512

struct image {
	/* for execve(2) and its like; `search` as execvp(3) does, in PATH of
	 * this environment; no path: the file is the descriptor's */
	int fd;
	const char *path;
	char *const *search;
	int flags;			/* of execveat(2) */
	/* what was found */
	enum lacking_why why;		/* LACKING_NOT also where unknown */
	int withhold;			/* its dynamic linker would complain of
					 * the library */
	char found[IMAGE_PATH_BYTES];	/* the file's path; "": cannot be read */
};

/*
 * Fills in what is found, for a program that gets `environment`. What cannot be
 * read, or is no program, is unknown. Makes system calls: openat, pread64,
 * close, access, fstat; for a descriptor readlink; and where a file is
 * set-user-ID or the like getuid, getgid, fstatfs, prctl. Uses a descriptor
 * while it looks. SIGSAFE.
 */
void image_look(struct image *image, char *const *environment);

/* The reason in words: "PROGRAM: WORDS". */
const char *image_words(enum lacking_why why);

#endif

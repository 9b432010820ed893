/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What code of the command prints, as text:
 *
 *	said_begin(STDERR_FILENO);
 *	command_failed("fact");
 *	unit_equal_string(said_end(), "taffrail: fact\n", "failure");
 */
#ifndef TESTSUITE_COMMAND_SAID_H
#define TESTSUITE_COMMAND_SAID_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define SAID_BYTES	(64u << 10)

static int said_of, said_kept, said_file;

/* From here on, what is printed on a descriptor is kept. No check may be made
 * before said_end(). */
static inline void said_begin(int fd)
{
	fflush(NULL);
	said_of = fd;
	said_kept = dup(fd);
	said_file = memfd_create("said", MFD_CLOEXEC);
	if (said_kept < 0 || said_file < 0 || dup2(said_file, fd) < 0)
		abort();
}

/* Returns what was printed, until the next call. */
static inline const char *said_end(void)
{
	static char text[SAID_BYTES];
	ssize_t n;

	fflush(NULL);
	dup2(said_kept, said_of);
	close(said_kept);
	n = pread(said_file, text, sizeof(text) - 1, 0);
	close(said_file);
	text[n < 0 ? 0 : n] = '\0';
	return text;
}

#endif

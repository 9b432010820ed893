/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Programs of a recording that had no agent at work; see lacking.c.
 */
#ifndef COMMAND_RECORD_UNREACHED_H
#define COMMAND_RECORD_UNREACHED_H

#include <stdint.h>

#include "buffers/layout.h"

#define LACKING_ROWS		8
#define LACKING_TEXT_BYTES	256

struct lacking_row {
	char path[LACKING_TEXT_BYTES];
	char why[LACKING_TEXT_BYTES];
	uint64_t times;
};

/* Zero is a table of none. */
struct lacking {
	uint64_t filtered;	/* executed under a filter of a process's */
	uint64_t others;	/* without an agent for another reason */
	uint64_t named;		/* of both, in rows */
	struct lacking_row rows[LACKING_ROWS];
	int nrows;
};

/* Adds what the page of a process says; none of it is trusted. */
void lacking_take(struct lacking *lacking, const struct process_page *page);

/* Adds what agents that stay off have written to this file: the same. */
void lacking_read(struct lacking *lacking, int fd);

/* Adds one program; the count is the caller's to raise. */
void lacking_add(struct lacking *lacking, const char *path, const char *why,
		 uint64_t times);

/* Prints how many there were, and the first of them. */
void lacking_tell(const struct lacking *lacking);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The files that a process has mapped, and when: as the agent tells them
 * (RECORD_MODULES).
 */
#ifndef COMMAND_ELF_MAPPED_PRIVATE_H
#define COMMAND_ELF_MAPPED_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffers/reader/reader.h"

struct work_share;

/* A time in which it was there: begin <= clock < end. */
struct mapped_time {
	struct mapped_time *before;
	uint64_t begin;
	uint64_t end;
};

/* The code of a module, as /proc/PID/maps has it. */
struct mapped {
	uint64_t start, end;
	uint64_t offset;
	uint64_t inode;
	unsigned int major, minor;
	const char *path;		/* the list's; newlines are escaped */
	struct mapped_time *times;	/* the last one first; or NULL */
	uint32_t ntimes;
	uint64_t since;			/* clock: when the first one begins; */
	uint64_t files;			/* by the kernel's clock of files, in
					 * ns since 1970; 0: not told */
	uint32_t seen;			/* the last telling that had it */
};

/* Owns the mappings, with their paths and times. */
struct mapped_list {
	struct mapped *mapped;
	size_t count;
};

/*
 * Reads the list; the caller frees it. Leaves out lines that make no sense.
 * Takes time from `share`: when none is left, the list is empty.
 */
void mapped_read(struct mapped_list *list, const struct session_view *session,
		 struct work_share *share);
void mapped_free(struct mapped_list *list);

/*
 * Puts newlines into the path where it may have had them. Returns whether that
 * changed it. Only where there is no file at the path as it is: then a name has
 * these characters.
 */
bool mapped_unescape(struct mapped *mapped);

/* Returns whether it was there all the time from one clock to another. */
bool mapped_during(const struct mapped *mapped, uint64_t first, uint64_t last);

#endif

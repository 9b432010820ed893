/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes that had no room for their buffers, or only for smaller ones.
 *
 * Invariant: the room that is free is noted before files are removed, or the
 * report would name room that no process had.
 */
#ifndef COMMAND_RECORD_SHORTAGE_H
#define COMMAND_RECORD_SHORTAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffers/layout.h"
#include "command/causes/outcome.h"

/* Empty: all zeros. */
struct shortage {
	size_t roomless;		/* images without some buffer */
	size_t smaller;			/* images with smaller buffers */
	uint64_t pageless;		/* programs without any file */
	bool uncounted;			/* there were more than these */
	uint64_t asked;			/* bytes of a buffer: the most */
	uint64_t least;			/* bytes of a buffer: the least */
	uint64_t free;			/* bytes, at the worst moment seen */
	uint64_t files;			/* free inodes, likewise */
	int error;			/* errno of a buffer, or 0 */
	uint64_t orphans;		/* forked children without any file */
	uint64_t orphan_lost;		/* events of these */
	int orphan_error;		/* why the last one could not, or 0:
					 * shortage_orphan_why() */
};

/* Writes "260K" or "12M": a number of bytes, rounded up. Returns `text`. */
#define SHORTAGE_SIZE_BYTES	32
const char *shortage_size(char text[SHORTAGE_SIZE_BYTES], uint64_t bytes);

/* Return the bytes, and the number, of a process's files with such buffers; 0
 * bytes: the largest default. */
uint64_t shortage_needed(uint64_t buffer);
long shortage_files(void);

/* Takes in the session's page of an image, before the files are removed. `fd`
 * is a file or directory in the runtime directory. */
void shortage_take(struct shortage *shortage, const struct session_page *page,
		   int fd);

/* Returns why the last forked child of a page could not make files: the number
 * of a cause (place_denial()), all of which are above errnos, or an errno. */
int shortage_orphan_why(const struct session_page *page);

/* Adds forked processes that could not make files, and the events that they
 * have lost; `error` is why, of the last one. */
void shortage_orphans(struct shortage *shortage, uint32_t orphans,
		      uint64_t lost, int error);

/* Takes in so many programs that found no room for files in a directory;
 * `error` is why, if that is known. */
void shortage_programs(struct shortage *shortage, uint64_t count,
		       bool uncounted, int error, int fd);

/* Returns true when there was room, and some of so many lost events were lost
 * for another reason. */
static inline bool shortage_spares(const struct shortage *shortage,
				   uint64_t lost)
{
	return lost > shortage->orphan_lost && !shortage->error;
}

/* Adds to an outcome the processes that had too little room in `directory`, the
 * reason and the remedy; `lost` is how many events the trace counts as lost. */
void shortage_note(const struct shortage *shortage, const char *directory,
		   uint64_t lost, struct outcome *outcome);

/* Does so for a program that found no room for files with buffers of so many
 * bytes; `fd` is the directory's. */
void shortage_note_program(uint64_t asked, int error, int fd,
			   const char *directory, struct outcome *outcome);

#endif

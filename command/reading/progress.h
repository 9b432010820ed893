/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A line on the terminal that says how far a command is that reads traces.
 *
 * Invariant: without a terminal on standard error nothing is written, and a
 * step costs next to nothing.
 */
#ifndef COMMAND_READING_PROGRESS_H
#define COMMAND_READING_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "traces/read/rings.h"

#define PROGRESS_EVENTS	4096	/* a look at the clock each so many events */

/* Set by progress_open(), and to be read by none but these functions. */
struct progress {
	bool shown;			/* standard error is a terminal */
	bool dirty;			/* there is a line */
	int64_t first;			/* times of the first and last event */
	int64_t last;
	uint64_t next_ns;		/* when to print it again */
};

/* Decides whether there will be a line. Call it before reader_next(). */
void progress_open(struct progress *progress, struct reader *reader);

/* Prints the line, if it is time. */
void progress_step(struct progress *progress, uint64_t events, int64_t ns);

/* Removes the line, so that another text can be printed. */
void progress_clear(struct progress *progress);

#endif

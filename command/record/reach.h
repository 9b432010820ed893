/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How far back the buffers of sessions reach that overwrite their oldest
 * events, buffer by buffer: one is full sooner than another.
 *
 * Invariant: since the time that a row says, the buffer has every event that
 * was written into it.
 */
#ifndef COMMAND_RECORD_REACH_H
#define COMMAND_RECORD_REACH_H

#include "buffers/reader/reader.h"
#include "command/common/json.h"
#include "command/runtime/rundir.h"

#define REACH_TEXT_BYTES	320

/* A buffer that has an event. */
struct reach_row {
	char name[RING_NAME_BYTES];	/* "1" of a CPU, or "L0" */
	pid_t pid;
	uint32_t replacement;		/* of the CPU's ring: the number */
	struct ring_reach clock;
	uint64_t ns;			/* from `begin` to now; of a session
					 * that does not run, to the newest
					 * event of the process */
	uint64_t since_ns;		/* the begin, since 1970 */
	bool ended;			/* the session did not run */
};

/* Zeros are an empty list; reach_free() frees the rows. */
struct reach {
	struct reach_row *rows;
	size_t count;
	uint64_t keep_ns;		/* that was asked for, or 0 */
	int keep_error;			/* why there is less: an errno, or 0 */
};

/* Adds a ring of a process. Without memory the command ends. */
void reach_add(struct reach *reach, pid_t pid, const char *name,
	       const struct ring_reach *clock);

/*
 * Makes the rows behind the first `from`, which are the rings of a session in
 * one image of a process, a row for each buffer: rings that were replaced and
 * those in their place are one. Gives them times, by the pages. `running`:
 * events are still written. Drops the rows if the process's clock is no time.
 */
void reach_settle(struct reach *reach, size_t from,
		  const struct process_page *page,
		  const struct session_page *session, bool running);

/*
 * Adds the buffers of a session in the newest image of a process, by its files;
 * `session` is the session's page. Adds nothing if the session does not
 * overwrite, and leaves out buffers that cannot be read: others tell of these.
 */
void reach_read(struct reach *reach, const struct rundir_process *process,
		const struct session_page *session);

/* Adds all rows of another list. */
void reach_join(struct reach *reach, const struct reach *other);

/*
 * Writes the shortest and the longest time of all buffers, "2.41 s (CPU 1) to
 * 13.0 s (CPU 0)". Returns false if no event was overwritten: the text is then
 * "13.0 s, to the start", or empty if no buffer has an event.
 */
bool reach_text(const struct reach *reach, char text[static REACH_TEXT_BYTES]);

/* Prints the array "reach", and "reach_ns": the shortest time. */
void reach_json(const struct reach *reach, struct json *json);

void reach_free(struct reach *reach);

#endif

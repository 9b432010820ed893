/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Programs that had no agent at work: how many, which, and why; see
 * agentless.c.
 */
#ifndef COMMAND_RECORD_AGENTLESS_H
#define COMMAND_RECORD_AGENTLESS_H

#include <stdbool.h>
#include <stdint.h>

#include "buffers/layout.h"
#include "command/causes/outcome.h"
#include "command/runtime/rundir.h"

#define AGENTLESS_ROWS		8
#define AGENTLESS_TEXT_BYTES	256

/* The cause of a reason that a page gives. */
#define AGENTLESS_CAUSE(why) \
	((enum cause_id)(CAUSE_LACKS_FILTER - LACKING_FILTER + (why)))

/* A program, with one reason. */
struct agentless_row {
	enum cause_id reason;
	int error;
	char path[AGENTLESS_TEXT_BYTES];
	char text[AGENTLESS_TEXT_BYTES];
	uint64_t times;
	uint64_t told;		/* the part that the programs have told */
};

#define AGENTLESS_NAMES	64
#define AGENTLESS_COMM	16	/* a process's name, with the NUL */

/* Empty: all zeros. */
struct agentless {
	uint64_t filtered;	/* executed under a process's seccomp filter */
	uint64_t others;	/* without an agent for another reason */
	uint64_t full;		/* with an agent that has no session left */
	uint64_t roomless;	/* the part of others without room for files */
	bool uncounted;		/* there were more than are counted */
	bool limited;		/* one of them by ulimit -f */
	bool away;		/* one could have been recorded: it has an
				 * agent that this recorder does not reach */
	uint64_t named;		/* the part of these that has a row */
	struct agentless_row rows[AGENTLESS_ROWS];
	int nrows;
	/* Programs that have an agent only if they are linked with it, and the
	 * names of the programs that joined; see agentless_settle(). */
	struct agentless_row unlinked[AGENTLESS_NAMES];
	int nunlinked;
	char joined[AGENTLESS_NAMES][AGENTLESS_COMM];
	int njoined;
};

/* Adds the programs that a process's page names since the session began. The
 * page is not trusted. Call it once an image, or it counts twice. */
void agentless_take(struct agentless *a, const struct process_page *page,
		    const struct session_page *session);

/* Does the same for an image of a process and the first session of this name
 * there; for NULL, the first session. */
void agentless_look(struct agentless *a, const struct rundir_process *process,
		    uint32_t image, const char *session);

/* Notes the name of a program whose agent began a session, each once. */
void agentless_join(struct agentless *a, const char *name);

/* Adds the programs that agents which stay off have written to this file. The
 * file is not trusted. Call it once a file. */
void agentless_read(struct agentless *a, int fd);

/* Adds the programs that may be linked with an agent, and of which none joined.
 * Without this call they are not told: the caller knows only then that it has
 * taken every image that joined. */
void agentless_settle(struct agentless *a);

/* Returns how many programs had no agent for another reason than a filter, or
 * one that has no session left. */
static inline uint64_t agentless_count(const struct agentless *a)
{
	return a->others + a->full;
}

/* Returns how many of them found no room for files; *error is why, or 0, and
 * *uncounted whether there were more. */
uint64_t agentless_roomless(const struct agentless *a, bool *uncounted,
			    int *error);

/* Returns true when a program had no agent, or was filtered. */
static inline bool agentless_any(const struct agentless *a)
{
	return a->others || a->filtered;
}

/* Puts a reason that a page gives, and the remedy, in words. Returns `line`. */
char *agentless_words(enum lacking_why why, char line[CAUSE_LINE_BYTES]);

/* Adds to an outcome why the program that is recorded has no agent: `why`,
 * LACKING_NOT if that is not known. With `members`, a program that it executes
 * has an agent, and the program counts as one of the others. `early`: the
 * recording ended before an agent can be expected to have begun. */
void agentless_note_program(struct agentless *a, const char *program,
			    enum lacking_why why, bool members, bool early,
			    struct outcome *outcome);

/* Adds the counts and the first programs to an outcome. */
void agentless_note(const struct agentless *a, struct outcome *outcome);

/* Prints at once all that agentless_note() adds. Returns COMMAND_FAILED if one
 * of the programs could have been recorded, else COMMAND_DONE. */
int agentless_tell(const struct agentless *a);

#endif

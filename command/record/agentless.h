/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Programs of a recording that had no agent at work; see agentless.c.
 */
#ifndef COMMAND_RECORD_AGENTLESS_H
#define COMMAND_RECORD_AGENTLESS_H

#include <stdbool.h>
#include <stdint.h>

#include "buffers/layout.h"
#include "command/record/outcome.h"
#include "command/rundir/rundir.h"

#define LACKING_ROWS		8
#define LACKING_TEXT_BYTES	256

struct lacking_row {
	enum cause_id id;	/* how a program is told of */
	char path[LACKING_TEXT_BYTES];
	char why[LACKING_TEXT_BYTES];
	uint64_t times;
	uint64_t told;		/* the part that the programs have told */
};

#define LACKING_NAMES	64
#define LACKING_COMM	16	/* a process's name, with the NUL */

/* An empty table is all zeros. */
struct lacking {
	uint64_t filtered;	/* executed under a process's seccomp filter */
	uint64_t others;	/* without an agent for another reason */
	uint64_t full;		/* with an agent that has no session left */
	uint64_t roomless;	/* the part of others without room for files */
	bool uncounted;		/* there were more than it counts */
	bool limited;		/* one of them by ulimit -f */
	bool away;		/* one could have been recorded: it has an
				 * agent that this recorder does not reach */
	uint64_t named;		/* the part of these that has a row */
	struct lacking_row rows[LACKING_ROWS];
	int nrows;
	/* Programs that have an agent only if they are linked with it, and the
	 * names of those that joined; see lacking_settle(). */
	struct lacking_row unlinked[LACKING_NAMES];
	int nunlinked;
	char joined[LACKING_NAMES][LACKING_COMM];
	int njoined;
};

/* Adds the programs that a process's page names since the session began. The
 * page is checked. */
void lacking_take(struct lacking *lacking, const struct process_page *page,
		  const struct session_page *session);

/* Does the same for an image of a process and its first session of this name;
 * or, for NULL, its first session. */
void lacking_look(struct lacking *lacking, const struct rundir_process *process,
		  uint32_t image, const char *session);

/* Adds the programs that agents which stay off have written to this file; the
 * file is checked. */
void lacking_read(struct lacking *lacking, int fd);

/* Counts and adds a program that had no agent for this reason. */
void lacking_count(struct lacking *lacking, const char *path,
		   enum lacking_why why);

/* Returns the cause of a reason; of an unknown one CAUSE_LACKS_REASON. */
enum cause_id lacking_cause(enum lacking_why why);

/* Puts the reason and the remedy in words. Returns `line`. */
char *lacking_words(enum lacking_why why, char line[CAUSE_LINE_BYTES]);

/* Adds the programs that may be linked with an agent, and of which none joined.
 * Without this call they are not told: the caller knows only then that it has
 * taken every image that joined. */
void lacking_settle(struct lacking *lacking);

/* Adds the counts and the first programs to an outcome. */
void lacking_note(const struct lacking *lacking, struct outcome *outcome);

/* Prints them. Returns COMMAND_FAILED if one of the programs could have been
 * recorded, else COMMAND_DONE. */
int lacking_tell(const struct lacking *lacking);

#endif

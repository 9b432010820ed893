/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the files of this room only: look.c, which opens traces; follow.c,
 * which follows directories; live.c, which opens rings; executing.c, which
 * waits for processes that execute another program; and missing.c, which counts
 * rings that were removed before they were read.
 */
#ifndef COMMAND_READING_PRIVATE_H
#define COMMAND_READING_PRIVATE_H

#include "command/reading/look.h"
#include "command/runtime/rundir.h"

/* Opens the rings of a session, into the reader. Sets look->session if only a
 * process was given. With look->keep, they stay open for look_rings_news().
 * Returns a status after printing why. */
int look_open_rings(struct look *look);

/* Closes the rings, and tells which events are missing. Without rings, it does
 * nothing. */
void look_rings_close(struct look *look);

/* Does look_recorded() for rings. */
bool look_rings_news(struct look *look, int64_t *until);

/* Opens the directories, and tells their recorders. Returns false without
 * memory. */
bool look_follow(struct look *look, char **paths, int n);

/* Closes the directories. Their recorders write full buffers alone again. */
void look_follow_end(struct look *look);

/* Says if a trace below the directory, from the reader's trace number `from`
 * on, was not completed: the ledger, which a recorder makes first and writes
 * last, is empty. Returns whether there is one that no recorder will complete.
 */
bool look_uncompleted(const struct look *look, const char *path, size_t from);

#define RUNDIR_KEY_BYTES	112

/* An image of a process that has the session. The row stays while anything of
 * the image may still come, and a while longer, until a row of what was removed
 * must have come. */
struct known {
	char key[RUNDIR_KEY_BYTES];	/* of its directory, and the image */
	char process[48];		/* the name of its directory */
	uint32_t image;
	uint64_t serial;		/* of the session in the process */
	uint32_t looks_gone;		/* since the files were not seen */
	time_t executes;		/* since when, or 0: it does not */
	pid_t pid;
	uint64_t starttime;
	struct ring_image *rings;	/* NULL: nothing more comes */
	struct ring_totals totals;	/* as it was looked at last */
	bool seen;			/* the files are there */
	bool alive;
	bool stopped;
	bool destroyed;
	bool removed;			/* a command has removed its rings */
	bool counted;			/* or may have, without a row */
	uint32_t member;		/* number in shared rings; 0: none */
	bool shared;			/* the rings are */
	uint32_t away;			/* processes that wrote into these, and
					 * have no image any more */
};

/* A look at the rings of a session. With look->keep it lives until
 * look_close(), else until look_open_rings() returns. A time in it is that of
 * the last look. */
struct look_rings {
	struct look *look;
	const char *name;
	struct trace_set set;		/* anchors only */
	struct known *known;
	size_t n;
	struct ring_totals gone;	/* of processes that were forgotten */
	int ret;			/* why rings could not be opened */
	bool unlisted;			/* processes could not be listed, as
					 * was told */
	bool later;			/* processes obey the session's rules */
	struct rundir_process only;	/* with -p: the process */
	int top;			/* the directory above its own, or -1 */
	time_t alone;			/* since when it shares rings, and has
					 * no session, or 0 */
	time_t over;			/* when its program was first seen to be
					 * over, or 0 */

	/* missing.c */
	char process[48];		/* with -p: the directory below it */
	struct rundir_follower follower;
	struct rundir_removed_row *rows;	/* of the last look */
	size_t nrows;
	bool no_memory;			/* for them, as was told */
	uint64_t taken;			/* images that commands removed */
	uint64_t taken_events;
	struct keep_row limit;		/* what the limit of dead processes'
					 * rings had removed before the look */
	struct keep_row before;		/* and before the first */
	struct keep_row cleared;	/* rows of it that commands cleared */
	uint64_t limit_gone;		/* images it removed, by then known */
	uint64_t limit_gone_events;
	uint64_t unmet;			/* images it removed, not known */
	uint64_t unmet_events;
};

/* Makes room for one more in `known`. Returns 0 or -ENOMEM. Pointers to known
 * images are not valid behind it. */
int live_grow(struct look_rings *live);

/* With -p, opens the process's directory, though the program has no agent yet
 * or has ended: other images may be there than were seen. Returns 0 or a
 * negative errno, -ENOENT when it has had no agent for EXECUTES_SECONDS. */
int executing_open(struct look_rings *live, struct rundir_process *process);

/* Returns true when a process lives and its image in the session has gone: it
 * executes another program. Sets `cause` where no command finds the process.
 * With AGENT_FILES_REMOVED, the agent goes on without files: returns false. */
bool executing_one(struct known *known, struct cause *cause);

/* Returns true while such a process may come to the session again. */
bool executing_any(struct look_rings *live);

/* Returns true while the process of -p lives, and may come back to the rings
 * that it shares: a recorder ends the sessions of programs that were replaced
 * at once, as nothing is in them. */
bool executing_shared(struct look_rings *live);

/* Begins to count, before the first rings are opened. */
void missing_begin(struct look_rings *live, struct rundir *dir,
		   const struct rundir_list *list);

/* Reads which rings were removed. Call the first before a look lists the
 * processes, and the second between that and rundir_open(). */
void missing_read(struct look_rings *live);
void missing_read_limit(struct look_rings *live, struct rundir *dir);

/* Says how much the limit of ended processes' buffers has removed so far. */
void missing_limit_tell(const struct look_rings *live);

/* Compares those rings with the known images, at the end of a look. */
void missing_count(struct look_rings *live);

/* Notes that a process which has ended will not be known any more. */
void missing_forget(struct look_rings *live, const struct known *known);

/* Tells, if look->follow, which events are missing. */
void missing_end(struct look_rings *live);

#endif

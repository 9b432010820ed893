/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Directories of other users, to which processes have handed the recording on;
 * see handed.c.
 */
#ifndef COMMAND_RECORD_HANDED_PRIVATE_H
#define COMMAND_RECORD_HANDED_PRIVATE_H

#include "command/record/private.h"
#include "command/rundir/rundir.h"

struct record_handed {
	char path[LACKING_PATH_BYTES + 1];
	struct rundir dir;		/* fd -1: it was refused */
	int off;			/* sessions/.off.NAME in it, or -1 */
};

/* Opens the directories that pages of living members name, and has each
 * watched. Says why one is not used. */
void record_handed_look(struct record *record,
			void (*watch)(struct record *record, int fd,
				      const char *at, const char *below));

/* Does as rundir_each() in all of them. */
int record_handed_each(struct record *record,
		       int (*call)(struct rundir_process *process, void *priv),
		       void *priv);

/* Returns the descriptor of the runtime directory that a member is in. */
int record_top(const struct record *record, const struct record_member *member);

/* Removes the session's rules; reads which programs had no agent, and why;
 * closes all. */
void record_handed_stop(struct record *record);
void record_handed_read(struct record *record);
void record_handed_close(struct record *record);

#endif

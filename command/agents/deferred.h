/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes of a recording that have put off their files (agent/deferred.c).
 */
#ifndef COMMAND_AGENTS_DEFERRED_H
#define COMMAND_AGENTS_DEFERRED_H

#include <stddef.h>
#include <stdint.h>

#include "command/causes/cause.h"
#include "command/runtime/rundir.h"

/* Empty: fd is -1, the rest zeros. */
struct deferred {
	int fd;			/* sessions/.deferred.NAME, or -1 */
	uint64_t at;		/* of the next row there */
	uint64_t freed;		/* up to there in the file */
	struct deferred_process *rows;	/* by age */
	size_t n;
	uint64_t next_ns;	/* when to look at them */
};

/* Lets the programs of the recording `name` put off their files, where this
 * command may trace all of them. */
void deferred_open(struct deferred *d, struct rundir *dir, const char *name);

/*
 * Reads which programs have, and has those make their files that live for some
 * time; with `all`, every one. Returns 0; or, once for each process that cannot
 * do that, a negative errno and the cause, where it is one of the command's, or
 * with `all`; the caller then calls again. No program may put off files after
 * that.
 */
int deferred_poll(struct deferred *d, bool all, struct cause *cause);

/* Sends a signal to each process that has made none, but not to `except`. */
void deferred_signal(struct deferred *d, pid_t except, int number);

void deferred_close(struct deferred *d);

/* Does so for all processes of this user's runtime directory, and waits until
 * they have files: a command that looks for processes calls it before. */
void deferred_settle(void);

#endif

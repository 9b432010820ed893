/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The callbacks of processes, as their agents tell of them.
 *
 * Invariant: a line of an agent is not trusted: it may lack words, which are
 * then "" or 0.
 */
#ifndef COMMAND_LOAD_LISTED_H
#define COMMAND_LOAD_LISTED_H

#include <stdint.h>
#include <sys/types.h>

#include "command/agents/targets.h"
#include "command/common/json.h"

/* One callback in one process. */
struct shown_callback {
	pid_t pid;
	const char *state;		/* "enabled", "connected" */
	uint64_t markers;		/* that call it */
	uint64_t nested, in_handler;	/* hits that did not call it: in
					 * callbacks, in signal handlers */
	const char *name;		/* LIB:FUNCTION */
	const char *rule;
	char *text;			/* has the strings */
};

/* Empty: all zeros. */
struct shown {
	struct shown_callback *callbacks;
	size_t count;
};

/* Adds the value of a line "callback=", of which it keeps a copy. Returns 0 or
 * -ENOMEM. */
int shown_take(struct shown *shown, pid_t pid, const char *line);

/* Frees the callbacks; the list is empty then. */
void shown_free(struct shown *shown);

/* Prints a table behind `before`, or nothing if there are no callbacks. */
void shown_print(const struct shown *shown, const char *before);

/* Asks a process that is connected. Leaves out facts that the process does not
 * tell. */
void shown_ask(struct shown *shown, struct target *target);

/* Returns the next callback, from *position on, that calls the marker of that
 * id; NULL behind the last. *position begins as 0. */
const struct shown_callback *shown_of(const struct shown *shown,
				      const char *id, size_t *position);

/* Adds the member "callbacks", an array with an object a callback. */
void shown_json(const struct shown *shown, struct json *json);

#endif

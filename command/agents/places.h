/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Places that rules name and that are not switched, as agents tell them in the
 * pages of sessions (buffers/layout.h): which, why, and the remedy.
 */
#ifndef COMMAND_AGENTS_PLACES_H
#define COMMAND_AGENTS_PLACES_H

#include <stdbool.h>

#include "command/common/json.h"
#include "command/elf/markers.h"
#include "command/runtime/rundir.h"
#include "tracepoints/conditions/rule-split.h"

struct place {
	char id[FUNCTION_ID_BYTES + 32]; /* "CHANNEL/NAME"; of a guard, with
					 * SESSION_UNTAKEN_GUARD */
	uint64_t address;
	uint64_t in_file;		/* the address that the file gives */
	int why;			/* as in the page; 0: it is switched */
	char module[192];		/* the names of a function's; or "" */
	bool unread;			/* a probe of a file that the agent
					 * cannot read: why says the errno */
	pid_t pid;
};

struct places {
	struct place *places;
	size_t count;
	uint64_t more;			/* places that pages had no room for */
	bool lenient;			/* an event of LTTng-UST that is left
					 * out is no failure */
	bool ended;			/* the processes have ended: addresses
					 * are those of files, the same place of
					 * several processes is one, and a place
					 * that was switched later stays */
};

/* Adds the places of a session's page; with a rule, only the places that the
 * rule names. */
void places_take(struct places *places, pid_t pid,
		 const struct session_page *page, const char *rule);

/* Does so for the session of that name in a living process; if `name` is NULL,
 * for all its sessions that run. */
void places_take_living(struct places *places,
			const struct rundir_process *process,
			const char *name, const char *rule);

/* Adds a line of an answer to MESSAGE_STATUS to a page, if it tells a place of
 * callbacks, which have no page. */
void places_page_add(struct session_page *page, const char *key,
		     const char *value);

/* Adds those of another list. */
void places_join(struct places *places, const struct places *others);

/* Returns true when a place that is not switched is named by the rule. */
bool places_named(const struct places *places, const char *rule);

/* Writes the reasons into the markers at these places. A marker that a tool has
 * moved is not placed then, and the place leaves the list. */
void places_mark(struct places *places, struct marker_list *markers);

/* Adds "untaken", the places, and "untaken_more", how many had no room. */
void places_json(const struct places *places, struct json *json);

/* Returns true for a marker that is an event of LTTng-UST and left out. */
bool places_leave_out(const struct places *places, const char *id);

/* Prints each place with the reason, and the remedies; frees the places.
 * Returns COMMAND_FAILED if there is one that is a failure, else
 * COMMAND_DONE. */
int places_tell(struct places *places);

/* Frees the places. */
void places_free(struct places *places);

#endif

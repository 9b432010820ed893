/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Places that rules name and that are not switched, as agents tell them in the
 * pages of sessions (buffers/layout.h): which, why, and what helps.
 */
#ifndef COMMAND_PROCESSES_UNTAKEN_H
#define COMMAND_PROCESSES_UNTAKEN_H

#include <stdbool.h>

#include "command/elf/markers.h"
#include "command/rundir/rundir.h"

struct untaken_place {
	char id[128];
	uint64_t address;
	uint64_t in_file;		/* the address that the file gives */
	int why;			/* as in the page; 0: it is switched */
	pid_t pid;
};

struct untaken_list {
	struct untaken_place *places;
	size_t count;
	uint64_t more;			/* places that pages had no room for */
	bool ended;			/* the processes have ended: addresses
					 * are those of files, and the same place
					 * of several processes is one; a place
					 * that was switched later stays */
};

/* Adds what a session's page says of a process; with a rule, only places that
 * it names. Returns how many places the page has that are not switched. */
size_t untaken_take(struct untaken_list *list, pid_t pid,
		    const struct session_page *page, const char *rule);

/* Does so for the session of that name in a living process; if `name` is NULL,
 * for all its sessions that run. */
void untaken_take_living(struct untaken_list *list,
			 const struct rundir_process *process,
			 const char *name, const char *rule);

/* Returns true when a place that is not switched is named by the rule. */
bool untaken_named(const struct untaken_list *list, const char *rule);

/* Writes the reasons into the markers at these places. */
void untaken_mark(const struct untaken_list *list, struct marker_list *markers);

/* Prints each place with its reason, and what helps; frees the places. Returns
 * COMMAND_FAILED if there is one, else COMMAND_DONE. */
int untaken_tell(struct untaken_list *list);

#endif

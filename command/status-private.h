/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What taffrail status has found out; status.c finds it, status-print.c prints
 * it.
 */
#ifndef COMMAND_STATUS_PRIVATE_H
#define COMMAND_STATUS_PRIVATE_H

#include <stdbool.h>
#include <sys/types.h>

#include "command/load/listed.h"
#include "command/processes/places.h"
#include "command/record/agentless.h"

struct member {
	pid_t pid;
	char name[PROCESS_NAME_BYTES];
	bool alive;
	uint64_t written;
	uint64_t lost;
	uint64_t overwritten;
	uint64_t bytes;
	uint64_t left_off;
	struct places places;		/* that are not switched */
	uint32_t buffer;		/* bytes of one of its buffers */
	uint32_t asked;			/* the same, as asked for */
	int roomless;			/* errno: no room for some buffer */
	struct session_act started;
	struct session_act changed;
};

struct session {
	char name[SESSION_NAME_BYTES];
	bool active;			/* in a living or a later process */
	bool stopped;			/* in a living process */
	bool overwrite;
	char **rules;
	size_t nrules;
	struct member *members;
	size_t nmembers;
	uint64_t removed_processes;	/* dead ones, by the limit of rings */
	uint64_t removed_events;
};

struct status {
	const char *only;		/* a name, or NULL */
	struct session *sessions;
	size_t count;
	int result;			/* enum command_exit */
	struct rundir *dir;
	struct shown shown;		/* callbacks */
	struct places places;		/* of callbacks, not switched */
	struct agentless agentless;		/* programs without an agent */
};

/* Print all of it on stdout. */
void status_print_json(const struct status *s);
void status_print_table(const struct status *s);

#endif

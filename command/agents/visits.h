/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A visit: a session that a looking command makes in running processes, with
 * the agent where a process has none, and that is taken back with the command's
 * end.
 */
#ifndef COMMAND_AGENTS_VISITS_H
#define COMMAND_AGENTS_VISITS_H

#include "command/common/command.h"
#include "command/runtime/rundir.h"

#define VISIT_RULES_MAX	64	/* an agent's limit for a session */

/* The wishes; and behind them what visit_begin() has made. All zeros before. */
struct visit {
	struct command_pids pids;
	const char *rules[VISIT_RULES_MAX];	/* the caller's */
	int nrules;			/* 0: there is no visit */
	uint64_t buffer;		/* bytes; 0: the default */
	bool yes;			/* for very many functions */

	bool begun;
	bool lacks;			/* some places of the rules, as was
					 * told */
	char session[SESSION_NAME_BYTES];
	struct rundir dir;		/* that the processes' files are in */
	struct rundir_follower follower;
	char names[COMMAND_PIDS_MAX][48];	/* of their directories there */
	bool loaded[COMMAND_PIDS_MAX];	/* by this visit */
	int locks[COMMAND_PIDS_MAX];	/* rundir_visit_lock(), or -1 */
};

/*
 * Loads the agent into the processes that have none, and starts an overwriting
 * session with the rules in each that lives; in all of them or in none. Those
 * that have ended are told, and taken out of the pids. Returns COMMAND_DONE, or
 * another status after printing why. The caller calls visit_end() in any case.
 */
int visit_begin(struct visit *visit);

/*
 * Destroys the session, in processes that came to it, too, and detaches the
 * agents that visits have loaded and no command uses. Returns COMMAND_FAILED
 * after printing which process keeps a part of it, or if the session lacked
 * places of its rules.
 */
int visit_end(struct visit *visit);

/* Returns true for the name of a session that visits make. */
bool visit_named(const char *session);

/* Does so in this user's runtime directory; or in that of a process: returns
 * true if there were visits, so its agent may be gone. */
void visits_clean_user(void);
bool visits_clean_around(const struct rundir_process *process);

#endif

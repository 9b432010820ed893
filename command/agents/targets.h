/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The processes that a sub-command works on: those of -p PID, or every process
 * of the user, with a connection to each that lives.
 */
#ifndef COMMAND_AGENTS_TARGETS_H
#define COMMAND_AGENTS_TARGETS_H

#include "command/agents/client.h"
#include "command/agents/places.h"
#include "command/common/command.h"
#include "command/elf/markers.h"
#include "command/runtime/rundir.h"

struct target {
	struct rundir_process *process;
	struct client client;		/* fd -1 while not connected */
	struct marker_list markers;	/* after target_list() */
	bool changed;			/* it has taken a rule of enable */
};

struct targets {
	struct rundir dir;		/* fd -1: there is none */
	struct rundir_list list;
	struct target *targets;		/* one a process of the list */
	size_t count;
	bool named;			/* by their pids */
	bool unread;			/* of targets_check_rule() */
	/* is called, in place of a message, for a rule without a marker yet,
	 * with those that are similar */
	void (*awaited)(const char *rule, const char *nearest);
};

/*
 * Is called for each process that is opened by its pid, if it is not NULL.
 * Returns true when it has changed the process's files, which are then found
 * again. visits.c has such a function; it uses targets itself.
 */
extern bool (*targets_clean)(const struct rundir_process *process);

/* Returns COMMAND_DONE for a name that a session can have, or COMMAND_USAGE
 * after printing why not. */
int targets_check_name(const char *name);

/*
 * Opens the process `pid`, or with 0 every process of the user, living and
 * dead. Returns 0, or a negative errno after printing the error; an empty list
 * is no error. The caller closes the targets, whatever the result.
 */
int targets_open(struct targets *targets, pid_t pid);

/* Does the same for several living processes; with `count` 0 for all. If
 * `cause` is not NULL, why a process was not found is there, not printed. */
int targets_open_each(struct targets *targets, const pid_t *pids, size_t count,
		      struct cause *cause);

/* Takes the processes that have ended out of a list, and says so of each;
 * unless all have. Returns true if there was one. */
bool targets_leave_ended(struct command_pids *pids);

/* Closes the connections and the processes, and frees the markers. */
void targets_close(struct targets *targets);

/* Returns true when the process's newest image has a session of that name that
 * is not destroyed. */
bool target_has(const struct target *target, const char *session);

/*
 * Connects, unless connected. Returns 0, or a negative errno and the fact in
 * client.error. A process that ended meanwhile gives -ESRCH and no longer
 * counts as alive. Waits up to some 2 s for the agent of a program that the
 * process executes.
 */
int target_connect(struct target *target);

/* A process may execute one program after the other; one that does so without
 * end is given up. */
#define EXECUTED_TRIES	16

/* Takes the program that the process has executed since, if that has an agent,
 * and closes the connection. Returns false where there is none. */
bool target_executes(struct target *target);

/* Returns true when the process has ended, also after waiting up to 5 s for a
 * process that has called exit(3): a request to it that failed is then no
 * failure of a command for all processes. */
bool target_ends(const struct target *target);

/* As target_connect(), for a request that can do without an answer: a process
 * that a signal calls may block it for good. It is waited for half a second. */
int target_connect_briefly(struct target *target);

/* Connects, and asks for the markers. Errors as target_connect(). */
int target_list(struct target *target);

/*
 * Sends MESSAGE_START to one process, also for later programs of it, and adds
 * the places that are not switched. Returns 0, also where the session has no
 * room for some buffers, or programs will not take part, and `*result` becomes
 * COMMAND_FAILED then; or a negative errno, and client.cause tells why.
 */
int target_start(struct target *target, const char *name,
		 const struct client_request *request, struct places *places,
		 int *result);

/* Has the agent undo its changes, and waits until its thread has ended. Returns
 * as client_call(), whose answer says what was dropped. */
int target_detach(struct target *target, bool force,
		  struct client_answer *answer);

/*
 * Returns 0 when `rule` selects a marker of the listed targets; otherwise
 * prints an error with the nearest ids, or that no marker has the rule's level,
 * and returns -ENOENT. Where the kernel
 * does not let this command read the probes of a process, a rule that selects
 * nothing else passes, too, for targets_check_begun() to look at. So does one
 * for a provider of LTTng-UST that may come later, which is told.
 */
int targets_check_rule(struct targets *targets, const char *rule);

/* Asks, as functions_consent() does, before rules take many functions of the
 * living targets, and compiles rules for source lines: of these and of a
 * program, or NULL. Returns as it does. */
int targets_consent(const struct targets *targets, const char *const *rules,
		    int count, const char *program, bool yes);

/* Adds to a request for several targets that each rule may fit a marker of one
 * of them, if so: then the others begin the session without it; those whose
 * markers that it names lack the fields are told. */
void targets_allow_some(const struct targets *targets,
			const char *const *rules, int count,
			struct client_request *request);

/* Returns 0 when each of the rules that passed selects a marker now, or names
 * one of the places that are not switched; otherwise prints as
 * targets_check_rule() does, and returns -ENOENT, or the negative errno of
 * target_list(). */
int targets_check_begun(struct targets *targets, const char *const *rules,
			int count, const struct places *places);

/* Says which targets keep other types of the functions of rules than the rules
 * need, as an earlier one has made the markers, or have none. */
void targets_tell_types(struct targets *targets, const char *const *rules,
			int count);

/* Says which of the rules name nothing in the living targets that have begun
 * the session, and the nearest names: later processes may have it. Says nothing
 * where none has begun it. */
void targets_tell_unmet(struct targets *targets, const char *const *rules,
			int count, const struct places *places);

/* Says which files of the targets were replaced, and have a probe that a rule
 * selects. Returns COMMAND_DONE, or COMMAND_FAILED if there is one. */
int targets_check_files(const struct targets *targets, const char *const *rules,
			int count);

/* Room for the text of targets_nearest(). */
#define TARGETS_NEAREST_BYTES	512

/* Writes "; the nearest: A, B or C", sessions of these processes whose names
 * are like this one; "" if they have no session. */
void targets_nearest(const struct rundir_list *list, const char *name,
		     char *text, size_t room);

/* Says that no process has the session, which names are like it, and which
 * users' processes have it. Returns COMMAND_FAILED. */
int targets_no_session(const struct targets *t, const char *name);

#endif

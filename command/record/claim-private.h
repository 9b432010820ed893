/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The name of a recording, record-PID, which its session has in each process;
 * the runtime directory of these processes; and the file there that tells
 * agents that the recorder is at work.
 *
 * Invariant: no other recording has the name. Two recorders of one name would
 * collect each other's events. A pid does not warrant that: the kernel gives it
 * to later processes, and in each PID namespace.
 */
#ifndef COMMAND_RECORD_CLAIM_PRIVATE_H
#define COMMAND_RECORD_CLAIM_PRIVATE_H

#include "command/causes/outcome.h"
#include "command/agents/deferred.h"
#include "command/runtime/rundir.h"

struct record_options;

struct claim {
	char name[SESSION_NAME_BYTES];
	struct rundir dir;	/* fd -1: none is open */
	int off;		/* sessions/.off.NAME, or -1 */
	struct deferred deferred;
	bool shares;		/* sessions/.shared.NAME/ was made */
	bool keeps;		/* that stays: events are still in it */
};

/* The value before claim_open(): no name, no directory. */
#define CLAIM_NONE	{ .dir.fd = -1, .off = -1, .deferred.fd = -1 }

/* Opens this user's runtime directory, which it makes, and removes rules that
 * killed recorders of the user have left. Returns COMMAND_DONE, or
 * COMMAND_FAILED after printing why. */
int claim_open(struct claim *claim);

/* Opens the directory in which the children of a running process will have
 * theirs, unless one is open. Tells why they are not recorded, which is no
 * failure. */
void claim_follow(struct claim *claim, const struct rundir_process *process,
		  struct outcome *outcome);

/*
 * Takes a name, and makes the file. Adds a number if a recorder in another PID
 * namespace has the name, or sessions of an ended recorder have it. Returns 0,
 * or a negative errno if the file could not be made.
 */
int claim_take(struct claim *claim);

/* Takes a name, makes the rings that processes share, and leaves the request
 * for later processes, in a directory whose path is absolute, as the agent
 * needs it. Returns COMMAND_DONE, or COMMAND_FAILED after printing why. */
int claim_request(struct claim *claim, const struct record_options *o,
		  struct outcome *outcome);

/* Return the name; the directory, whose descriptor is -1 if none is open; the
 * file sessions/.off.NAME, or -1; and whether processes share rings. */
static inline const char *claim_name(const struct claim *claim)
{
	return claim->name;
}

static inline struct rundir *claim_dir(struct claim *claim)
{
	return &claim->dir;
}

static inline int claim_off(const struct claim *claim)
{
	return claim->off;
}

static inline bool claim_shares(const struct claim *claim)
{
	return claim->shares;
}

/* Keeps the shared rings: events are still in them. */
static inline void claim_keep(struct claim *claim)
{
	claim->keeps = true;
}

/* Sends a signal to processes that have put off their files, but not to
 * `except`: they end as members do. */
static inline void claim_signal(struct claim *claim, pid_t except, int number)
{
	deferred_signal(&claim->deferred, except, number);
}

/* Has processes make the files that they have put off: those that live for some
 * time, or with `all` every one. Tells of those that cannot. */
void claim_files(struct claim *claim, bool all);

/* Removes the rules, the file and, unless the claim keeps them, the shared
 * rings, and closes the directory. */
void claim_close(struct claim *claim);

#endif

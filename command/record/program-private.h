/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The program that a recorder runs under the agent, and the recorder's own
 * signals.
 *
 * Invariant: the program gets descriptors 0 to 2, signal dispositions, mask and
 * limits as this command got them. Only the environment differs: LD_PRELOAD,
 * TAFFRAIL_DIR, TAFFRAIL_JOIN, TAFFRAIL_SECCOMP and TAFFRAIL_PROBES. So the
 * child is made before this command changes any of these, but for what
 * program_guard() does, which the child takes back.
 */
#ifndef COMMAND_RECORD_PROGRAM_PRIVATE_H
#define COMMAND_RECORD_PROGRAM_PRIVATE_H

#include "command/record/claim-private.h"
#include "command/record/options.h"

struct probes;
struct trace_set;

struct program {
	pid_t child;		/* 0: none, or waited for */
	int pidfd;		/* or -1 */
	int status;		/* of waitpid() */
	enum lacking_why lacks;	/* why it has no agent, as far as known */
};

/* The value before program_run(). */
#define PROGRAM_NONE	{ .pidfd = -1 }

/*
 * Runs the program of the options: takes the recording's name, and leaves the
 * request there. Returns 0; otherwise an exit status, after printing why: 127
 * not found, 126 not executable, 1.
 */
int program_run(struct program *program, const struct record_options *o,
		struct claim *claim, struct probes *probes,
		const struct trace_set *set, struct outcome *outcome);

/*
 * Keep a signal from leaving a directory that no recording is in: between
 * program_hold() and program_guard(), which has the directory, the signals that
 * end this command wait; from then on until program_prepare(), such a signal
 * removes an empty directory that this command made, gives a former one its
 * name back (former.h), and ends the command.
 */
void program_hold(void);
void program_guard(const struct trace_set *set);

/* Sets handlers and limits of the recorder. Call it when the program runs, or
 * the program would inherit them. */
void program_prepare(void);

/* Returns true once a signal has asked the recorder to stop. */
bool program_interrupted(void);

/* Return the program's pid, and a pidfd of it: 0 and -1 when there is none, or
 * it has ended and was waited for; and why it has no agent, as far as that is
 * known. */
static inline pid_t program_child(const struct program *program)
{
	return program->child;
}

static inline int program_pidfd(const struct program *program)
{
	return program->child ? program->pidfd : -1;
}

static inline enum lacking_why program_lacks(const struct program *program)
{
	return program->lacks;
}

/* Looks whether the program has ended. Returns true when it has just ended. */
bool program_reap(struct program *program);

/* Sends SIGINT to the program and, if it runs five seconds later, SIGTERM. */
void program_end(struct program *program);

/* Sends the signal on if a process has sent it, and no terminal: then it is for
 * the program, too. Waits for the program if it still runs (until a second
 * signal). Returns its exit status, or 128 + signal if a signal killed it; 0
 * without a program. */
int program_wait(struct program *program);

/* Says that the program goes on behind the time of --for, and is waited for, if
 * that is so. */
void program_tell_left(const struct program *program,
		       const struct record_options *o);

/* Says which signal has killed the program, if one has, and none has come to
 * this command. */
void program_tell_killed(const struct program *program);

#endif

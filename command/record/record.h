/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the record*.c files only: options and state of one recording.
 *
 * record.c is the sub-command, options.c its options, run.c starts the program,
 * loop.c finds processes and empties their rings; signals.c is what changes in
 * this process.
 */
#ifndef COMMAND_RECORD_RECORD_H
#define COMMAND_RECORD_RECORD_H

#include <signal.h>

#include "command/processes/client.h"
#include "command/record/consume.h"
#include "command/record/unreached.h"

#define RECORD_RULES_MAX	256
#define RECORD_PROVIDERS_MAX	8

struct record_options {
	const char *output;
	const char *rules[RECORD_RULES_MAX];
	int nrules;
	const char *providers[RECORD_PROVIDERS_MAX];
	int nproviders;
	const char *contexts;
	bool overwrite;
	bool int3;
	uint64_t buffer;
	uint64_t max_size;		/* of the directory, 0: any */
	uint32_t group;			/* is let in; 0: none */
	double seconds;			/* 0: until the end */
	pid_t pid;			/* 0: run `program` */
	char **program;
};

/* A process that takes part. */
struct record_member {
	struct rundir_process process;	/* fd -1 when all is collected */
	int pidfd;			/* -1: watched by number */
	bool alive;
	bool done;
	bool foreign;			/* an image is of another version */
	struct consumer **images;
	size_t nimages;
};

struct record {
	struct record_options options;
	char name[SESSION_NAME_BYTES];
	struct trace_set set;
	struct rundir dir;
	struct record_member **members;
	size_t nmembers;
	int inotify;
	pid_t child;			/* 0: none, or waited for */
	pid_t program;			/* its number, also when it is gone */
	int child_pidfd;
	int child_status;		/* of waitpid() */
	uint64_t next_scan_ns;
	uint64_t unreadable;		/* rings that made no sense */
	struct lacking lacking;		/* programs without an agent */
	enum lacking_why first_lacks;	/* `program`, as far as known */
	uint32_t words_unknown;		/* of the processes' environments */
	int off;			/* sessions/.off.NAME, or -1 */
	int failed;			/* a failure that was not the disk's */
	int crowded;			/* -EMFILE: the last look at processes
					 * was not of all that there is */
	bool missed;			/* buffers were not opened at all */
	bool told;			/* that of the disk */
	bool foreign;			/* a process was of another version */
};

/* The signal that asked to stop, or 0; whether a process sent it. */
extern volatile sig_atomic_t record_signal;
extern volatile sig_atomic_t record_signal_sent;
extern volatile sig_atomic_t record_signals;

/* From the command line. COMMAND_DONE; -1 for help that was printed; else an
 * exit status, after it printed why. */
int record_take_arguments(struct record_options *o, int argc, char **argv);

/* The request that begins the session; to be released. */
void record_request(const struct record *record,
		    struct client_request *request);

/*
 * Runs the program under the agent. 0; otherwise an exit status, after it
 * printed why: 127 not found, 126 not executable, 1.
 */
int record_run(struct record *record);

/* Sets this process's handlers and limits, once the program has its own. */
void record_prepare(void);

/* Says, once, that the trace could not be written: COMMAND_FAILED; else
 * COMMAND_DONE. */
int record_tell_unwritten(struct record *record);

/* Waits for the program if it still runs (until a second signal), returns
 * its exit status: 128 + signal where it died of one. */
int record_wait(struct record *record);

/* Follows processes until all is over or something asked to stop. */
void record_loop(struct record *record);

/* Ends the session in the living, collects what is left of all. */
void record_stop(struct record *record);

/* Takes a process in whose session has been started. 0 or -errno. */
int record_join(struct record *record, const struct rundir_process *process);

/* Removes what is left of those that ended after record_stop(). */
void record_tidy(struct record *record);

/* Frees members; after trace_set_finish(). */
void record_release(struct record *record);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the files of this room only: options and state of one recording.
 *
 * record.c is the sub-command, options.c its options, claim.c gives it a name,
 * run.c starts the program, loop.c finds processes and empties their rings,
 * probes.c loads probe libraries, printed.c tells what they have counted,
 * handed.c opens other users' directories, followed.c serves readers meanwhile,
 * finish.c collects what is left, member.c knows the processes, met.c the rules
 * that selected a marker, unmet.c tells of the others, settle.c frees what they
 * no longer need, outcome.c tells what went wrong.
 */
#ifndef COMMAND_RECORD_PRIVATE_H
#define COMMAND_RECORD_PRIVATE_H

#include <signal.h>

#include "command/common/command.h"
#include "command/record/consume.h"
#include "command/record/shortage.h"
#include "command/record/unreached.h"

struct client_request;
struct record_handed;
struct load_wish;
struct places;

#define RECORD_RULES_MAX	256
#define RECORD_PROVIDERS_MAX	8
#define RECORD_LATE_MAX		1024
#define RECORD_LEFT_MAX		512
#define RECORD_PROBES_MAX	8
#define RECORD_CONNECTS_MAX	64
#define RECORD_HANDED_MAX	256
#define RECORD_USERS_MAX	256

struct record_options {
	const char *output;
	const char *rules[RECORD_RULES_MAX];
	int nrules;
	const char *providers[RECORD_PROVIDERS_MAX];
	int nproviders;
	const char *probes[RECORD_PROBES_MAX];	/* probe libraries */
	int nprobes;
	struct load_wish *connects;	/* of RECORD_CONNECTS_MAX */
	int nconnects;
	const char *contexts;
	bool overwrite;
	bool int3;
	bool fail_on_loss;
	uint64_t buffer;
	uint64_t max_size;		/* of the directory, 0: no limit */
	uint32_t group;			/* of --allow-group; 0: none */
	double seconds;			/* 0: until the end */
	struct command_pids pids;	/* none: run `program` */
	char **program;
	bool bare;			/* no word stands before `program` */
};

/* A process that takes part. */
struct record_member {
	struct rundir_process *process;	/* NULL once it was collected */
	char name[48];			/* of its directory */
	uid_t uid;			/* whose it is */
	const struct record_member *before; /* the same process, as it had
					 * another user and program; or NULL */
	pid_t pid;
	int pidfd;			/* -1: watched by pid */
	bool alive;
	bool done;
	bool foreign;			/* an image is of another version */
	struct consumer **images;
	size_t nimages;
};

/* Files that stay for a moment. */
struct record_left {
	char process[48];		/* the name of its directory */
	uid_t uid;			/* its owner */
	struct consumer *consumer;
	uint64_t due_ns;
};

/* Hits that a process's callbacks had missed before its libraries came. */
struct record_before {
	pid_t pid;
	uint32_t image;
	uint64_t missed[MISSED_END];
};

struct record {
	struct record_options options;
	struct outcome outcome;
	char name[SESSION_NAME_BYTES];
	struct trace_set set;
	struct rundir dir;
	struct record_handed *handed[RECORD_HANDED_MAX]; /* other users'
					 * directories: handed.c */
	size_t nhanded;
	uid_t users[RECORD_USERS_MAX];	/* that processes became */
	size_t nusers;
	struct record_member **members;
	size_t nmembers;
	int inotify;
	pid_t child;			/* 0: none, or waited for */
	pid_t program;			/* its pid, also after its end */
	int child_pidfd;
	int child_status;		/* of waitpid() */
	uint64_t next_scan_ns;
	uint64_t scan_again_ns;		/* earlier ones take too much time */
	uint32_t scans;			/* that have begun */
	uint64_t next_joiners_ns;	/* looks for processes to come */
	uint64_t unreadable;		/* rings that made no sense */
	struct lacking lacking;		/* programs without an agent */
	struct places *places;		/* not traced: places.h */
	enum lacking_why first_lacks;	/* `program`, as far as known */
	uint32_t words_unknown;		/* of the processes' environments */
	int off;			/* sessions/.off.NAME, or -1 */
	bool unwritten;			/* that the disk failed was told */
	int failed;			/* a failure that was not the disk's */
	int crowded;			/* -EMFILE: the last scan did not see
					 * every process */
	struct shortage shortage;	/* of room for buffers */
	struct event_view **met;	/* table of the markers that settled
					 * images had, each once */
	size_t met_room;		/* a power of two, or 0 */
	size_t nmet;
	const char *faults;		/* of an image that is not settled */
	struct consumer *late[RECORD_LATE_MAX];	/* finished, still mapped */
	size_t nlate;
	struct record_left left_files[RECORD_LEFT_MAX];
	size_t nleft;
	int missed;			/* -errno: buffers were not opened */
	uint64_t followed_ns;		/* of followed.c: the next turn, */
	size_t followed_next;		/* the next member to ask, */
	int64_t followed_begin;		/* when this began, or 0, */
	uint32_t followed_scans;	/* how many scans there were then, */
	int64_t followed_told;		/* and what is told then, or 0 */
	char *requests;			/* for the program's environment */
	char *printed;			/* the file of printed.c, or NULL, */
	int printed_fd;			/* and its descriptor */
	uint64_t missed_hits[MISSED_END]; /* by callbacks of the libraries */
	uint64_t called;		/* request_bits() that markers had */
	struct record_before *before;	/* of each process of `pids` */
	int nbefore;
	int nloaded;			/* of `pids`: they have the probe
					 * libraries */
};

/* The signal that asked to stop, or 0; whether a process sent it; how many. */
extern volatile sig_atomic_t record_signal;
extern volatile sig_atomic_t record_signal_sent;
extern volatile sig_atomic_t record_signals;

/* Reads the command line. Returns COMMAND_DONE; -1 after printing help; else an
 * exit status, after printing why. */
int record_take_arguments(struct record_options *o, int argc, char **argv);

/* Says that an option of record's stands behind the program, and so went to it,
 * where nothing stands before the program and the option is hardly the
 * program's. Call it when the program has ended: then a directory of -o that
 * does not exist is none of its files. */
void record_tell_stray(const struct record_options *o);

/*
 * probes.c: --probe and --connect. record_take_ read the options, and return a
 * status of enum command_exit. record_check_probes() checks the libraries, and
 * replaces their words by paths. record_probes_run() makes the requests for a
 * program; record_probes_tell() adds to the outcome what became of them.
 * record_probes_load() does the same in processes that run already, and
 * record_probes_unload() takes it back. All return COMMAND_DONE, or
 * COMMAND_FAILED after printing why. record_probes_image() does it in a program
 * that such a process has executed, as soon as it is seen.
 */
int record_take_probe(struct record_options *o, const char *word);
int record_take_connect(struct record_options *o, const char *word);
int record_check_probes(struct record_options *o);
int record_probes_run(struct record *record);
void record_probes_tell(struct record *record);
int record_probes_load(struct record *record);
int record_probes_unload(struct record *record);
/* Adds what the page of an image that is finished says of callbacks. Returns
 * the sum of missed hits; record_probes_missed_tell() adds to the outcome why,
 * which is a failure with --fail-on-loss. */
void record_probes_take(struct record *record, pid_t pid,
			const struct process_page *page);
uint64_t record_probes_missed(const struct record *record);
void record_probes_missed_tell(struct record *record);
void record_probes_image(struct record *record,
			 const struct rundir_process *process);

/*
 * printed.c: what the libraries have counted. _open() makes the file, and
 * returns COMMAND_DONE or COMMAND_FAILED after printing why. _ask() asks a
 * process that lives. _tell() prints all, when the program has ended; it
 * removes the file if it is empty.
 */
int record_printed_open(struct record *record);
void record_printed_ask(const struct record *record, pid_t pid);
void record_printed_tell(struct record *record);

/* Makes the request that begins the session; the caller releases it. */
void record_request(const struct record *record,
		    struct client_request *request);

/*
 * Gives the recording a name, record-PID, and takes the file that says so. If a
 * recorder in another PID namespace has this name, or sessions of an ended one
 * have it, adds a number. Returns 0, or a negative errno: the file could not be
 * made.
 */
int record_claim(struct record *record);

/*
 * Runs the program under the agent. Returns 0; otherwise an exit status, after
 * printing why: 127 not found, 126 not executable, 1.
 */
int record_run(struct record *record);

/* Frees what a finished image no longer needs. Keeps the markers that no other
 * one had, and the image if it has faults of conditions of its own. */
void record_settle(struct record *record, struct consumer *consumer);

/* Returns true when the rule has selected a marker of some process. */
bool record_met(const struct record *record, const char *rule);

/* Tells that a rule names no marker of any process, and what may. */
void record_tell_rule(struct record *record, const char *rule);

/* Adds to the outcome which rules matched no marker, most likely typing errors;
 * or, without any agent, only that: then no rule could match. */
void record_tell_unmet(struct record *record);

/* Sets this process's handlers and limits, once the program has its own. */
void record_prepare(void);

/* If the trace could not be written, tells that once. */
void record_tell_unwritten(struct record *record);

/* Waits for the program if it still runs (until a second signal). Returns its
 * exit status, or 128 + signal if a signal killed it. */
int record_wait(struct record *record);

/* Follows the processes until each has ended, or until a signal or a limit
 * stops the recording. */
void record_loop(struct record *record);

/* Serves those who follow the recording, a few times a second. */
void record_followed(struct record *record, uint64_t now_ns);

/* Ends the session in living processes, and collects the rest of each
 * process. */
void record_stop(struct record *record);

/* Adds a process whose session has been started. Returns 0 or a negative
 * errno. */
int record_join(struct record *record, const struct rundir_process *process);

/* record_late_add() takes a finished image; record_late_end() counts what
 * children of these images have lost since. Call it before
 * trace_set_finish(). */
void record_late_add(struct record *record, struct consumer *consumer);
void record_late_end(struct record *record);

/* Removes the files of processes that ended after record_stop(). */
void record_tidy(struct record *record);

/* Frees the members. Call it after trace_set_finish(). */
void record_release(struct record *record);

#endif

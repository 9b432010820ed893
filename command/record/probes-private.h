/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Probe libraries of a recording: --probe and --connect.
 *
 * A program that is run gets the requests in its environment (REQUEST_ENV), and
 * libtaffrail-probe.so, which runs them before the program's own constructors
 * and writes the result of each to the recorder's file. A process that runs
 * already gets them as by `taffrail load` and `taffrail connect`, before the
 * session starts, and loses them at the end.
 *
 * A file beside the traces has the counters of the libraries: processes add
 * them when they end (control/request.h), and this command for processes that
 * outlive the recording. It is printed at the very end.
 *
 * Invariant: the recorder reads and writes the file that it has made, and
 * follows no path to it. Another user may own the directory around the trace,
 * and exchange files there.
 */
#ifndef COMMAND_RECORD_PROBES_PRIVATE_H
#define COMMAND_RECORD_PROBES_PRIVATE_H

#include "command/record/claim-private.h"
#include "command/record/options.h"
#include "command/record/rules.h"

struct trace_set;

/* Hits that callbacks of a process had missed before the recorder loaded its
 * libraries. */
struct probes_before {
	pid_t pid;
	uint32_t image;
	uint64_t missed[MISSED_END];
};

/* The probe libraries of a recording. */
struct probes {
	const struct record_options *options;
	struct outcome *outcome;
	char *requests;			/* for the program's environment */
	char *printed;			/* the file's path, or NULL, */
	int printed_fd;			/* and its descriptor */
	uint64_t missed[MISSED_END];	/* hits, by callbacks */
	uint64_t called;		/* request_bits() that markers had */
	struct probes_before *before;	/* of each process of -p */
	size_t nbefore;
	int nloaded;			/* processes of -p that have them */
};

/* The value before the others; the options and the outcome must live as
 * long. */
#define PROBES_NONE(of, to) { .options = (of), .outcome = (to) }

/* Makes the requests for a program, a text that lives until probes_close() or
 * NULL. `lacks` is why it has no agent. Returns COMMAND_DONE, or COMMAND_FAILED
 * after printing why. */
int probes_run(struct probes *probes, struct claim *claim,
	       const struct trace_set *set, enum lacking_why lacks,
	       const char **requests);

/* Loads and connects the libraries in the processes of -p. Returns as
 * probes_run(). */
int probes_load(struct probes *probes, const struct trace_set *set);

/* Does so in a program that such a process has executed, as soon as it is
 * seen. */
void probes_image(struct probes *probes, const struct rundir_process *process);

/* Adds the counters of callbacks in the page of a finished image. */
void probes_take(struct probes *probes, pid_t pid,
		 const struct process_page *page);

/* probes_ask() asks a living process for the counters of the libraries;
 * probes_leave() unloads them from a program that a process of -p has executed,
 * and from children. Both are for members_each_living(), with the probes as
 * `priv`. */
void probes_ask(pid_t pid, void *priv);
void probes_leave(pid_t pid, void *priv);

/* Unloads the libraries from the processes of -p. */
void probes_unload(struct probes *probes);

/* Adds to the outcome the failures of the requests that a program got, by the
 * recorder's file; `some` is as for rules_note(). */
void probes_note(const struct probes *probes, const struct claim *claim,
		 const struct rules *rules, bool some);

/* Returns how many hits callbacks missed, in all. probes_note_missed() adds to
 * the outcome why; with --fail-on-loss they are a failure. */
uint64_t probes_missed(const struct probes *probes);
void probes_note_missed(const struct probes *probes);

/* Prints the counters of the libraries, when the program has ended; removes
 * their file from the directory `fd` if it is empty. Frees all. */
void probes_close(struct probes *probes, int fd);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A trace run: from tstart to tstop, and the frames that are left of it.
 *
 * One at a time. It has a session of its own, named "gdb", without rules: its
 * rings are as any other's, and are gone when the frames are. What gdb has
 * defined (gdbstub/tracing/defined.h) is copied when it starts or when it is
 * added. Service thread only.
 */
#ifndef GDBSTUB_TRACING_RUN_H
#define GDBSTUB_TRACING_RUN_H

#include <stdint.h>

#include "tracepoints/frames/frames.h"

struct object;
struct patcher;
struct trace_point;

enum run_phase {
	RUN_NONE,		/* never started, or forgotten */
	RUN_ON,
	RUN_ENDED,
};

enum run_reason {
	RUN_STOPPED,		/* by tstop */
	RUN_FULL,		/* frames were lost: the buffer is full */
	RUN_DISCONNECTED,	/* gdb went */
	RUN_PASSED,		/* a pass count was reached */
};

/* What qTStatus tells. Times are microseconds of the real-time clock. */
struct run_state {
	enum run_phase phase;
	enum run_reason reason;
	uint32_t passed;		/* that tracepoint's number */
	uint64_t started;
	uint64_t ended;
};

/*
 * A tracepoint is complete. While a run is on, it takes part from now on.
 * Returns 0, also when there is no run; a negative errno when it cannot: the
 * definition is then forgotten.
 */
int run_install(struct trace_point *point);

/*
 * A complete tracepoint is to be on or off. Returns 0, also when there is no
 * run; a negative errno when the run cannot follow: it stays as it was.
 */
int run_enable(struct trace_point *point, int on);

/* All definitions are about to go (QTinit): a run ends, its frames go, and
 * nothing points to them afterwards. */
void run_forget(void);

/* A module came while gdb's tracepoints may be on; as session_module_came(). */
void run_module_came(struct object *object, const struct patcher *patcher);

/* Starts one; what is left of the last goes. Returns 0, or a negative errno
 * and why. */
int run_start(const char **why);

/* Ends it, if it is on. */
void run_stop(enum run_reason reason);

/* A gdb has come: to a forked child, whose parent's run is not its own. */
void run_connected(void);

/* gdb has gone, whether it said so or not. */
void run_disconnected(void);

/* Sees whether the run has ended by itself meanwhile. */
void run_look(struct run_state *state);

/* Returns whether there is a run, on or ended, and changes nothing. */
int run_exists(void);

/* How much there is of frames; without a run all 0, but for the room that one
 * would have. */
void run_tally(struct frames_tally *tally);

/* Hits of a tracepoint and the bytes it has collected. */
void run_counts(const struct trace_point *point, uint64_t *hits,
		uint64_t *bytes);

/* The frames of a run that has ended, or NULL. Good until the next call of a
 * function here. */
const struct frames *run_frames(void);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A trace run: from tstart to tstop, and afterwards the frames.
 *
 * There is one run at a time. It has a private session, named "gdb", without
 * rules. The session's rings are like any other's, and are gone when the
 * frames are. A tracepoint (gdbstub/tracing/defined.h) is copied when the run
 * starts, or when gdb adds it to the run. Service thread only.
 */
#ifndef GDBSTUB_TRACING_RUN_H
#define GDBSTUB_TRACING_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "tracepoints/frames/frames.h"

struct channel;
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

/* The facts that qTStatus tells. Times are microseconds of the real-time
 * clock. */
struct run_state {
	enum run_phase phase;
	enum run_reason reason;
	uint32_t passed;		/* RUN_PASSED: the tracepoint */
	uint64_t started;
	uint64_t ended;
};

/*
 * Adds a complete tracepoint to the run, if a run is on. Returns NULL, also
 * when there is no run; or the reason when the tracepoint cannot take part: the
 * caller then forgets the definition.
 */
const char *run_install(struct trace_point *point);

/*
 * Switches a complete tracepoint on or off. Returns 0, also when there is no
 * run; or a negative errno when the run cannot do so: it stays as it was.
 */
int run_enable(struct trace_point *point, int on);

/* Ends the run and drops the frames, before QTinit removes all definitions:
 * nothing points to the definitions afterwards. */
void run_forget(void);

/* Serves a module that came while gdb's tracepoints may be on; as
 * session_module_came(). */
void run_module_came(struct object *object, const struct patcher *patcher);

/* Serves the markers that session_adopt() has made for the run. */
void run_adopted(const struct patcher *patcher);

/*
 * Tells whether hits at an address are this marker's for a channel. Of several
 * markers at the address, such as a function's and one of gdb's own, it is the
 * one that is on for the channel, else one that is not gdb's own.
 * The registry's lock is held.
 */
bool run_object_serves(const struct object *object, uint64_t address,
		       const struct channel *channel);

/* Returns in words why a place can have no tracepoint: enum usdt_reason, or a
 * negative errno. */
const char *run_refusal(int why);

/* Where dprintfs need markers (prints.c): sets the address of one, or 0; makes
 * markers, and returns 0 or as above. The latter under the registry's lock. */
void run_print_point(uint32_t place, uint64_t address);
int run_prints_place(const struct patcher *patcher);

/* prints.c: serves markers that came, as run_adopted(); takes all dprintfs out;
 * tells that gdb has come, which in a forked child drops those that the child
 * has copied; tells that gdb has gone. */
void prints_adopted(const struct patcher *patcher);
void prints_forget(void);
void prints_connected(void);
void prints_disconnected(void);

/* Makes a packet for gdb's console of the oldest text that waits. Returns false
 * when none does. */
struct packet;
bool prints_tell(struct packet *out);

/* Starts a run, and drops the rest of the last one. Returns 0, or a negative
 * errno and a text in *why. */
int run_start(const char **why);

/* Ends the run, if it is on. */
void run_stop(enum run_reason reason);

/* Says that a gdb has come. In a forked child, drops the run that the child
 * has copied from its parent. */
void run_connected(void);

/* Says that gdb has gone, with or without a detach. */
void run_disconnected(void);

/* Gets the run's state; first ends a run that is full or has passed. */
void run_look(struct run_state *state);

/* Returns whether there is a run, on or ended, and changes nothing. */
bool run_exists(void);

/* Counts frames and their bytes. Without a run all is 0, except the room that a
 * run would have. */
void run_tally(struct frames_tally *tally);

/* Gets the hits of a tracepoint and the bytes that it has collected. */
void run_counts(const struct trace_point *point, uint64_t *hits,
		uint64_t *bytes);

/* Returns the frames of a run that has ended, or NULL. They are good until the
 * next call of a function here. */
const struct frames *run_frames(void);

#endif

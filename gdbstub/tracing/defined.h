/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What gdb has defined for tracing: tracepoints, their actions and source
 * texts, trace state variables, settings. It outlives the connection.
 *
 * All of it is one mapping, made at first use; QTinit empties it, and a
 * forked child finds it empty. Zeroes mean: nothing is defined.
 *
 * What must stay true: everything here came from the peer and is checked where
 * it comes in: numbers, addresses (a tracepoint is at a marker), agent
 * expressions, and how much there is of all. The service thread's alone: what
 * threads of the program need is copied from here.
 */
#ifndef GDBSTUB_TRACING_DEFINED_H
#define GDBSTUB_TRACING_DEFINED_H

#include <stdint.h>

#include "tracepoints/frames/collect.h"

/*
 * GDB saves what is uploaded to it in lines, and its reader takes 999
 * characters of one. The next four keep each line below that; the notes are
 * all in one.
 */
#define TRACE_CODE_BYTES	400u	/* GDB makes up to 184 */
#define TRACE_WIRE_BYTES	840u	/* an action as it came */
#define TRACE_SOURCE_BYTES	470u	/* a longer text is not kept */
#define TRACE_NOTE_BYTES	128u	/* longer notes are cut */

#define TRACE_NUMBER_MAX	0xffffu	/* u16 of a trace file's frames */
#define TRACE_MEMORY_BYTES	0xffffu	/* of an action: u16 as well */
#define TRACE_SOURCES_MAX	64	/* of a tracepoint; more are dropped */
#define TRACE_ARENA_BYTES	(1u << 20)

struct connection;

/* A text of QTDPsrc, uploaded again to a gdb that comes later. */
struct trace_source {
	struct trace_source *next;
	const char *kind;		/* "at", "cond", "cmd" */
	uint32_t length;		/* of the text, as announced */
	uint32_t used;			/* of it, so far */
	char *text;			/* not terminated */
};

/* One action, as it came ("R...", "M...", "X...", "L") and as collect.h has
 * it. */
struct trace_action {
	struct trace_action *next;
	const char *wire;
	struct collect_action collect;
};

/* A tracepoint at one address; those of one number may be at several. */
struct trace_point {
	struct trace_point *next;
	uint32_t number;
	uint32_t enabled;
	uint32_t complete;		/* all its actions have come */
	uint32_t is_static;		/* came with :S */
	uint64_t address;
	uint64_t pass;
	const uint8_t *condition;	/* or NULL */
	uint32_t condition_bytes;
	uint32_t nactions;
	struct trace_action *actions;	/* in their order */
	struct trace_source *sources;
	uint32_t aside;			/* at no marker: collects nothing */
	uint32_t slot;			/* the run's; 0 until it says */
};

struct trace_variable {
	uint32_t defined;
	uint32_t builtin;
	int64_t initial;
	char name[64];
};

struct trace {
	struct trace_point *points;	/* in the order of their definition */
	uint32_t npoints;
	uint32_t generation;		/* QTinits so far */
	struct trace_variable variables[COLLECT_VARIABLES_MAX];

	/* settings: QTinit leaves them; 0: none, off, default */
	uint32_t circular;
	uint32_t disconnected;		/* a run goes on when gdb goes */
	uint64_t size;			/* bytes of the buffer */
	uint32_t data;			/* variable that means static data */
	char user[TRACE_NOTE_BYTES];
	char notes[TRACE_NOTE_BYTES];
	char stop_note[TRACE_NOTE_BYTES];	/* comes after QTStop */

	/* private */
	char why[160];
	uint64_t scratch[AX_PROGRAM_BYTES(TRACE_CODE_BYTES) / 8 + 1];
	uint32_t used;
	uint8_t arena[TRACE_ARENA_BYTES] __attribute__((aligned(16)));
};

/* All there is; NULL when the process has no memory for it. */
struct trace *trace_get(void);

/* Nothing is defined any more; after run_forget(). */
void trace_clear(struct trace *t);

/* The same, and nothing is set: the next gdb finds what the first one did. */
void trace_forget(struct trace *t);

/* The tracepoint of that number at that address, or NULL. */
struct trace_point *trace_find(const struct trace *t, uint64_t number,
			       uint64_t address);

/*
 * A tracepoint as tracepoints/frames/collect.h wants it. `actions` has room for
 * COLLECT_ACTIONS_MAX and is the caller's, as is what the request points to
 * beyond QTinit: copy it.
 */
void trace_request(const struct trace_point *point,
		   struct collect_request *request,
		   struct collect_action *actions);

/* The rest is for define*.c. */

extern const char trace_malformed[];
extern const char trace_no_memory[];

/* Answers OK, or a refusal when there is a reason. */
int trace_answer(struct connection *c, const char *why);

/* Zeroed memory, aligned to 8, until QTinit; NULL when it is used up. */
void *trace_take(struct trace *t, uint32_t bytes);

/* "NUMBER:ADDRESS", moving *p behind it. Returns 0 when that is not there. */
int trace_read_name(const char **p, uint64_t *number, uint64_t *address);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The definitions of gdb for tracing: tracepoints, their actions and source
 * texts, trace state variables, settings. It outlives the connection.
 *
 * All of it is one mapping, made at first use; QTinit empties it, and a
 * forked child finds it empty. Zeroes mean: nothing is defined.
 *
 * Invariant: all data here came from the peer, and is checked where it comes
 * in: numbers, addresses (at a marker, or in a module), agent expressions, and
 * the amount of each. Only the service thread uses it: it makes copies for
 * threads of the program.
 */
#ifndef GDBSTUB_TRACING_DEFINED_H
#define GDBSTUB_TRACING_DEFINED_H

#include <stdint.h>

#include "tracepoints/frames/collect.h"

/*
 * GDB saves uploaded definitions in lines, and the reader takes 999 characters
 * of a line. The next four numbers keep each line below that. All notes are in
 * one line.
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

/* A text of QTDPsrc, kept for a gdb that comes later. */
struct trace_source {
	struct trace_source *next;
	const char *kind;		/* "at", "cond", "cmd" */
	uint32_t length;		/* of the text, as announced */
	uint32_t used;			/* bytes that have come */
	char *text;			/* not terminated */
};

/* One action: as it came ("R...", "M...", "X...", "L"), and in the form of
 * collect.h. */
struct trace_action {
	struct trace_action *next;
	const char *wire;
	struct collect_action collect;
};

/* A tracepoint at one address; several may have the same number. */
struct trace_point {
	struct trace_point *next;
	uint32_t number;
	uint32_t enabled;
	uint32_t complete;		/* all actions have come */
	uint32_t is_static;		/* came with :S */
	uint64_t address;
	uint64_t pass;
	const uint8_t *condition;	/* or NULL */
	uint32_t condition_bytes;
	uint32_t nactions;
	struct trace_action *actions;	/* in their order */
	struct trace_source *sources;
	uint32_t fast;			/* came with :F, and this length */
	uint32_t at_marker;		/* else before another instruction */
	uint32_t aside;			/* beside a marker: collects nothing */
	uint32_t slot;			/* in the run, from 1 on; 0: none */
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

	/* settings: QTinit keeps them; 0: none, off, default */
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

/* Returns the definitions, or NULL when the process has no memory for them. */
struct trace *trace_get(void);

/* Removes all definitions; after run_forget(). */
void trace_clear(struct trace *t);

/* Removes all definitions and settings: the next gdb finds the state that the
 * first one found. */
void trace_forget(struct trace *t);

/* Returns the tracepoint of that number at that address, or NULL. */
struct trace_point *trace_find(const struct trace *t, uint64_t number,
			       uint64_t address);

/*
 * Fills the request of tracepoints/frames/collect.h for a tracepoint. `actions`
 * is the caller's and has room for COLLECT_ACTIONS_MAX. The request points into
 * memory that is good until QTinit: copy the parts that must live longer.
 */
void trace_request(const struct trace_point *point,
		   struct collect_request *request,
		   struct collect_action *actions);

/* Mends the code of gdb's for a frame's base in a register. */
void frame_base_mend(uint8_t *code, uint32_t bytes);

/* The rest is for define*.c. */

extern const char trace_malformed[];
extern const char trace_no_memory[];

/* Answers OK when `why` is NULL, else a refusal with that text. */
int trace_answer(struct connection *c, const char *why);

/* Returns zeroed memory, aligned to 8, good until QTinit; NULL when there is no
 * more. */
void *trace_take(struct trace *t, uint32_t bytes);

/* Reads "NUMBER:ADDRESS" and moves *p behind it. Returns false when something
 * else is there. */
bool trace_read_name(const char **p, uint64_t *number, uint64_t *address);

#endif

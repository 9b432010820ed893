/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Collecting for gdb's tracepoints: the work of a hit at a marker where gdb has
 * tracepoints.
 *
 * A tracepoint is a condition and actions; a hit for which the condition holds
 * writes one frame: an event of the channel that belongs to gdb, with these
 * fields, packed:
 *
 *	u32 tracepoint | s32 vtid | sequence of u8: u64 address, blocks
 *
 * A block is as in a trace file of GDB ("Debugging with GDB", appendix "Trace
 * File Format"), in host byte order, packed:
 *
 *	'R' registers[REGISTERS_BLOCK_BYTES]
 *	'M' u64 address | u16 n | n bytes
 *	'V' s32 variable | s64 value
 *	'S' u16 n | n bytes		static data; not for gdb's readers
 *
 * 'S' is the agent's own: the fields of the event as a ring would hold them
 * (packed scalars; strings with their NUL; sequences after a u32 count), cut
 * off when there was no room.
 */
#ifndef TRACEPOINTS_FRAMES_COLLECT_H
#define TRACEPOINTS_FRAMES_COLLECT_H

#include <stdint.h>

#include "buffers/rings/channel.h"
#include "tracepoints/conditions/ax.h"
#include "tracepoints/sites/registry.h"

enum collect_block {
	COLLECT_BLOCK_REGISTERS = 'R',
	COLLECT_BLOCK_MEMORY = 'M',
	COLLECT_BLOCK_VARIABLE = 'V',
	COLLECT_BLOCK_STATIC = 'S',
};

#define COLLECT_VARIABLES_MAX	128	/* state variables: numbers are below */
#define COLLECT_POINTS_MAX	256	/* tracepoints of a run */
#define COLLECT_ACTIONS_MAX	64	/* of a tracepoint */

enum collect_kind {
	COLLECT_REGISTERS,	/* a register block */
	COLLECT_STATIC,		/* the event's fields */
	COLLECT_MEMORY,		/* bytes at an address, or at a register's */
	COLLECT_EXPRESSION,	/* an agent expression that collects */
};

#define COLLECT_ABSOLUTE	(~0u)	/* `base` of memory: none */

struct collect_action {
	enum collect_kind kind;
	uint32_t base;		/* of memory: register, or COLLECT_ABSOLUTE */
	uint64_t offset;
	uint64_t bytes;
	const uint8_t *code;	/* of an expression */
	uint32_t code_bytes;
};

/* A tracepoint as gdb asks for it. */
struct collect_request {
	uint32_t number;		/* GDB's */
	uint32_t enabled;
	uint64_t address;
	uint64_t pass;			/* hits that end the run; 0: none do */
	const uint8_t *condition;	/* agent expression, or NULL */
	uint32_t condition_bytes;
	uint32_t nactions;
	const struct collect_action *actions;
};

/*
 * The parts of a hit that a tracepoint's agent expressions can use: registers
 * by GDB's numbers, memory, trace state variables, collecting. `hit` of
 * ax_run() is private to the collector.
 */
extern const struct ax_machine collect_machine;

/* A prepared tracepoint, and all of a marker. */
struct collect_point;
struct collect_list;

/*
 * Prepares a tracepoint. It exists until the process exits; an equal request
 * gets the same one. `slot` (below COLLECT_POINTS_MAX) is the place of the
 * counts. Returns 0; -EINVAL and the reason in `why`; -ENOMEM. The registry's
 * lock is held.
 */
int collect_point_make(const struct collect_point **point,
		       const struct collect_request *request, uint32_t slot,
		       struct ax_refusal *why);

/*
 * Calls fn(a, b) and keeps all vector registers around the call. Set, by a
 * layer that can do so, before gdb has tracepoints at a USDT probe. SIGSAFE.
 */
extern int (*collect_kept)(int (*fn)(void *a, void *b), void *a, void *b);

/* A trace state variable that is, at a hit of a marker, the value of a field:
 * an integer, an address or a truth value, of 64 bits. */
struct collect_field {
	uint32_t variable;
	uint32_t field;
};

/* What a marker gets: tracepoints, and such variables, of which only the first
 * TAFFRAIL_FIELDS_MAX count. */
struct collect_wish {
	const struct collect_point *const *points;
	uint32_t n;
	uint32_t nfields;
	const struct collect_field *fields;
};

/*
 * Gives a marker the tracepoints that hits serve from now on, and switches it
 * on for the channel. If there are none, takes all away. Returns 0 or a
 * negative errno. The registry's lock is held.
 */
int collect_set(struct object *object, struct channel *channel,
		const struct collect_wish *wish, const struct patcher *patcher);

/* Why a run ended by itself. */
enum collect_end {
	COLLECT_GOES_ON = 0,
	COLLECT_PASSED,			/* a pass count was reached */
};

/* Hits of a tracepoint without a pass count are counted by CPU. The frames of
 * most tracepoints all have the same size: only differences are summed up. */
struct collect_count {
	uint64_t hits;			/* except those in collect_tally */
	uint64_t usual;			/* bytes of the first frame */
	uint64_t rest;			/* sum of differences, modulo 2^64 */
	uint32_t enabled;
} __attribute__((aligned(64)));

/*
 * Starts a run: frames go to the channel as events of number `id`, cut off
 * where a sub-buffer ends. Counts begin at 0, variables keep their values.
 * Returns 0 or -ENOMEM. One run at a time; in a forked child none runs.
 */
int collect_start(struct channel *channel, uint32_t id);

/*
 * Ends the run. Returns when all counted hits have written their frames and no
 * other hit writes. If a thread has left a hit by siglongjmp(), the frame never
 * comes: waits COLLECT_SETTLE_MS at most.
 */
void collect_stop(void);

/* Returns why the run has ended by itself and waits for collect_stop(), or
 * COLLECT_GOES_ON. When it has ended, stores the slot of the tracepoint that
 * ended it, and the time by the trace clock. */
enum collect_end collect_ended(uint32_t *slot, uint64_t *clock);

/* By slot; written by the program's threads. */
extern struct collect_count collect_counts[COLLECT_POINTS_MAX];

/* Return how often the condition held, and the bytes of the frames of so many
 * hits. */
uint64_t collect_hits(uint32_t slot);
uint64_t collect_bytes(uint32_t slot, uint64_t hits);

/* How many frames are incomplete because there was no room. */
extern uint64_t collect_cut;

/* How many hits made no frame because their condition could not be evaluated,
 * as with a bad pointer or a division by zero. */
extern uint64_t collect_undecided;

/*
 * Read and set trace state variables. Number 1 is GDB's $trace_timestamp:
 * microseconds of the real-time clock; it cannot be set. Return 0, or -1 for a
 * number that is too large or cannot be set. SIGSAFE.
 */
#define COLLECT_TIMESTAMP	1
int collect_variable_get(uint32_t number, int64_t *value);
int collect_variable_set(uint32_t number, int64_t value);

/* A frame is an event of this channel and name. */
#define COLLECT_CHANNEL		"gdb"
#define COLLECT_EVENT		"frame"
struct event_record *collect_record_publish(struct channel *channel);

#endif

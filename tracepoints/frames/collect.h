/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Collecting for gdb's tracepoints: what a hit of a marker does when gdb has
 * tracepoints there.
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
 * Ours: 'S' holds the fields of the event as a ring would hold them (packed
 * scalars; strings with their NUL; sequences behind a u32 count), cut short
 * when there was no room.
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

#define COLLECT_VARIABLES_MAX	128	/* numbers of state variables: below */
#define COLLECT_POINTS_MAX	256	/* tracepoints of a run */
#define COLLECT_ACTIONS_MAX	64	/* of a tracepoint */

enum collect_kind {
	COLLECT_REGISTERS,	/* all that a register block has */
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

/* A tracepoint as it is asked for. */
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
 * What a tracepoint's agent expressions can ask of a hit: registers by GDB's
 * numbers, memory, trace state variables, collecting. `hit` of ax_run() is
 * the collector's own.
 */
extern const struct ax_machine collect_machine;

/* A tracepoint that is ready, or all those of a marker. */
struct collect_point;
struct collect_list;

/*
 * Makes a tracepoint ready; it exists for good, and asked for once more it is
 * the same. `slot` (below COLLECT_POINTS_MAX) is where its counts are. Returns
 * 0; -EINVAL and the reason in `why`; -ENOMEM. The registry's lock is held.
 */
int collect_point_make(const struct collect_point **point,
		       const struct collect_request *request, uint32_t slot,
		       struct ax_refusal *why);

/*
 * Calls fn(a, b) with all vector registers kept around it; set by who knows
 * how, before gdb has tracepoints at a probe of the program's. SIGSAFE.
 */
extern int (*collect_kept)(int (*fn)(void *a, void *b), void *a, void *b);

/*
 * Gives a marker the tracepoints that hits of it serve from now on, and
 * switches it on for the channel; n is 0: takes all away. Returns 0 or a
 * negative errno. The registry's lock is held.
 */
int collect_set(struct object *object, struct channel *channel,
		const struct collect_point *const *points, uint32_t n,
		const struct patcher *patcher);

/* Why a run ended by itself. */
enum collect_end {
	COLLECT_GOES_ON = 0,
	COLLECT_PASSED,			/* a pass count was reached */
};

/* Hits that need not be told apart are counted by CPU. The frames of most
 * tracepoints all have the same size: only others are summed up. */
struct collect_count {
	uint64_t hits;			/* but those in collect_tally */
	uint64_t usual;			/* bytes of the first one's frame */
	uint64_t rest;			/* what others have more, modulo 2^64 */
	uint32_t enabled;
} __attribute__((aligned(64)));

/*
 * A run: frames go to the channel as events of number `id`, `limit` bytes at
 * most. Counts begin at 0, variables keep their values. Returns 0 or -ENOMEM.
 * One at a time; in a forked child none runs.
 */
int collect_start(struct channel *channel, uint32_t id);

/*
 * Ends it: hits that are counted have written their frames, and no others
 * write, when this has returned. What a thread has left by siglongjmp() in the
 * middle of a hit is waited for in vain, COLLECT_SETTLE_MS at most.
 */
void collect_stop(void);

/* Whether it has ended by itself and waits for collect_stop(): then by which
 * tracepoint's slot, and when, by the trace clock. */
enum collect_end collect_ended(uint32_t *slot, uint64_t *clock);

/* By slot; written by the program's threads. */
extern struct collect_count collect_counts[COLLECT_POINTS_MAX];

/* How often the condition held, and the bytes of the frames of so many hits. */
uint64_t collect_hits(uint32_t slot);
uint64_t collect_bytes(uint32_t slot, uint64_t hits);

/* Frames that lack something because there was no room. */
extern uint64_t collect_cut;

/*
 * Trace state variables. Number 1 is GDB's $trace_timestamp: microseconds of
 * the real-time clock, and cannot be set. Returns 0, or -ENOENT for numbers
 * that there are not. SIGSAFE.
 */
#define COLLECT_TIMESTAMP	1
int collect_variable_get(uint32_t number, int64_t *value);
int collect_variable_set(uint32_t number, int64_t value);

/* The event that a frame is. */
#define COLLECT_CHANNEL		"gdb"
#define COLLECT_EVENT		"frame"
struct event_record *collect_record_publish(struct channel *channel);

#endif

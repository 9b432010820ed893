/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the code that prepares tracepoints (collect.c) and the hits that
 * serve them (collect-hit.c). No other file includes this.
 */
#ifndef TRACEPOINTS_FRAMES_COLLECT_PRIVATE_H
#define TRACEPOINTS_FRAMES_COLLECT_PRIVATE_H

#include "buffers/writers/tally.h"
#include "tracepoints/conditions/ax-simple.h"
#include "tracepoints/frames/collect.h"

/* Frames up to this size are made on the stack, larger ones in a separate
 * place, if one is free. */
#define FRAME_SMALL_BYTES	1536u
#define FRAME_LARGE_BYTES	(64u << 10)
#define FRAME_PLACES		16

struct point_action {
	uint32_t kind;			/* enum collect_kind */
	uint32_t base;
	uint64_t offset;
	uint64_t bytes;
	uint64_t program;		/* offset in the point */
};

/* One piece of memory, constant once made. Programs follow the actions. */
struct collect_point {
	uint64_t address;
	struct collect_count *count;
	struct ax_simple test;		/* the condition, if it is simple */
	uint64_t bytes;			/* of the point, with its programs */
	uint64_t pass;
	uint32_t number;
	uint32_t slot;
	uint64_t condition;		/* offset of its program, or 0 */
	uint32_t registers;		/* 1: it needs them */
	uint32_t reads;			/* 1: it reads memory, beside `test` */
	uint32_t nactions;
	uint32_t reserved;
	struct point_action actions[];
};

/* The tracepoints of a marker; constant, and never freed. */
struct collect_list {
	uint32_t n;
	uint32_t nfields;
	uint64_t address;		/* of the only site, or 0 */
	/* variables that are fields: the program gives the value */
	struct collect_value {
		uint64_t variable;
		const struct ax_program *program;
	} fields[TAFFRAIL_FIELDS_MAX];
	const struct collect_point *points[];
};

/*
 * How a run treats a hit. At LAST a pass count was reached: the frames of hits
 * that were counted before are still being written.
 */
enum collect_phase {
	COLLECT_OFF = 0,
	COLLECT_ON,
	COLLECT_LAST,			/* ON + 1 */
};

#define COLLECT_PHASE(word)	((enum collect_phase)((word) & 3))
#define COLLECT_RUN_STEP	4u

/* Lies in a page that fork wipes. */
struct collect_run {
	uint32_t word;			/* number of the run | phase */
	uint32_t ended;			/* enum collect_end | slot << 8 */
	uint64_t ended_at;		/* by the clock; both set before LAST */
	uint32_t limit;			/* bytes of a frame */
};

extern struct collect_run *collect_run;
extern struct write_slot collect_frame_slot;

/* Hits of the tracepoints without a pass count, by slot. */
extern struct tally collect_tally;
_Static_assert(TALLY_COUNTERS == COLLECT_POINTS_MAX, "a cell for each slot");

/* For frames that are too large for a stack: FRAME_PLACES times
 * FRAME_LARGE_BYTES; NULL: none. */
extern uint8_t *collect_places;

/* A marker with tracepoints calls it. */
write_fn collect_hit;

#endif

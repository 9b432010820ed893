/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the files of this room. The events of the traces become the data of
 * a page:
 *
 *	names.c		numbers for processes, lanes and classes of events
 *	records.c	fields and contexts, column by column
 *	chunk.c		the events of a part of the time, as one block
 *	density.c	how many events each part of the time has
 *	longest.c	the longest pairs
 *	head.c		the block with all names
 *	page.c		the file: a frame around blocks, packed
 *
 * The forms of the blocks are in page/data.js, which reads them, and in the
 * files that write them.
 *
 * Invariant: the number of an event, lane, class or process does not change.
 * Blocks are written while later events are still unknown, and refer to it.
 */
#ifndef COMMAND_TIMELINE_PRIVATE_H
#define COMMAND_TIMELINE_PRIVATE_H

#include "base/index.h"
#include "command/reading/look.h"
#include "command/timeline/bytes-private.h"
#include "command/timeline/page-private.h"
#include "traces/pairs/histogram.h"

/* Events of a block. Browsers read a block as a whole. */
#define CHUNK_EVENTS	(128u << 10)
/* Up to so many events are shown each at once, unless --each says another
 * number. */
#define EACH_EVENTS	2000000u
/* At least: the time in view may be in two chunks. */
#define EACH_EVENTS_MIN	300000u
#define EACH_EVENTS_MAX	100000000u
/* Events behind so many times these are in the page as density only. */
#define DETAIL_TIMES	20u

#define NS_PER_S	1000000000

#define DENSITY_BINS	8192u
/* So many of the longest pairs are shown with the density. */
#define LONGEST_PAIRS	4096u

#define PAIR_RULES_MAX	64		/* --pair */

/* Of so many processes the page says from when on they are complete. */
#define PAGE_NOTES_MAX	100u

/* How many events each of DENSITY_BINS parts of the time has, or of fewer that
 * are as wide as 1 << `fold` of them. Without an event there are no bins. */
struct density {
	uint32_t *bins;
	uint32_t fold;
};

/* The parts that fields of a class, or contexts of a trace, have in common.
 * Where all members are fixed, a record is copied as a whole. */
struct shape {
	uint32_t number;
	const struct field_class *fields;	/* FIELD_STRUCT, or NULL */
	bool fixed;			/* all of it */
	uint32_t bytes;			/* of the fixed members */
	uint32_t *sizes;		/* of each member; 0: not fixed */
};

/* Fields of events, those of fixed size and the rest, as many records as there
 * were events since the last block. */
struct records {
	uint32_t n;
	struct bytes fixed;
	struct bytes loose;
};

/* A class of events. Equal classes of several traces are one, with one
 * number. */
struct page_class {
	struct shape shape;
	uint64_t events;
	struct records records;
	struct bytes described;		/* by which equal classes are found */
};

/* A process of a trace. A trace of another tracer may have several. */
struct page_process {
	const struct trace_class *trace;
	int64_t pid;
};

/* A thread, or, where events have no thread, a CPU of a process. Times are ns
 * since 1970; they are set with the first event of the lane. */
struct page_lane {
	uint32_t number;
	uint32_t process;
	const struct trace_class *trace;
	const struct shape *contexts;
	bool is_cpu;
	int64_t id;			/* the thread's, or the CPU */
	char name[17];			/* the last context procname */
	uint64_t events;
	uint32_t in_chunk;		/* events of this lane in the chunk */
	int64_t first, last;
	struct records records;
	struct density density;
};

/* A trace, and the place of a lane's identity among the contexts. The lane of
 * the event before is kept with the key: the next event mostly has the same,
 * and costs no look into the table. */
struct page_trace {
	const struct trace_class *trace;
	struct shape contexts;
	struct page_lane *current;	/* lane of the event before */
	uint64_t current_key[2];
	struct field_at vtid, vpid, procname;
	bool has_vtid, has_vpid, has_procname;
	struct page_class **classes;	/* by number */
	size_t nclasses;
	struct index lanes;
};

/* A pair. Pairs that are in two chunks, and those that were not finished, are
 * in the head. */
struct page_pair {
	uint64_t begin, end;		/* numbers of events; the same: one
					 * event tells the pair, at the end */
	int64_t from, to;
	uint32_t lane, kind;
	uint8_t fate;
};

/* The fate of a pair with an end before the begin, in a damaged trace; the
 * others are of enum pair_fate. page/model.js has the names. */
#define PAGE_BACKWARDS	4u

/* The `priv` of a kind of pairs, made with the first pair that finishes;
 * timeline_main() frees it. */
struct page_kind {
	struct histogram ns;		/* of finished pairs */
	uint64_t backwards;
};

/* The events since the last block. */
struct chunk {
	uint64_t first;			/* number of the first event */
	uint32_t n;
	uint32_t npairs;
	uint64_t pairs_end;		/* the last pair's end, in the chunk */
	int64_t from, to;
	struct bytes times, lanes, classes;
	struct bytes pair_ends, pair_begins, pair_kinds, pair_spans;
	uint32_t seq[CHUNK_EVENTS];	/* of each event in the lane */
};

/* All that the page is made of. The first events are in the page one by one, up
 * to `detail`; the others are in the density alone. */
struct timeline {
	struct look look;		/* first: callbacks get it */
	const char *file;		/* to be written, or NULL: `made` */
	char *made;			/* a name that was not given */
	bool force;			/* keep a former page */
	const char *rules[PAIR_RULES_MAX];	/* of --pair */
	size_t nrules;
	char **paths;
	int npaths;
	struct page page;
	struct pairs *pairs;
	struct pair_calls calls;
	struct page_trace **traces;	/* by number, NULL: without events */
	size_t ntraces;
	struct page_process **processes;
	size_t nprocesses;
	struct page_lane **lanes;
	size_t nlanes;
	struct page_class **classes;
	size_t nclasses;
	struct index by_description;
	struct chunk chunk;
	struct bytes raw;		/* a block, before it is packed */
	struct bytes blocks;		/* the head's part about chunks */
	size_t nblocks;
	struct bytes losses;
	size_t nlosses;
	struct bytes problems;
	size_t nproblems;
	struct bytes notes;		/* of look_notes() */
	size_t nnotes;
	struct page_pair *long_pairs;
	size_t nlong_pairs;
	struct page_pair *longest;
	size_t nlongest;
	uint32_t width;			/* of a bin: 1 << width ns */
	struct density density;
	struct page_lane *lane;		/* of the current event */
	uint64_t each;
	uint64_t detail;		/* events behind these: density only */
	uint64_t events;
	uint64_t detailed;		/* of them in chunks */
	int64_t first, last;
	bool no_memory;
};

/* names.c: find or make. Each returns NULL without memory; the timeline owns
 * the result. page_trace() is the first for each event. */
struct page_trace *page_trace(struct timeline *t,
			      const struct trace_event *event);
struct page_lane *page_lane(struct timeline *t, struct page_trace *trace,
			    const struct trace_event *event);
struct page_class *page_class(struct timeline *t, struct page_trace *trace,
			      const struct trace_event *event);
void page_names_free(struct timeline *t);

/*
 * records.c: fields of a shape as columns. shape_make() returns 0 or -ENOMEM,
 * and keeps a pointer to the fields. records_put() appends the fields of an
 * event, from `at` up to `end`, and writes zeros for those that are not there.
 * Want of memory shows in the `failed` of the bytes.
 */
int shape_make(struct shape *shape, const struct field_class *fields);
void shape_free(struct shape *shape);
void records_put(struct records *records, const struct shape *shape,
		 const uint8_t *at, const uint8_t *end);
/* Appends all records to a block, and empties them. `bytes`: of the fixed part
 * of one. */
void records_flush(struct records *records, uint32_t bytes, struct bytes *to);
void records_free(struct records *records);

/* Describes fields: page/data.js reads it. */
void describe_field(struct bytes *b, const struct field_class *class);

/* chunk.c: chunk_add() appends an event, and sets t->lane; it sets t->no_memory
 * without memory, and then t->lane may be NULL. chunk_flush() writes the block,
 * if there are events, and begins the next. */
void chunk_add(struct timeline *t, const struct trace_event *event);
/* Notes a pair whose events are in this chunk; the last of them is the end. */
void chunk_pair(struct timeline *t, const struct page_pair *pair);
void chunk_flush(struct timeline *t);
void chunk_free(struct timeline *t);

/* density.c: counts an event of a lane, not older than the one before; writes
 * the bins up to the last that is not 0. */
void density_add(struct timeline *t, struct page_lane *lane, int64_t ns);
void density_put(struct bytes *b, const struct density *density);

/* longest.c: keeps the pair if it is among the LONGEST_PAIRS longest. */
void page_longest_add(struct timeline *t, const struct page_pair *pair);

/* head.c: writes the last block. Times count from the first event, which there
 * is. */
void head_write(struct timeline *t);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the files of this room: sample.c takes the events that the buffers
 * have got in an interval, print.c shows them, top.c is the sub-command.
 */
#ifndef COMMAND_TOP_PRIVATE_H
#define COMMAND_TOP_PRIVATE_H

#include "command/reading/look.h"
#include "traces/pairs/histogram.h"
#include "traces/pairs/pairs.h"

#define TOP_ROWS_MAX	4096	/* of names, and of kinds of pairs */
#define TOP_RULES_MAX	64

/* Events of one name. The name belongs to top->memory. */
struct top_row {
	const char *name;
	uint64_t seen;
};

/* Pairs of one kind that ended in the interval. The kind and the name belong to
 * top->pairs, the durations to the sample. */
struct top_pair {
	struct pair_kind *kind;
	const char *name;
	struct histogram durations;	/* ns */
};

/* One interval. Without top_take() it is all zeros. */
struct top_sample {
	int64_t from;			/* ns since 1970 */
	int64_t to;
	uint64_t written;		/* events, by the buffers' own counts */
	uint64_t lost;
	uint64_t unplaced;		/* of these: no buffer was there */
	uint64_t seen;			/* that were still in the buffers */
	uint64_t chosen;		/* of these, those of --where */
	bool full;			/* full buffers have lost some, ever */
	bool missed;			/* some were overwritten before */
	uint64_t threadless;		/* see pairs_threadless() */
	uint64_t lost_before;		/* in all, since the session began */
	uint64_t unplaced_before;	/* without these calls */
	uint64_t calls_before;		/* without room until they end */
	size_t processes;
	size_t ended;			/* of them */
	size_t stopped;			/* of the others: their session is */
	struct top_row *rows;		/* of names that had events */
	size_t nrows;
	struct top_pair *pairs;
	size_t npairs;
	uint64_t left_out;		/* begins and ends of pairs: events
					 * before or between are not there */
	uint64_t given_up;		/* pairs: too many were open */
	bool no_memory;			/* something is not counted */
};

/* The options, and the state that the last interval left. */
struct top {
	const char *session;		/* once it is known */
	const char *rules[TOP_RULES_MAX];	/* of --where */
	size_t nrules;
	bool screen;			/* standard output is a terminal */
	double seconds;			/* 0: until the end */
	struct look look;		/* once it is open, until the end */
	struct pairs *pairs;
	struct top_sample *sample;	/* while events are read */
	int64_t last;			/* end of the last interval; 0: none */
	struct ring_totals totals;	/* then */
	uint64_t overwritten;		/* then, as the look counts them */
	uint64_t threadless;		/* then */
	uint64_t left_out;		/* then */
	uint64_t given_up;		/* then */
	struct top_row *names;		/* of all events that were met */
	size_t nnames;
	struct class_memory *memory;	/* of names */
	bool ended;			/* all processes have, as of the last
					 * interval */
	bool gone;			/* the session; not the first time */
	bool unread;			/* something could not be read */
};

/*
 * Takes the next interval, which ends now. The first call only begins one, and
 * leaves sample->to 0. Returns COMMAND_DONE; COMMAND_FAILED: why was
 * printed, or top->gone is set. The caller frees the sample, whatever the
 * result, and in the end calls top_close().
 */
int top_take(struct top *top, struct top_sample *sample);

/* Frees the rows of a sample. Call it once a sample, before top_close(). */
void top_sample_free(struct top_sample *sample);

/* Frees the look, the pairs and the names; sets top->unread when the look has
 * told of something that could not be read. Also after a failure of the first
 * top_take(). */
void top_close(struct top *top);

/* Print an interval, with the rows sorted in place: as a table, or as an object
 * on one line, with counts and without rates. Standard output is flushed; an
 * error stays in it for the caller. */
void top_print(const struct top *top, struct top_sample *sample);
void top_print_json(const struct top *top, struct top_sample *sample);

#endif

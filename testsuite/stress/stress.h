/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The stress test of the rings: what its processes share.
 *
 * Every event carries its stream and its number in the stream; a stream is a
 * thread, or the handlers that interrupt it. The ledger of a process:
 *
 *	finished <= decoded + lost <= begun
 *
 * where an event is begun before its writer is called and finished after, if
 * nothing happened meanwhile that leaves its fate open: a kill, a siglongjmp,
 * a change of its slot. Without those the two are equal, and so the ledger
 * exact.
 */
#ifndef STRESS_STRESS_H
#define STRESS_STRESS_H

#include "testsuite/stress/oracle.h"

#define STREAMS		8192
#define DIRECTORIES	4000
#define INDEXES		2000
#define KINDS		8

enum progress { NOT_YET = 0, LIVE = 1, ENDED = 2, COUNTED = 3 };

/* In memory shared by all processes of a run. */
struct stress {
	volatile int over;		/* no writer is left */
	uint32_t directories;		/* handed out; each one a process */
	uint32_t streams;		/* handed out */
	uint32_t indexes;		/* of channels, in every directory */
	volatile int state[DIRECTORIES];	/* enum progress */
	volatile int index_state[INDEXES];	/* the same, directory 0 */
	uint32_t contexts[INDEXES];
	uint16_t directory[STREAMS];	/* of a stream */
	uint64_t begun[STREAMS];
	uint64_t finished[STREAMS];
	uint32_t foreign[DIRECTORIES];	/* events of a parent's stream, max */
	uint64_t handled, flips, kills, forks, jumps, switches, restarts;
	/* found by the consumer */
	uint64_t decoded, lost, overwritten, packets, extended, lapped;
	uint64_t errors;
};

extern struct stress *stress;

struct options {
	double seconds;
	int threads;
	int rseq;
	const char *clock;
	int overwrite;
	int large;
	int contexts;
	int extended;			/* ids that need the long header */
	int throttle;			/* a pause every so many events */
	int quiet;			/* long pauses: short clocks wrap */
	int kill;
	int fork;
	int jump;
	int change;			/* slots between two channels */
	int restart;			/* one of them made anew */
	int crowd;			/* one locked ring for all */
	uint64_t ring_bytes;
};

extern struct options options;

/* Slots, one a kind (events.c). `steady[k]` is even while slot k is on. */
extern struct write_slot *event_slots;
extern uint32_t event_steady[KINDS];

/* The directory of this process: an event of a stream that belongs to another
 * one was begun before a fork, and finishes there. */
extern volatile uint32_t event_directory;

/* This thread does its accounts, which a fork would repeat. */
extern __thread volatile int event_settling;

void event_setup(void);

/* Emits one event of a kind that `random` chooses. SIGSAFE. */
void event_emit(uint32_t stream, uint64_t random);

/* The id of a kind of event. */
uint32_t event_id(uint32_t kind);

/* What the consumer learns of an event. */
struct event_seen {
	uint32_t contexts;		/* of its channel */
	uint32_t stream;
	uint64_t number;
	const char *error;
};

/* Checks an event to the last byte: its bytes, or ORACLE_WRONG. */
size_t event_check(const struct oracle_event *event, struct event_seen *seen);

/* The consumer's process: returns when all is over and counted. */
void consume(void);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Discard mode and a reader that empties the ring while two threads write it:
 * ring_take(), ring_release(), and at the end ring_take_open().
 *
 * Holds: each packet that is taken is complete, and stays so until it is given
 * back; what is taken is what was committed, in its order, each event once;
 * and at the end emitted = kept + lost.
 */
#define DISCARD
#include "writer.pml"

bool finished;
byte given;			/* packets given back, as the reader sees it */

/* The reader's CPU keeps its stores to the tail back, too. */
proctype Tail()
{
end:	do
	:: atomic { tail < given -> tail++ }
	od
}

#define CLOSED(what)	atomic { assert(what) }

proctype Reader()
{
	byte current, limit, next, kept, i, losses;
	bool last;

	do
	:: /* ring_count() */
		last = QUIET;
		atomic {
			current = PACKET_OF(mem[HEAD]);
			limit = USED_OF(mem[HEAD]) - 1
		}
		CLOSED(mem[NUMBER(current)] == current);
		CLOSED(mem[BEFORE(current)] == before[current]);
		/* the tail keeps the writer from it: no second look */
		losses = mem[LOST];
		atomic { assert(current - next < NSUB) }
		if
		:: next < current ->
			/* ring_take(): in place */
			limit = 0;
#ifdef BREAK_TAIL_EARLY
			atomic { given = next + 1 };
#endif
			CLOSED(mem[NUMBER(next)] == next);
			CLOSED(mem[BEFORE(next)] == before[next]);
			CLOSED(mem[BEGIN(next)] == OPENED(next));
			CLOSED(mem[END(next)] == OPENED(next + 1));
			CLOSED(mem[CONTENT(next)] == used[next] + 1);
			CLOSED(mem[DISCARDED(next)] == discarded[next] &&
			       losses >= discarded[next]);
			CLOSED(mem[NUMBER(next + 1)] == next + 1);
			do
			:: i < used[next] ->
				CLOSED(mem[CELL(next, i)] ==
				       truth[next * CELLS + i]);
				atomic { kept = kept + (truth[next * CELLS + i]
					< SECOND -> 1 : 0); i++ }
			:: else -> i = 0; break
			od;
			CLOSED(mem[BEFORE(next + 1)] == kept);
			/* ring_release() */
			atomic { next++; given = next; losses = 0 }
		:: else ->
			if
			:: last -> break
			:: else -> limit = 0; losses = 0
			fi
		fi
	od;
	/* ring_take_open(), when nobody writes any more */
	CLOSED(mem[BEGIN(next)] == OPENED(next));
	do
	:: i < limit ->
		CLOSED(mem[CELL(next, i)] == truth[next * CELLS + i]);
		atomic { kept = kept + (truth[next * CELLS + i] < SECOND ->
					1 : 0); i++ }
	:: else -> break
	od;
	assert(limit == used[next] && kept == EVENTS_NOW && losses == lost);
	finished = true
}

init {
	atomic {
		memory_first();
		run Tail();
		run Reader()
	}
	timeout;
	assert(finished)
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writer records: the thread of each event, by the last record before it in the
 * packet. Two CPUs with a ring each; threads 0 and 1 of one process, thread 2
 * of another; thread 0 may be interrupted once, anywhere, by a handler that
 * writes (HANDLER); one of the processes may be killed, anywhere (KILL).
 *
 * Holds: when an event is committed, its packet has a record before it, and the
 * last one is the thread's; and the ring's count of records, as
 * ring_records() makes it, is that of the records below head, at every step.
 *
 * A section is its stores, with everything else that may happen between two of
 * them. ASSUMES SECTION-RESTART: a thread that comes back to a section from
 * which it was taken is sent back. What a section reads of its ring needs no
 * step: it stays as it is, or the thread is sent back. ASSUMES SECTION-RING:
 * nothing of a ring is carried into the next section, so a thread that was
 * moved goes on with the other ring. ASSUMES STORE-ORDER is not needed: no
 * other CPU reads these words while the ring is written.
 *
 * ASSUMES RING-WRITER: an event is committed only while `writer` is the
 * thread's token; a record clears `writer`, moves head, and stores the token,
 * in one section; a switch clears it before its commit.
 *
 *	CALLS	events of each thread	CELLS	records and events of a packet
 *	MOVES	how often a thread is taken from a CPU
 *	EARLY	one packet may be closed before it is full, as for a large event
 */
#ifndef CALLS
#define CALLS	2
#endif
#ifndef CELLS
#define CELLS	3
#endif
#ifndef MOVES
#define MOVES	3
#endif
#define PACKETS	6
#define NONE	9
#define HAND	3		/* thread 0's handler, as a thread on its CPU */

/* rings */
byte head[2];			/* position: by cells, and by a packet's head */
byte used[2];			/* cells of the open packet */
byte writer[2];			/* token; 0: none */
byte count[2];			/* records: how many, and where the last ends */
byte finish[2];

/* the truth */
byte last[2];			/* token of the packet's last record; 0: none */
byte written[2];		/* records below head */

/* the machine */
byte runs[2];			/* the thread on a CPU */
byte cpu[4];			/* the CPU of a thread */
bool inside[4], aborted[4], over[4];
bool dead[2];			/* processes */
bool handling, signalled, killed;
byte moves = MOVES;
bool early = true;		/* a packet may be closed before it is full */

#define PROCESS(t)	((t) == 2 -> 1 : 0)
#define THREAD		(me == HAND -> 0 : me)
#ifdef BREAK_TOKEN
/* thread 2 is a fork of thread 0 that has kept the whole token */
#define TOKEN		(THREAD == 2 -> 1 : THREAD + 1)
#else
#define TOKEN		(THREAD + 1)
#endif
#define RUNS		(cpu[me] != NONE && !dead[PROCESS(me)] &&	\
			 !(me == 0 && handling))
#define R		cpu[me]
#define BELOW(r)	(count[r] - (finish[r] > head[r] -> 1 : 0))
#define RIGHT		assert(BELOW(R) == written[R])

/* A store that is not a section's first. */
#define STEP(what)							\
	if								\
	:: atomic { RUNS && aborted[me] -> aborted[me] = false;		\
		inside[me] = false; goto again }			\
	:: atomic { RUNS && !aborted[me] -> what; RIGHT }		\
	fi

proctype Thread(byte me; byte calls)
{
	byte n;

again:	/* section_write(), and the fast writers: one store */
	atomic { RUNS ->
		if
		:: n == calls -> goto done
		:: n < calls && used[R] == CELLS -> goto room
		:: n < calls && used[R] < CELLS && writer[R] != TOKEN ->
			goto record
#ifdef EARLY
		:: n < calls && used[R] < CELLS && early -> early = false;
			goto room
#endif
		:: n < calls && used[R] < CELLS && writer[R] == TOKEN ->
			assert(last[R] == THREAD + 1);
			head[R]++; used[R]++; n++;
			RIGHT;
			goto again
		fi
	}

record:	/* section_writer() */
	atomic { RUNS ->
		if
		:: used[R] == CELLS -> goto room
		:: used[R] < CELLS && writer[R] == TOKEN -> goto again
		:: else
		fi;
		inside[me] = true;
#ifdef BREAK_FIRST
		writer[R] = TOKEN
#elif !defined BREAK_CLEAR
		writer[R] = 0
#endif
	}
#ifdef BREAK_COUNT
	STEP(count[R]++);
#else
	STEP(count[R] = BELOW(R) + 1; finish[R] = head[R] + 1);
#endif
	STEP(head[R]++; used[R]++; last[R] = THREAD + 1; written[R]++);
	STEP(writer[R] = TOKEN; inside[me] = false);
	goto again;

room:	/* section_switch() */
	atomic { RUNS ->
		if
#ifndef EARLY
		:: used[R] != CELLS -> goto again
#endif
		:: head[R] >= PACKETS * (CELLS + 1) -> n = calls; goto again
		:: else
		fi;
		inside[me] = true;
#ifndef BREAK_SWITCH
		writer[R] = 0
#endif
	}
#ifndef BREAK_STALE
	STEP(count[R] = BELOW(R); finish[R] = head[R]);
#endif
	STEP(head[R]++; used[R] = 0; last[R] = 0; inside[me] = false);
	goto again;

done:	atomic { RUNS ->
		over[me] = true;
		runs[R] = NONE;
		if
		:: me == HAND -> handling = false; runs[R] = 0; cpu[0] = R
		:: else
		fi;
		cpu[me] = NONE
	}
}

#define TAKE(r)								\
	atomic { runs[r] != NONE && moves > 0 -> moves--;		\
		aborted[runs[r]] = inside[runs[r]];			\
		cpu[runs[r]] = NONE; runs[r] = NONE }
#define GIVE(r, t)							\
	atomic { runs[r] == NONE && cpu[t] == NONE && !over[t] &&	\
		!dead[PROCESS(t)] && (t != HAND || handling) &&		\
		!(t == 0 && handling) -> runs[r] = t; cpu[t] = r }
#define GONE(t)								\
	if :: cpu[t] != NONE -> runs[cpu[t]] = NONE; cpu[t] = NONE	\
	:: else fi

/* Preempts, moves, interrupts, kills. */
proctype Kernel()
{
end:	do
	:: TAKE(0)
	:: TAKE(1)
	:: GIVE(0, 0)
	:: GIVE(0, 1)
	:: GIVE(0, 2)
	:: GIVE(1, 0)
	:: GIVE(1, 1)
	:: GIVE(1, 2)
#ifdef HANDLER
	:: GIVE(0, HAND)
	:: GIVE(1, HAND)
	:: atomic { !signalled && cpu[0] != NONE && !over[0] ->
		signalled = true; handling = true;
		aborted[0] = inside[0];
		cpu[HAND] = cpu[0]; runs[cpu[0]] = HAND; cpu[0] = NONE }
#endif
#ifdef KILL
	:: atomic { !killed -> killed = true;
		if
		:: dead[0] = true; GONE(0); GONE(1); GONE(HAND)
		:: dead[1] = true; GONE(2)
		fi }
#endif
	od
}

init
{
	atomic {
		cpu[0] = NONE; cpu[1] = NONE; cpu[2] = NONE; cpu[3] = NONE;
		runs[0] = NONE; runs[1] = NONE;
		run Thread(0, CALLS); run Thread(1, CALLS); run Thread(2, CALLS);
#ifdef HANDLER
		run Thread(HAND, 1);
#endif
		run Kernel()
	}
}

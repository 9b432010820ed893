/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One ring and the two threads that write it: what the models of its readers,
 * discard.pml and overwrite.pml, have in common. README tells how to read
 * them.
 *
 * Each store to shared memory is a step, and between any two steps of a thread
 * the other thread, the reader or the end of the process may come. What a
 * thread reads of its own ring inside a section needs no step: only this CPU
 * writes it, and whoever else ran here has aborted the section.
 *
 *	NSUB	sub-buffers		CELLS	words for events in each, 1 or 2
 *	CALLS	of both threads		PACKETS	as many are opened at most
 *	DEPTH	stores that the CPU may keep back, from 5; 0: none
 *	KILL	the process may be killed at any step
 *	LOSSES	a call may find its event too large
 */
#ifndef NSUB
#define NSUB	3
#endif
#ifndef CELLS
#define CELLS	1
#endif
#ifndef CALLS
#define CALLS	5
#endif
#ifndef PACKETS
#define PACKETS	6
#endif
#ifndef DEPTH
#define DEPTH	0
#endif

/*
 * ASSUMES RING-HEAD: position and count are one word, and one store of it
 * commits. In it: how many events, which packet, words in use of its packet,
 * its head being one.
 * ASSUMES RING-WRAP: positions do not come round while a reader looks, so here
 * they never do.
 */
#define PLACE			(CELLS + 2)
#define HEAD_WORD(e, p, u)	((e) * 32 + (p) * PLACE + (u))
#define EVENTS_OF(h)		((h) / 32)
#define PACKET_OF(h)		(((h) % 32) / PLACE)
#define USED_OF(h)		((h) % 32 % PLACE)

/* addresses: head, lost, then the sub-buffers */
#define HEAD		0
#define LOST		1
#define FIELDS		6
#define SUB(p)		(2 + ((p) % NSUB) * (FIELDS + CELLS))
#define NUMBER(p)	(SUB(p) + 0)	/* packet_seq_num */
#define BEFORE(p)	(SUB(p) + 1)	/* events_before */
#define BEGIN(p)	(SUB(p) + 2)	/* timestamp_begin */
#define END(p)		(SUB(p) + 3)	/* timestamp_end */
#define CONTENT(p)	(SUB(p) + 4)	/* content_size, packet_size */
#define DISCARDED(p)	(SUB(p) + 5)	/* events_discarded */
#define CELL(p, i)	(SUB(p) + FIELDS + (i))
#define MEMORY		(2 + NSUB * (FIELDS + CELLS))

/* The clock: it has moved on whenever a packet is opened. */
#define OPENED(p)	((p) + 1)

byte mem[MEMORY];		/* what other CPUs see */

/*
 * ASSUMES STORE-ORDER: other CPUs see the stores of a CPU in their order
 * (x86-TSO), later by what the CPU keeps back.
 */
#if DEPTH
byte own[MEMORY];		/* what the writers' CPU sees */
chan kept_back = [DEPTH] of { byte, byte };
#define ROOM		(len(kept_back) + 3 <= DEPTH)
#define STORE(a, v)	own[a] = v; kept_back!a,own[a]
#define DRAINED		empty(kept_back)
#else
#define own		mem
#define ROOM		true
#define STORE(a, v)	mem[a] = v
#define DRAINED		true
#endif

byte tail;			/* packets given back, as the writers see it */

/* Who runs on the writers' CPU: thread 0, thread 1, or nobody any more. */
#define NOBODY		2
byte cpu;
bool in_section[2];
bool aborted[2];
byte calls = CALLS;

/* The truth, which no program reads. */
byte truth[PACKETS * CELLS];	/* words of committed events */
byte used[PACKETS];		/* how many words a packet has */
byte before[PACKETS];		/* events before it */
byte discarded[PACKETS];	/* lost when it was closed */
byte lost;
bool begun;			/* a switch has written and not committed */
bool done[2];

#define SECOND	100		/* marks the second word of an event */
#define QUIET	((cpu == NOBODY || (done[0] && done[1])) && DRAINED)

#define EVENTS_NOW	EVENTS_OF(own[HEAD])
#define PACKET_NOW	PACKET_OF(own[HEAD])
#define USED_NOW	USED_OF(own[HEAD])

/* What a call writes: whose it is, and that it is new. */
#define WORD		(1 + EVENTS_NOW * 2 + me)

/*
 * A step of a section. ASSUMES SECTION-RESTART: a thread that comes back to a
 * section from which it was taken finds itself at the section's abort handler;
 * what it has stored stays, its registers do not count.
 */
#define STEP(what)							\
	if								\
	:: atomic { cpu == me && aborted[me] ->				\
		aborted[me] = false; goto again }			\
	:: atomic { cpu == me && !aborted[me] && ROOM -> what }		\
	fi

inline commit_event()
{
	truth[PACKET_NOW * CELLS + USED_NOW - 1] = WORD;
	if
	:: size == 2 ->
		truth[PACKET_NOW * CELLS + USED_NOW] = WORD + SECOND
	:: else
	fi;
	used[PACKET_NOW] = used[PACKET_NOW] + size;
	in_section[me] = false;
	STORE(HEAD, HEAD_WORD(EVENTS_NOW + 1, PACKET_NOW, USED_NOW + size));
	size = 0
}

inline commit_switch()
{
	before[PACKET_NOW + 1] = EVENTS_NOW;
	discarded[PACKET_NOW] = lost;
	begun = false;
	in_section[me] = false;
	STORE(HEAD, HEAD_WORD(EVENTS_NOW, PACKET_NOW + 1, 1))
}

/*
 * A thread that emits: write_pass() and the sections it calls. Between two
 * sections anything may come. ASSUMES SECTION-RING: nothing of a ring is
 * carried from one section into the next, so a thread that is moved to another
 * CPU goes on with another ring: here its call ends, uncounted, or begins
 * with any section.
 */
proctype Writer(byte me)
{
	byte size;

call:
	atomic {
		cpu == me;
		size = 0;
		if
		:: calls == 0 -> done[me] = true; goto end
		:: else -> calls--
		fi;
		if
		:: size = 1
#if CELLS == 2
		:: size = 2
#endif
		fi;
		if
		:: goto write
		:: goto room
#ifdef LOSSES
		:: goto lose
#endif
		fi
	}

again:	/* WRITE_AGAIN: the section anew, or given up for a locked ring */
	atomic {
		cpu == me;
		in_section[me] = false;
		if
		:: goto write
		:: goto call
		fi
	}

write:	/* section_write(), and the fast writers */
	atomic {
		cpu == me && ROOM;
		if
		:: USED_NOW - 1 + size > CELLS -> goto room
		:: else -> in_section[me] = true
		fi;
#ifdef BREAK_COMMIT_FIRST
		commit_event()
	}
	atomic {
		cpu == me && ROOM;
		STORE(CELL(PACKET_NOW, USED_NOW - 2),
		      truth[PACKET_NOW * CELLS + USED_NOW - 2]);
		goto call
	}
#else
		STORE(CELL(PACKET_NOW, USED_NOW - 1), WORD)
	}
#endif
	if
	:: size == 2 ->
		STEP(STORE(CELL(PACKET_NOW, USED_NOW), WORD + SECOND))
	:: else
	fi;
#ifdef BREAK_TWO_STORES
	STEP(STORE(HEAD, HEAD_WORD(EVENTS_NOW + 1, PACKET_NOW, USED_NOW)));
	STEP(own[HEAD] = HEAD_WORD(EVENTS_NOW - 1, PACKET_NOW, USED_NOW);
	     commit_event());
	goto call;
#endif
	/* the last instruction of the section */
	STEP(commit_event());
	goto call;

room:	/* section_switch() */
	atomic {
		cpu == me && ROOM;
		if
		:: USED_NOW - 1 + size <= CELLS -> goto write
		:: PACKET_NOW + 1 == PACKETS -> goto call
#ifdef DISCARD
#if defined BREAK_TAIL_LATE
		:: PACKET_NOW + 1 - tail > NSUB -> goto lose
#elif !defined BREAK_NO_TAIL
		/* RING-TAIL: the sub-buffer must have been given back */
		:: PACKET_NOW + 1 - tail >= NSUB -> goto lose
#endif
#endif
		:: else -> in_section[me] = true
		fi;
		begun = true;
		/* ASSUMES PACKET-NUMBER: what is stored first into a head
		 * says that the packet which was there is gone */
#ifdef BREAK_NUMBER_LAST
		STORE(BEFORE(PACKET_NOW + 1), EVENTS_NOW)
#else
		STORE(NUMBER(PACKET_NOW + 1), PACKET_NOW + 1)
#endif
	}
	/* one step: of an open packet nobody reads these */
	STEP(STORE(END(PACKET_NOW), OPENED(PACKET_NOW + 1));
	     STORE(CONTENT(PACKET_NOW), USED_NOW);
	     STORE(DISCARDED(PACKET_NOW), own[LOST]));
#ifndef BREAK_NUMBER_LAST
	STEP(STORE(BEFORE(PACKET_NOW + 1), EVENTS_NOW));
#endif
	STEP(STORE(BEGIN(PACKET_NOW + 1), OPENED(PACKET_NOW + 1)));
	STEP(STORE(END(PACKET_NOW + 1), 0));
	STEP(STORE(CONTENT(PACKET_NOW + 1), 0));
#ifdef BREAK_NUMBER_LAST
	STEP(STORE(NUMBER(PACKET_NOW + 1), PACKET_NOW + 1));
#endif
	STEP(STORE(DISCARDED(PACKET_NOW + 1), 0));
	STEP(commit_switch());
	goto write;

lose:	/* section_lose(). ASSUMES RING-LOST: one instruction, the last */
#ifdef BREAK_LOSE_EARLY
	atomic { cpu == me && ROOM -> in_section[me] = true;
		STORE(LOST, own[LOST] + 1) }
	STEP(lost++; in_section[me] = false);
#else
	atomic { cpu == me && ROOM -> STORE(LOST, own[LOST] + 1); lost++ }
#endif
	goto call;

end:	skip
}

/* Preempts, interrupts, kills. Who is taken from a section has to restart. */
proctype Kernel()
{
	do
	:: atomic { cpu != NOBODY && !(done[0] && done[1]) ->
		aborted[cpu] = in_section[cpu];
		cpu = 1 - cpu }
#ifdef KILL
	:: atomic { cpu != NOBODY && !(done[0] && done[1]) -> cpu = NOBODY }
#endif
	:: cpu == NOBODY || (done[0] && done[1]) -> break
	od
}

#if DEPTH
proctype Drain()
{
	byte address;
	byte value;

end:	do
	:: atomic { kept_back?address,value -> mem[address] = value;
		address = 0; value = 0 }
#ifdef BREAK_STORE_ORDER
	/* another machine: a store passes those before it */
	:: atomic { kept_back??HEAD,value -> mem[HEAD] = value; value = 0 }
#endif
	od
}
#endif

inline memory_first()
{
	mem[BEGIN(0)] = OPENED(0);
	mem[HEAD] = HEAD_WORD(0, 0, 1);
#if DEPTH
	own[BEGIN(0)] = OPENED(0);
	own[HEAD] = HEAD_WORD(0, 0, 1);
	run Drain();
#endif
	run Writer(0);
	run Writer(1);
	run Kernel()
}

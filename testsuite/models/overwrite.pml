/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Overwrite mode and a snapshot, ring_copy_make() and ring_copy_each(), made
 * at any moment while two threads write and lap it.
 *
 * Holds: a packet that is taken has exactly its own events, times and counts;
 * packets follow one another without a gap up to the open one; no ring of an
 * honest writer passes for a broken one; losses never become fewer; and when
 * nobody writes any more, all that the ring holds is taken.
 *
 * There is no store buffer here: the reader stores nothing, so that what it
 * sees is the writer's stores up to some moment, in their order (STORE-ORDER),
 * and that is what a writer which was stopped at that moment shows.
 */
#include "writer.pml"

/* memcpy() may take any order: here this one, and the other way round */
#ifdef BACKWARDS
#define WORD_AT(i)	(FIELDS + CELLS - 1 - (i))
#else
#define WORD_AT(i)	(i)
#endif

bool finished;

/* One word of packet `number`, into what the reader or we must know of it. */
inline copy_word(f)
{
	value = mem[SUB(number) + f];
	if
	:: f == 0 -> belongs = value == number
	:: f == 1 -> bad = bad || value != before[number]
	:: f == 2 -> begin = value;
		bad = bad || value != OPENED(number)
	:: f == 3 -> ends = value;
		bad = bad || (number != current && value != OPENED(number + 1))
	:: f == 4 -> sized = value != 0;
		bad = bad || (number != current && value != used[number] + 1)
	:: f == 5 ->
		bad = bad || (number != current && value != discarded[number])
	:: f >= FIELDS ->
		if
		:: f - FIELDS >= (number == current -> limit : used[number])
		:: else ->
			bad = bad || value != truth[number * CELLS + f - FIELDS]
		fi
	fi;
	value = 0
}

/* What the copy says by itself: closed_packet(), give_open(). */
inline judge()
{
	if
	:: belongs && (number == current || (sized && begin <= ends)) ->
		assert(!bad)
	:: else ->
		/* -EBADMSG: the ring passes for broken */
		assert(number == first && number != current)
	fi
}

proctype Reader()
{
	bool quiet;
	byte current, limit, first, number, i, value;
	byte losses;
	byte one;		/* the packet whose copy is looked at */
	byte begin, ends;
	bool belongs, sized, bad;

	quiet = QUIET;
count:	/* ring_count() */
#ifdef BREAK_LOST_FIRST
	losses = mem[LOST];
#endif
	atomic {
		current = PACKET_OF(mem[HEAD]);
		limit = USED_OF(mem[HEAD]) - 1
	}
	belongs = mem[NUMBER(current)] == current;
	bad = mem[BEFORE(current)] != before[current];
	atomic {
		if
		:: PACKET_OF(mem[HEAD]) - current + 1 >= NSUB ->
			belongs = false; bad = false; goto count
		:: else -> assert(belongs && !bad); belongs = false
		fi
	}
	/* RING-LOST: no less than the packets say that were closed */
#ifndef BREAK_LOST_FIRST
	losses = mem[LOST];
#endif
	atomic {
		assert(current == 0 || losses >= discarded[current - 1]);
		assert(!quiet || (losses == lost &&
				  HEAD_WORD(EVENTS_NOW, current, limit + 1) ==
				  own[HEAD]));
		losses = 0;
		first = (current + 1 > NSUB -> current + 1 - NSUB : 0);
		number = first;
		select(one : first .. current);
	}
	/* copy_packets() */
	do
	:: atomic { number > current -> break }
	:: atomic { number <= current };
#ifdef BREAK_LOOK_BEFORE
		value = mem[NUMBER(number)];
#endif
		do
		:: number != one || i == FIELDS + CELLS -> break
		:: atomic { number == one && i < FIELDS + CELLS ->
			copy_word(WORD_AT(i)); i++ }
		od;
		atomic {
			/* PACKET-NUMBER: nobody has begun to overwrite it */
#if defined BREAK_NO_LOOK
			value = number;
#elif defined BREAK_HEAD_ONLY
			value = (PACKET_OF(mem[HEAD]) - number < NSUB ->
				 number : number + 1);
#elif !defined BREAK_LOOK_BEFORE
			value = mem[NUMBER(number)];
#endif
			if
			:: value != number -> first = number + 1
			:: value == number && number == one -> judge()
			:: else
			fi;
			if
			:: number == one -> one = 255
			:: else
			fi;
			i = 0; begin = 0; ends = 0; value = 0;
			belongs = false; bad = false; sized = false;
			number++
		}
	od;
	/* all that is there, but for a packet that is being taken */
	atomic {
		i = (current + 1 > NSUB -> current + 1 - NSUB : 0);
		assert(!quiet || first == i ||
		       (begun && current + 1 >= NSUB && first == i + 1));
		finished = true
	}
}

init {
	atomic {
		memory_first();
		run Reader()
	}
	timeout;
	assert(finished)
}

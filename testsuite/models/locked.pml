/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Locked rings: two threads on two CPUs, a signal handler in one of them that
 * writes, too, and may leave by siglongjmp; a reader; and a controller that
 * stops the channel, waits for the holders and takes the memory away.
 *
 * Holds: a ring has one writer at a time; what is below its head is complete
 * and what was committed, at any moment, also of a process that is killed;
 * nobody writes into memory that was taken away; and each call ends as an
 * event, as a counted loss, or finds the channel off. A writer without room
 * releases its ring and tries the other one; if that has no room either, it
 * takes any ring and counts the loss there.
 *
 * A CPU that keeps stores back (x86-TSO) is in it where that can be seen: at
 * the store to `active`. Else a ring is handed on by a store that follows all
 * others of its holder, and taken by a locked instruction.
 */
#define RINGS	2
#ifndef CALLS
#define CALLS	2		/* of each thread; the handler runs once */
#endif
#ifndef ROOM
#define ROOM	6		/* events of a ring; nothing is read from it */
#endif
#define CELLS	(ROOM + 1)

byte holder[RINGS];		/* channel_lock.holder */
byte head[RINGS];
byte cell[RINGS * CELLS];
byte lost[RINGS];		/* written by the holder */

/* ASSUMES LOCKED-OWNER: `active` is cleared before the holders are looked at,
 * and looked at after a ring was taken. */
bool lets_in = true;		/* `active`, as the controller stored it */
bool active_seen = true;	/* as other CPUs see it */
bool taken_away;
byte unplaced;

bool handling;			/* thread 0 is in its handler */
bool jumped;			/* the handler left by siglongjmp */
bool killed;

/* the truth */
byte writers[RINGS];
byte truth[RINGS * CELLS];
byte calls, events, offs, left;
byte ended;

#define RUNS	(!killed && (me != 0 || !handling))

/* A step of a thread; thread 0 may find that its handler has jumped. */
#define STEP(what)							\
	if								\
	:: atomic { RUNS && me == 0 && jumped -> jumped = false;	\
		left++; goto call }					\
	:: atomic { RUNS && !(me == 0 && jumped) -> what }		\
	fi

proctype Writer(byte me; byte most)
{
	byte ring, tries, word, at, n;
	byte pass;	/* 0: any ring; 1: the other; 2: any, to count */

	if
	:: me == 2 -> atomic { !killed && !handling && !(ended & 1) ->
		handling = true; me = 3 }
	:: else
	fi;
call:
	atomic {
		RUNS;
		tries = 0; ring = 0; word = 0; at = 0; pass = 0;
		if
		:: n == most -> goto end
		:: else -> n++; calls++
		fi;
		/* the ring of whatever CPU this is */
		if
		:: ring = 0
		:: ring = 1
		fi
	}
take:	/* hold_try(), hold_search() */
#ifdef BREAK_LOOK_FIRST
	STEP(at = active_seen);
#endif
#ifdef BREAK_NO_CAS
	STEP(word = holder[ring]);
	STEP(if
	     :: word == 0 -> holder[ring] = 1; writers[ring]++
	     :: else
	     fi);
#else
	STEP(word = holder[ring];
	     if
	     :: word == 0 -> holder[ring] = 1; writers[ring]++
	     :: else
	     fi);
#endif
	if
	:: word != 0 ->
		STEP(ring = 1 - ring;
		     if
		     :: pass == 1 -> pass = 2; tries = 0; goto take
		     :: else -> tries++;
			if
			:: tries == RINGS -> unplaced++; goto call
			:: else -> goto take
			fi
		     fi)
	:: else
	fi;
#ifdef BREAK_ROOM_NO_LOOK
	STEP(at = (pass == 0 -> active_seen : 1));
#else
#ifndef BREAK_LOOK_FIRST
	/* hold_enter(): after the ring was taken */
	STEP(at = active_seen);
#endif
#endif
	if
	:: at == 0 ->
		STEP(holder[ring] = 0; writers[ring]--; offs++; goto call)
	:: else
	fi;
	/* hold_place() */
	STEP(assert(!taken_away); at = head[ring]);
	if
	:: at == ROOM && pass < 2 ->
		/* roomy_write() */
		STEP(writers[ring]--; holder[ring] = 0; ring = 1 - ring;
		     pass++; tries = 0; goto take)
	:: at == ROOM && pass == 2 ->
		/* hold_lose() */
#ifdef BREAK_LOSE_RELEASED
		STEP(writers[ring]--; holder[ring] = 0);
#endif
		STEP(word = lost[ring]);
		STEP(lost[ring] = word + 1);
#ifndef BREAK_LOSE_RELEASED
		STEP(writers[ring]--; holder[ring] = 0);
#endif
		goto call
	:: else
	fi;
	/* the payload */
	STEP(assert(!taken_away && writers[ring] == 1);
	     cell[ring * CELLS + at] = 10 * (me + 1) + n);
#ifdef BREAK_RELEASE_EARLY
	STEP(writers[ring]--; holder[ring] = 0);
#endif
	/* hold_commit() */
	STEP(assert(!taken_away);
	     truth[ring * CELLS + at] = 10 * (me + 1) + n;
	     head[ring] = at + 1; events++);
#ifndef BREAK_RELEASE_EARLY
	/* hold_release() */
	STEP(writers[ring]--; holder[ring] = 0);
#endif
	goto call;
end:
	atomic {
		if
		:: me == 3 -> handling = false;
			if
			:: (ended & 1) == 0 -> jumped = true
			:: true
			fi
		:: else -> ended = ended | (1 << me)
		fi
	}
}

proctype Control()
{
	byte k;

	/* channel_stop() */
	atomic { !killed -> lets_in = false;
#ifndef BREAK_STOP_LATE
		active_seen = false
#endif
	};
	/* channel_grace() */
	do
	:: atomic { k < RINGS && holder[k] == 0 && !killed -> k++ }
	:: atomic { k == RINGS -> taken_away = true; break }
	:: atomic { k < RINGS && holder[k] != 0 -> break }	/* -ETIMEDOUT */
	:: killed -> break
	od
}

proctype Drain()
{
end:	do
	:: atomic { active_seen && !lets_in -> active_seen = false }
	od
}

proctype Reader()
{
	byte ring, most, i;

	if
	:: ring = 0
	:: ring = 1
	fi;
	/* RING-HEAD */
	most = head[ring];
	do
	:: i < most -> atomic {
		assert(cell[ring * CELLS + i] == truth[ring * CELLS + i] &&
		       truth[ring * CELLS + i] != 0); i++ }
	:: else -> break
	od
}

init {
	byte n;

	atomic {
		run Writer(0, CALLS);
		run Writer(1, CALLS);
		run Writer(2, 1);
		run Control();
		run Drain();
		run Reader()
	}
	if
#ifdef KILL
	:: killed = true
#endif
	:: true
	fi;
	timeout;
	assert(killed || ended == 3);
	/* a jump ends one call without a word: its writer is gone */
	n = events + unplaced + offs + left + lost[0] + lost[1];
	assert(killed || calls == n || (left && calls + 1 == n));
	assert(head[0] + head[1] == events)
}

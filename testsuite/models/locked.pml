/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Locked rings: two threads on two CPUs, a signal handler in one of them that
 * writes, too, and may leave by siglongjmp; a reader; and a controller that
 * stops the channel, waits for the holders and takes the memory away.
 *
 * Holds: a ring has one writer at a time; what is below its head is complete
 * and what was committed, at any moment, also of a process that is killed;
 * nobody writes into memory that was taken away; and each call ends as an
 * event, as a counted loss, or finds the channel off.
 *
 * A CPU that keeps stores back (x86-TSO) is in it where that can be seen: at
 * the store to `active`. Else a ring is handed on by a store that follows all
 * others of its holder, and taken by a locked instruction.
 */
#define RINGS	2
#ifndef CALLS
#define CALLS	2		/* of each thread; the handler runs once */
#endif
#define ROOM	6		/* events of a ring */

byte holder[RINGS];		/* channel_lock.holder */
byte head[RINGS];
byte cell[RINGS * ROOM];

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
byte truth[RINGS * ROOM];
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

	if
	:: me == 2 -> atomic { !killed && !handling && !(ended & 1) ->
		handling = true; me = 3 }
	:: else
	fi;
call:
	atomic {
		RUNS;
		tries = 0; ring = 0; word = 0; at = 0;
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
		STEP(tries++; ring = 1 - ring;
		     if
		     :: tries == RINGS -> unplaced++; goto call
		     :: else -> goto take
		     fi)
	:: else
	fi;
#ifndef BREAK_LOOK_FIRST
	/* hold_take(): after the ring was taken */
	STEP(at = active_seen);
#endif
	if
	:: at == 0 ->
		STEP(holder[ring] = 0; writers[ring]--; offs++; goto call)
	:: else
	fi;
	/* hold_place() */
	STEP(assert(!taken_away); at = head[ring]);
	/* the payload */
	STEP(assert(!taken_away && writers[ring] == 1);
	     cell[ring * ROOM + at] = 10 * (me + 1) + n);
#ifdef BREAK_RELEASE_EARLY
	STEP(writers[ring]--; holder[ring] = 0);
#endif
	/* hold_commit() */
	STEP(assert(!taken_away);
	     truth[ring * ROOM + at] = 10 * (me + 1) + n;
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
		assert(cell[ring * ROOM + i] == truth[ring * ROOM + i] &&
		       truth[ring * ROOM + i] != 0); i++ }
	:: else -> break
	od
}

init {
	byte k;

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
	assert(killed || calls == events + unplaced + offs + left ||
	       (left && calls + 1 == events + unplaced + offs + left));
	assert(head[0] + head[1] == events)
}

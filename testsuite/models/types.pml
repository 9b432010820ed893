/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of event types that processes share (buffers/rings/shared.c):
 * processes add types, some of them the same, and up to DEATHS of them end
 * between any two steps: two processes, or three with THIRD.
 *
 * Holds: what a reader sees below record_bytes is whole, and does not change; no
 * type is there twice; a process that lives has an id for each of its types,
 * whichever others died where. No step waits for another process.
 *
 * The memory is that of one machine: ASSUMES SHARED-TYPES, a process that sees
 * `types` sees the description that it names.
 */
#ifndef DEATHS
#define DEATHS	1
#endif
#define TYPES	2
#define ROOM	4		/* of the table */
#define PLACES	8

/* `types`, one word: the staged place + 1, or 0; and the end of the table */
byte staged, end;
byte seen;			/* record_bytes: what readers see */
byte table[ROOM];		/* a type; 0: nothing was copied there */
byte place[PLACES];
byte given;			/* places */
byte deaths = DEATHS;

/* Before each access of shared memory: the process may have died. */
#define STEP							\
	if								\
	:: atomic { deaths > 0 -> deaths--; goto died }			\
	:: true								\
	fi

/* types_help(), with the word that was read before. */
#define HELP								\
	if								\
	:: s != 0 ->							\
		EARLY;							\
		STEP;							\
		atomic {						\
			/* a late copy is of the same bytes */		\
			assert(e >= seen || table[e] == place[s - 1]);	\
			table[e] = place[s - 1]				\
		}							\
		STEP;							\
		atomic {						\
			if						\
			:: seen == e -> assert(table[e]); seen = e + 1	\
			:: else						\
			fi						\
		}							\
		STEP;							\
		atomic {						\
			if						\
			:: staged == s && end == e ->			\
				staged = 0; end = e + 1			\
			:: else						\
			fi;						\
			s = 0; e = 0					\
		}							\
	:: else								\
	fi
#ifdef BREAK_EARLY
/* readers see it before it is copied */
#define EARLY	atomic { if :: seen == e -> seen = e + 1 :: else fi }
#else
#define EARLY	skip
#endif

proctype Member(byte first; byte second)
{
	byte mine = first, s, e, i, limit, own;

again:
	STEP;
	atomic { s = staged; e = end }
	HELP;
	STEP;
	/* one step: what is below it does not change */
	atomic {
		limit = seen;
		i = 0;
		do
		:: i < limit && table[i] == mine -> i = 0; limit = 0; goto found
		:: i < limit && table[i] != mine -> assert(table[i]); i++
		:: else -> break
		od;
		i = 0
	}
	if
	:: own == 0 -> atomic { given++; own = given; assert(own <= PLACES) }
	:: else
	fi;
	STEP;
	place[own - 1] = mine;
	STEP;
	atomic {
		if
#ifdef BREAK_END
		/* a type that was added since is not compared */
		:: staged == 0 -> staged = own; s = own; e = end
#else
		:: staged == 0 && end == limit -> staged = own; s = own; e = end
#endif
		:: else -> limit = 0; goto again
		fi;
		limit = 0;
#ifndef BREAK_PLACE
		own = 0		/* a place is not used again */
#endif
	}
	HELP;
	goto again;
found:
	if
	:: atomic { second -> mine = second; second = 0; goto again }
	:: else
	fi;
died:
	atomic { mine = 0; second = 0; s = 0; e = 0; i = 0; limit = 0; own = 0 }
}

init
{
	byte i, k;

	atomic {
		run Member(1, 2);
#ifdef THIRD
		run Member(2, 0);
		run Member(1, 0)
#else
		run Member(2, 1)
#endif
	}
	_nr_pr == 1;
	for (i : 0 .. ROOM - 1) {
		assert(i >= seen || table[i]);
		for (k : 0 .. ROOM - 1) {
			assert(i >= k || k >= seen || table[i] != table[k])
		}
	}
	/* processes that live find all of their types, and so have added them */
	assert(deaths < DEATHS || seen == TYPES)
}

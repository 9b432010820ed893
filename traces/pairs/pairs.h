/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Puts events together into pairs: a pair begins with one event and ends with
 * another. It is a call, a request, or the time for which a lock is held.
 *
 *	pairs = pairs_new(&calls);
 *	pairs_add(pairs, "app:start,app:done,id");	if the user named some
 *	while ((event = reader_next(reader)))
 *		pairs_feed(pairs, event);		calls.finished(...)
 *	pairs_finish(pairs);				calls.unfinished(...)
 *	pairs_free(pairs);
 *
 * Kinds of pairs are given by rules, and found by names: X_entry and X_exit,
 * begin and end, and so on (names.c). An END finishes the innermost BEGIN of
 * the same kind that is open in the same lane; of Python's functions and
 * scopes, the one with the same `span`, because coroutines do not nest; of
 * functions ("fn:NAME" and "fn:NAME%return"), the one with the same `cfa`. An
 * event fn:NAME with `duration` and `depth` is a pair by itself (whole.c).
 * Where rules have left out some of either, for their conditions or for a time,
 * the events' terms tell that (control/sessions/terms.c): the others make no
 * pair, for the true partner may be one that was left out. A call that is open
 * when a rule goes ends then (PAIR_ENDED), or with the last call in it. A
 * lane is a thread, which the context vtid names; or, of a rule with keys, the
 * process and the values of the keys. Where events have no thread, a CPU and
 * process is a lane only if pairs_by_cpu() asks for it: threads share CPUs and
 * leave them, so such a pair may be of two.
 *
 * Where events of a process are not there any more (`gaps` of the trace), a
 * BEGIN and an END make no pair if one of them, or a time between them, is in a
 * gap: other events of the kind may be missing there. They are left out, and
 * counted. Keys that are compared across processes take the gaps of all
 * processes that have the rule's events.
 *
 * Invariants:
 *  - an event costs a look into a table: names are compared once for each class
 *    of events;
 *  - memory is bounded, whatever the traces say: of more than PAIRS_OPEN_MAX
 *    open pairs the oldest is given up.
 */
#ifndef TRACES_PAIRS_PAIRS_H
#define TRACES_PAIRS_PAIRS_H

#include "traces/read/field-at.h"

#define PAIRS_OPEN_MAX	(128u << 10)
#define PAIR_KEYS_MAX	4
#define PAIR_KEY_BYTES	40	/* of all keys; the rest is in their hash */

/* A kind of pairs. Everything but `priv` is to be read only. */
struct pair_kind {
	const char *name;		/* "app:request"; of a rule: the rule */
	const char *begin;		/* names of events; NULL: none met */
	const char *end;
	bool given;			/* by a rule */
	bool across;			/* keys are compared across processes */
	bool calls;			/* of functions: strictly nested */
	bool frames;			/* of functions that were not prepared:
					 * the frame's address tells the pair */
	bool steps;			/* BEGIN and END are the same event */
	bool apart;			/* of functions: BEGINs or ENDs of which
					 * rules left some out were met */
	bool some;			/* of functions: a condition chooses
					 * among the ENDs */
	bool tested;			/* --where has one for BEGINs */
	uint8_t halves;			/* BEGINs: 1, ENDs: 2 were met, though
					 * not all have a term */
	uint32_t term;			/* the last one that was met */
	bool endless;			/* many BEGINs, and without `end`: not
					 * told */
	uint8_t nkeys;
	const char *begin_keys[PAIR_KEYS_MAX];
	const char *end_keys[PAIR_KEYS_MAX];
	uint32_t number;		/* of the kind, from 0 */
	uint64_t finished;		/* counts, so far */
	uint64_t unfinished;
	uint64_t given_up;		/* too many were open: PAIR_GIVEN_UP */
	uint64_t unbegun;		/* an END without a BEGIN */
	uint64_t termless;		/* BEGINs and ENDs that therefore make
					 * no pair */
	uint64_t crossed;		/* whole calls that overlap another one
					 * of the thread, but are not in it */
	uint64_t begins_out;		/* that were left out */
	uint64_t ends_out;
	uint64_t keyless;		/* events without one of the keys */
	uint64_t threadless;		/* events without a lane: no pair */
	uint32_t open;
	struct gaps gaps;		/* of `across`: of all such processes */
	void *priv;			/* of the caller of pairs_feed() */
};

enum pair_lane {
	PAIR_OF_THREAD,			/* lane: the vtid */
	PAIR_OF_CPU,			/* lane: the CPU */
	PAIR_OF_KEYS,			/* lane: their hash */
};

enum pair_fate {
	PAIR_FINISHED,
	PAIR_OPEN,			/* at the end of the traces */
	PAIR_LEFT,			/* a call around it returned first */
	PAIR_GIVEN_UP,			/* too many were open */
	PAIR_LEFT_OUT,			/* END, or what shows that there is
					 * none, may be missing */
	PAIR_ENDED,			/* the rule that records END went before
					 * it came */
};

/* A pair, from the BEGIN on. It is valid until the callback returns. */
struct pair {
	struct pair_kind *kind;
	const struct trace_class *trace;	/* of BEGIN */
	const struct event_class *class;	/* of BEGIN */
	int64_t begin;			/* ns since 1970 */
	int64_t end;			/* below `begin` in damaged traces */
	uint64_t lane;
	int64_t vtid;			/* of BEGIN, or -1 */
	uint64_t priv;			/* of the caller of pairs_feed() */
	/* of a kind with `frames`: the innermost open one around it, at the
	 * BEGIN; and how long those directly in it took that finished */
	uint64_t outer;			/* its priv, or 0 */
	int64_t inner;			/* ns */
	bool recursive;			/* another call of the function is
					 * around it */
	bool apart;			/* none is around it, but the thread has
					 * open ones on another stack */
	bool whole;			/* one event told it, at the end */
	int64_t again;			/* ns of the function's calls in it
					 * that finished */
	uint64_t inside;		/* of a whole one, or `among` them: the
					 * priv of those directly in it,
					 * joined(); or 0 */
	uint64_t within;		/* of a whole one: the priv of the
					 * innermost open one around it; or 0 */
	bool among;			/* not whole, but whole calls may be
					 * around it or in it */
	const struct field_at *keys;	/* in BEGIN */
	uint32_t term;			/* of BEGIN, a function's; or 0 */
	uint32_t cpu;			/* of BEGIN */
	uint32_t depth;			/* pairs that were open in the lane */
	uint8_t lane_kind;		/* enum pair_lane */
	uint8_t fate;			/* enum pair_fate */
	uint8_t key_bytes;
	uint8_t key[PAIR_KEY_BYTES];	/* see pair_key_text() */
};

/* Returns true for a call whose return may have been left out by rules: of one
 * that did not finish, nothing is known. */
static inline bool pair_is_termless(const struct pair *pair)
{
	return pair->term == TERM_NONE || pair->kind->apart ||
	       pair->kind->some ||
	       pair->term < pair->kind->term;
}

/* Each may be NULL. `event` is BEGIN or END. Of a whole call begun() and
 * finished() come together, with the one event. */
struct pair_calls {
	/* a pair was opened; `priv` of the pair can be set */
	void (*begun)(struct pair *pair, const struct trace_event *event,
		      void *priv);
	void (*finished)(const struct pair *pair,
			 const struct trace_event *event, void *priv);
	/* `end` is the last time that is known of it */
	void (*unfinished)(const struct pair *pair, void *priv);
	/* of a kind with `frames`: it seems to be left at `end`. Whether it
	 * finishes all the same is told later. `priv` can be set */
	void (*aside)(struct pair *pair, void *priv);
	/* returns the priv of two whole calls that follow each other, together:
	 * in the same call, as far as is known; either may be 0 */
	uint64_t (*joined)(uint64_t left, uint64_t right, void *priv);
	/* whole calls, and those `among` them, in a call that did not finish,
	 * which has the priv `outer`; or, at the end, without a call around
	 * them: 0 */
	void (*outermost)(const struct trace_class *trace, uint64_t pair_priv,
			  uint64_t outer, void *priv);
	/* a call `among` whole ones ends: returns its priv for joined() */
	uint64_t (*among)(const struct pair *pair, void *priv);
	void (*unbegun)(struct pair_kind *kind,
			const struct trace_event *event, void *priv);
	void *priv;
};

/* Pairs are used by one thread. A callback must not feed events. */
struct pairs;

/* Returns pairs that finds kinds by names, or NULL without memory. `calls`
 * lives as long as it. */
struct pairs *pairs_new(const struct pair_calls *calls);

/* Frees the pairs and all kinds. Open pairs are not told. */
void pairs_free(struct pairs *pairs);

/*
 * Adds a rule, BEGIN,END[,KEY...], before the first event. BEGIN and END are
 * names of events, "app:start", "app/start", or "start" of any channel. Both
 * may be the same: the time from one event to the next, where the first and the
 * last one are not told. KEY is a field or context; "A=B" is A in BEGIN and B
 * in END. "@any" among the keys compares them across processes. A kind that
 * would be found by the same two names is replaced.
 * Returns 0; -EINVAL: it is no rule, and *wrong is a sentence about it;
 * -ENOMEM.
 */
int pairs_add(struct pairs *pairs, const char *rule, const char **wrong);

/* Makes lanes of CPUs where events have no thread; before the first event. */
void pairs_by_cpu(struct pairs *pairs);

/* Makes the kinds of a trace's events known. pairs_feed() does it at the
 * trace's first event. Returns 0 or -ENOMEM. */
int pairs_meet(struct pairs *pairs, const struct trace_class *trace);

/* Takes an event. Events come in the order of time. */
void pairs_feed(struct pairs *pairs, const struct trace_event *event);

/* Tells all open pairs as unfinished, the oldest first. */
void pairs_finish(struct pairs *pairs);

/* Counts BEGINs and ENDs that were left out. */
struct pairs_out {
	uint64_t begins;
	uint64_t ends;
};

/* Returns those of a trace's events, of kinds that have both; NULL: of all
 * traces. */
struct pairs_out pairs_left_out(const struct pairs *pairs,
				const struct trace_class *trace);

/* Returns how many pairs were given up, of kinds as above. */
uint64_t pairs_given_up(const struct pairs *pairs);

/* Returns the kinds, those of rules first; kinds without `begin` or `end` among
 * them, of which no event was met. Pointers to them stay valid. */
size_t pairs_kinds(const struct pairs *pairs, struct pair_kind *const **kinds);

/* Writes a sentence about a function's BEGINs and ENDs that make no pair, as
 * rules left out others, or about whole calls that overlap others. Returns
 * false, and writes nothing, if there are none, or if only BEGINs were
 * recorded, or only ENDs. */
bool pair_termless_text(const struct pair_kind *kind, char *text, size_t room);

/* Returns how many BEGINs and ENDs make no pair because they have no thread. */
uint64_t pairs_threadless(const struct pairs *pairs);

/* Returns 0, or -ENOMEM if pairs were not counted for want of memory. */
int pairs_error(const struct pairs *pairs);

/* Writes the value of key i of the pair's kind, as a line of an event has it,
 * and a NUL; cuts a text that has no room. Returns the length. */
size_t pair_key_text(const struct pair *pair, unsigned int i, char *text,
		     size_t room);

#endif

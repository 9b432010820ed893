/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the files of this room: names.c makes kinds of names, keys.c reads
 * keys, open.c holds what is open, whole.c calls that were told whole, pairs.c
 * takes the events.
 *
 * Invariant: a kind, and an action of a class, has one address for as long as
 * the pairs live. Open pairs point to both.
 */
#ifndef TRACES_PAIRS_PRIVATE_H
#define TRACES_PAIRS_PRIVATE_H

#include "base/index.h"
#include "traces/pairs/pairs.h"

#define NONE	UINT32_MAX

/* The effect of an event of a class: it ends a pair, or begins one. Those that
 * end come first. */
struct pair_action {
	struct pair_action *next;
	struct pair_kind *kind;
	bool ends;
	bool keyless;			/* the class does not have all keys */
	bool span;			/* keys[0] tells the pair: names.c */
	bool whole;			/* the event is a call; keys: duration,
					 * depth */
	struct field_at keys[PAIR_KEYS_MAX];
};

/* From a time on, returns of calls with this entry are not recorded. */
struct pair_term {
	int64_t ns;
	size_t trace;
	uint64_t code;			/* of the entry's class */
};

/* The facts about a trace. A class without actions begins and ends nothing. */
struct pair_trace {
	const struct trace_class *trace;
	struct pair_action **actions;	/* by the number of the class; `unmet`:
					 * made at the first event */
	uint32_t nclasses;		/* of actions[] */
	struct pairs_out out;
	int32_t vtid;			/* offset in the context, or -1 */
	int64_t *over;			/* by code: calls that began before it
					 * have no return from then on */
	size_t novers;
};

/* A kind, and the texts that it points to. */
struct own_kind {
	struct pair_kind kind;
	char *text;
	char *begin;			/* of a rule: names as written */
	char *end;
	char *seen_begin;
	char *seen_end;
	/* of a function: where it is (struct event_class), or NULL; which parts
	 * of that tell it from others of this name, and the next of them, in a
	 * ring */
	char *place;
	unsigned int apart;
	struct own_kind *twin;
};

/* A pair that is open, or a free place. Links are numbers of places, as the
 * array of all places moves when it grows. The free ones are linked by
 * `below`. */
struct open_pair {
	struct pair pair;
	uint32_t below, above;		/* in the lane */
	uint32_t older, newer;		/* of all */
	uint32_t around, inside;	/* of a function: on the same stack */
};

/* A stack with open calls of functions; see frames.c. */
struct frame_stack {
	uint64_t root;			/* no frame is above it */
	uint32_t top;			/* the innermost call; NONE: `own` */
	bool aside;			/* the calls seem to be left */
	bool own;			/* frames above `root` are not on it,
					 * as a return has told */
};

/* Those of a lane, by `root`. */
struct frames {
	struct frame_stack *stacks;
	uint32_t n, room;
	uint32_t asides;
	uint32_t turn;			/* the one that was given up last */
};

/* A stack of open pairs; see lane_find(). */
struct lane {
	uint64_t id;
	uint32_t trace;			/* number of the trace, NONE: no lane is
					 * here */
	uint32_t kind;			/* of keys: number of the kind, else
					 * NONE */
	uint32_t top;
	uint32_t depth;
	struct frames *frames;		/* or NULL */
};

/* The state of all pairs. */
struct pairs {
	const struct pair_calls *calls;
	struct pair_kind **kinds;
	size_t nkinds;
	struct index names;		/* of kinds that were found */
	struct class_memory *labels;	/* names that have more in front */
	bool by_cpu;
	struct schema_marks schemas;	/* with kinds that are known */
	struct pair_trace **traces;	/* by number */
	size_t ntraces;
	struct open_pair *open;
	uint32_t nopen;			/* places in use or free */
	uint32_t room;
	uint32_t free;			/* the first free place */
	uint32_t oldest, newest;
	struct lane *lanes;
	uint32_t nlanes;		/* a power of two */
	uint32_t lanes_used;
	struct index wholes;		/* lanes by thread: whole.c */
	struct whole_lane **whole_lanes;
	size_t nwholes;
	struct index repeats;		/* by lane and function: whole.c */
	struct whole_repeats **repeats_all;
	size_t nrepeats;
	bool any_whole;			/* calls of functions are */
	unsigned int gaps;		/* gaps_added, as kinds know them */
	bool stale;			/* a trace was met since */
	struct pair_term *terms;	/* that ended, in the order of time */
	size_t nterms;
	size_t terms_over;		/* of these, up to `now` */
	int64_t over_ns;		/* from then on, open_over() has some to
					 * do; without `terms` it is not used */
	int64_t now;			/* of the last event */
	/* open.c's, for frames.c: ends an open pair without an END; `end` is
	 * the last time that is known of it */
	void (*abandon)(struct pairs *p, uint32_t at, enum pair_fate fate,
			int64_t end);
	/* open.c's, for whole.c: returns the place of the innermost open call
	 * of a function in the lane of a whole one that began before it, but
	 * for `slack` ns; or NONE. NULL until a pair was open */
	uint32_t (*around)(const struct pairs *p, const struct pair *whole,
			   int64_t slack);
	int error;
};

/* Returns whether events of the pair's kind may be missing between two times,
 * or at a time. */
static inline bool pair_lacks(const struct pair *pair, int64_t from,
			      int64_t to)
{
	return gaps_meet(pair->kind->across ? &pair->kind->gaps :
					      trace_gaps(pair->trace),
			 from, to);
}

/* Returns whether pairs of a kind are told. */
static inline bool kind_is_told(const struct pair_kind *kind)
{
	return kind->given || (kind->begin && kind->end);
}

/* names.c: adds the actions that the event's name means to the class.
 * Returns 0 or -ENOMEM. */
int names_meet(struct pairs *p, const struct trace_class *trace,
	       const struct event_class *class, struct pair_action **actions);

/* names.c: frees all kinds. */
void names_free(struct pairs *p);

/* names.c: returns whether a trace describes an event of a rule. */
bool names_has_event(const struct pair_kind *kind,
		     const struct trace_class *trace);

/* keys.c: sets the keys of a pair, and their hash. Returns false for an event
 * that is damaged. */
bool keys_read(struct pair *pair, const struct pair_action *action,
	       const struct trace_event *event, uint64_t *hash);
/* keys.c: keeps the number of an action with `span`, and leaves the lane as it
 * is; of a damaged event, none is kept. */
void keys_read_span(struct pair *pair, const struct pair_action *action,
		    const struct trace_event *event);

/* keys.c: returns an integer of the class, at its first byte. */
uint64_t keys_number(const struct field_class *class, const uint8_t *at);

/* whole.c: takes a call that the event tells whole; the lane must be set.
 * whole_finish() tells the calls without a call around them, whole_free() frees
 * the memory. */
void whole_take(struct pairs *p, struct pair *pair,
		const struct pair_action *action,
		const struct trace_event *event);
void whole_finish(struct pairs *p);

/* whole.c, where functions have whole calls and pairs: takes the calls that are
 * in an open pair out of those that wait, and lets the pair wait for a call
 * around it. The pair is still linked; it ends at this time, or did not finish.
 */
void whole_enclose(struct pairs *p, uint32_t at, int64_t now, bool finished);
void whole_free(struct pairs *p);

/* open.c: the lane must be set. open_push() returns the pair, or NULL where it
 * is not kept; open_pop() takes the innermost one like it, or returns NULL. The
 * pair that is taken is valid until the next push. open_leave_out() counts a
 * BEGIN or END that is left out. open_finish() tells all that are open, the
 * oldest first. open_free() frees the memory, and tells nothing. */
void open_leave_out(struct pairs *p, const struct pair *pair, bool ends);
struct pair *open_push(struct pairs *p, const struct pair *pair);
const struct pair *open_pop(struct pairs *p, const struct pair *like,
			    int64_t now);
/* Ends calls of terms that end up to a time. */
void open_over(struct pairs *p, int64_t now);
void open_finish(struct pairs *p);
void open_free(struct pairs *p);

/*
 * frames.c, for kinds with `frames`. frames_push() puts an open pair on a
 * stack, and sets `outer`, `recursive` and `apart`; it returns 0 or -ENOMEM.
 * frames_find() returns the call with the same frame as the return, or NONE.
 * Both leave calls of which the frame's address tells that they were left, or
 * set them aside. frames_unlink() takes a pair off again.
 */
int frames_push(struct pairs *p, struct lane *lane, uint32_t at);
uint32_t frames_find(struct pairs *p, struct lane *lane,
		     const struct pair *like, int64_t now);
void frames_unlink(struct pairs *p, struct lane *lane, uint32_t at);
/* Adds the time of a call, or that of the function's calls in it where no
 * return of it is known, to the function's next call around it: `again`.
 * `around` is the first one that may be that. */
void frames_again(struct pairs *p, const struct pair *pair, uint32_t around,
		  int64_t ns);
void frames_free(struct lane *lane);

#endif

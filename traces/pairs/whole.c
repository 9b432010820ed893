/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls that one event tells, at their end: of rules fn:GLOB with `duration`
 * (docs/functions.md, "Long calls alone").
 *
 * Such a call comes behind the calls in it. So each lane keeps the calls that
 * have ended, up to the call around them: that is the next one of the lane that
 * has a smaller depth, and began before they ended. The process tells the
 * durations, the recorder the times; their clocks differ by some millionths. So
 * a call is taken to have begun no later than the calls in it, and no earlier
 * than the call before it has ended, where that is as near. A thread that is
 * interrupted between a call's end and the event tells the call too late: the
 * calls before it that are deeper, and that the duration has room for, are in
 * it all the same, and it is taken to have ended earlier. Depths alone do not
 * tell: the call around a deeper one may have been left, or not be wanted.
 *
 * Where other functions have pairs of events, these wait among them when they
 * end, and take the calls in them. They have no depth: they are in the call in
 * which most of their time is. The pair around a whole call has counted those
 * that are in both.
 *
 * Of a function that calls itself, the inner calls come first, too. So each
 * function of a lane keeps its calls, up to its next one around them, which
 * tells how much of it has been told before (`again`).
 *
 * Invariant: memory is bounded. Of more than WAITING_MAX calls of a lane, which
 * no call around them has joined, two neighbours become one; so do those of a
 * function, of more than REPEATS_MAX. Of more than LANES_MAX lanes, and of more
 * functions of lanes, none is kept.
 */
#include "traces/pairs/private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "traces/array.h"

#define WAITING_MAX	4096u
#define LANES_MAX	65536u
#define REPEATS_MAX	1024u
/* A duration of 2^N ns is the recorder's but for 1 ns: 24 millionths were seen.
 */
#define SLACK_SHIFT	14
/* A thread that loses the CPU has it again after so long: 268 ms were seen,
 * where 25 threads wanted each CPU. */
#define LATE_NS		1000000000

/* A call that has ended, or neighbours of one depth. */
struct waiting {
	int64_t begin;
	int64_t end;
	int64_t ns;
	uint64_t priv;			/* of the caller of pairs_feed() */
	uint32_t depth;			/* NONE: a pair */
	uint32_t around;		/* the place of the pair that has
					 * counted it, or NONE; and its begin */
	int64_t around_begin;
};

/* Returns whether a call is in one that began at a time, by its own times. */
static bool is_inside(const struct waiting *w, int64_t begin)
{
	return w->begin >= begin ||
	       (w->end > begin && w->end - begin > begin - w->begin);
}

/* Returns whether a deeper call, which ended before one with this duration
 * seems to begin, can be in it: the other one ended at `last` or later, but its
 * event came late. */
static bool is_before_late(const struct waiting *w, int64_t begin, int64_t last,
			   int64_t ns)
{
	return begin - w->end < LATE_NS && w->begin >= last - ns;
}

/* The calls of one function in a lane that no call of it is around. */
struct whole_repeats {
	const struct whole_lane *lane;
	const struct pair_kind *kind;
	struct repeat {
		int64_t begin;
		int64_t ns;
	} *list;
	size_t n;
};

struct whole_lane {
	const struct trace_class *trace;
	uint64_t lane;
	uint8_t lane_kind;
	struct waiting *list;
	size_t n;
};

static bool is_lane(uint64_t value, const void *key)
{
	const struct whole_lane *lane = (void *)(uintptr_t)value;
	const struct pair *pair = key;

	return lane->trace == pair->trace && lane->lane == pair->lane &&
	       lane->lane_kind == pair->lane_kind;
}

/* Returns the lane of a call, made if it is not there; or NULL. */
static struct whole_lane *lane_of(struct pairs *p, const struct pair *pair)
{
	uint64_t number = pair->lane ^ (uint64_t)pair->trace->number << 40;
	uint64_t hash = index_hash(INDEX_HASH, &number, sizeof(number));
	struct whole_lane *lane = (void *)(uintptr_t)
		index_find(&p->wholes, hash, is_lane, pair);

	if (lane || p->nwholes == LANES_MAX)
		return lane;
	lane = calloc(1, sizeof(*lane));
	if (!lane || !array_grow(&p->whole_lanes, p->nwholes,
				 sizeof(*p->whole_lanes)) ||
	    index_add(&p->wholes, hash, (uint64_t)(uintptr_t)lane)) {
		free(lane);
		p->error = -ENOMEM;
		return NULL;
	}
	p->whole_lanes[p->nwholes++] = lane;
	lane->trace = pair->trace;
	lane->lane = pair->lane;
	lane->lane_kind = pair->lane_kind;
	return lane;
}

static bool is_repeats(uint64_t value, const void *key)
{
	const struct whole_repeats *repeats = (void *)(uintptr_t)value;
	const struct whole_repeats *wanted = key;

	return repeats->lane == wanted->lane && repeats->kind == wanted->kind;
}

/* Returns those of a lane and a function, made if they are not there; or NULL.
 */
static struct whole_repeats *repeats_of(struct pairs *p,
					const struct whole_lane *lane,
					const struct pair_kind *kind)
{
	const struct whole_repeats wanted = { .lane = lane, .kind = kind };
	uint64_t number = (uint64_t)(uintptr_t)lane ^
			  (uint64_t)kind->number << 48;
	uint64_t hash = index_hash(INDEX_HASH, &number, sizeof(number));
	struct whole_repeats *repeats = (void *)(uintptr_t)
		index_find(&p->repeats, hash, is_repeats, &wanted);

	if (repeats || p->nrepeats == LANES_MAX)
		return repeats;
	repeats = malloc(sizeof(*repeats));
	if (!repeats || !array_grow(&p->repeats_all, p->nrepeats,
				    sizeof(*p->repeats_all)) ||
	    index_add(&p->repeats, hash, (uint64_t)(uintptr_t)repeats)) {
		free(repeats);
		p->error = -ENOMEM;
		return NULL;
	}
	*repeats = wanted;
	p->repeats_all[p->nrepeats++] = repeats;
	return repeats;
}

/* Takes a call of a function. Returns how long the calls of it took that are in
 * this one. */
static int64_t repeats_take(struct pairs *p, struct whole_repeats *repeats,
			    const struct pair *pair)
{
	int64_t ns = 0;
	size_t i;

	while (repeats->n &&
	       repeats->list[repeats->n - 1].begin >= pair->begin)
		ns += repeats->list[--repeats->n].ns;
	if (repeats->n == REPEATS_MAX) {
		for (i = 0; i < REPEATS_MAX / 2; i++) {
			repeats->list[i].begin = repeats->list[2 * i].begin;
			repeats->list[i].ns = repeats->list[2 * i].ns +
					      repeats->list[2 * i + 1].ns;
		}
		repeats->n = i;
	}
	if (array_grow(&repeats->list, repeats->n, sizeof(*repeats->list)))
		repeats->list[repeats->n++] = (struct repeat){
			.begin = pair->begin, .ns = pair->end - pair->begin,
		};
	else
		p->error = -ENOMEM;
	return ns;
}

/* Returns the priv of two neighbours together; either may be 0. */
static uint64_t join(const struct pairs *p, uint64_t left, uint64_t right)
{
	return p->calls->joined ?
		       p->calls->joined(left, right, p->calls->priv) : left;
}

/* Makes one call of each two neighbours, of the same depth or, with `any`, with
 * the smaller one. */
static void neighbours_join(const struct pairs *p, struct whole_lane *lane,
			    bool any)
{
	size_t kept = 0, step;

	for (size_t i = 0; i < lane->n; i += step) {
		struct waiting left = lane->list[i];
		const struct waiting *right = &lane->list[i + 1];

		step = i + 1 < lane->n && (any || left.depth == right->depth) ?
			       2 : 1;
		if (step == 2) {
			if (right->begin < left.begin)
				left.begin = right->begin;
			if (right->depth < left.depth)
				left.depth = right->depth;
			left.end = right->end;
			left.ns += right->ns;
			left.priv = join(p, left.priv, right->priv);
		}
		lane->list[kept++] = left;
	}
	lane->n = kept;
}

/* Lets a call wait for one around it. */
static void waiting_add(struct pairs *p, struct whole_lane *lane,
			const struct waiting *w)
{
	if (lane && lane->n == WAITING_MAX) {
		/* calls of one depth mostly stand together; a call before
		 * others would keep a call around these from having them */
		neighbours_join(p, lane, false);
		if (lane->n > WAITING_MAX / 4 * 3)
			neighbours_join(p, lane, true);
	}
	if (lane && array_grow(&lane->list, lane->n, sizeof(*lane->list)))
		lane->list[lane->n++] = *w;
	else if (lane)
		p->error = -ENOMEM;
}

void whole_enclose(struct pairs *p, uint32_t at, int64_t now, bool finished)
{
	struct pair *pair = &p->open[at].pair;
	struct whole_lane *lane = lane_of(p, pair);
	struct waiting w = {
		.begin = pair->begin, .end = now, .ns = finished ?
		now - pair->begin : 0, .depth = NONE,
		.around = p->open[at].around,
	};

	for (; lane && lane->n; lane->n--) {
		const struct waiting *in = &lane->list[lane->n - 1];

		if (!is_inside(in, pair->begin))
			break;
		pair->inside = join(p, in->priv, pair->inside);
		w.ns += finished ? 0 : in->ns;
	}
	if (w.around != NONE)
		w.around_begin = p->open[w.around].pair.begin;
	pair->end = finished ? now : pair->end;
	if (finished && p->calls->among)
		w.priv = p->calls->among(pair, p->calls->priv);
	else if (!finished && p->calls->outermost && pair->inside)
		p->calls->outermost(pair->trace, pair->inside, pair->priv,
				    p->calls->priv);
	if (w.ns > 0)
		waiting_add(p, lane, &w);
}

/* Counts a whole call in the pair around it, less those in it that the pair
 * has counted. */
static void around_count(struct pairs *p, struct pair *pair, int64_t counted,
			 struct waiting *w)
{
	if (w->around == NONE)
		return;
	w->around_begin = p->open[w->around].pair.begin;
	p->open[w->around].pair.inner += w->ns - counted;
	pair->within = p->open[w->around].pair.priv;
}

void whole_take(struct pairs *p, struct pair *pair,
		const struct pair_action *action,
		const struct trace_event *event)
{
	size_t n;
	const uint8_t *duration = field_at_bytes(&action->keys[0], event, &n);
	const uint8_t *depth = field_at_bytes(&action->keys[1], event, &n);
	struct whole_lane *lane = lane_of(p, pair);
	struct whole_repeats *repeats;
	const struct pair *around;
	struct waiting whole;
	int64_t ns, slack, begin, last, counted = 0;
	bool late = false;

	if (!duration || !depth)
		return;
	ns = (int64_t)keys_number(action->keys[0].class, duration);
	/* a damaged one, or a clock that began later */
	if (ns < 0 || pair->end < INT64_MIN + ns)
		return;
	pair->begin = begin = pair->end - ns;
	slack = ns >> SLACK_SHIFT;
	pair->depth = (uint32_t)keys_number(action->keys[1].class, depth);
	pair->whole = true;
	pair->fate = PAIR_FINISHED;
	whole.around = p->around ? p->around(p, pair, slack) : NONE;
	around = whole.around == NONE ? NULL : &p->open[whole.around].pair;
	/* takes the calls in it out of the list */
	n = lane ? lane->n : 0;
	last = n ? lane->list[n - 1].end - slack : 0;
	for (; n; lane->n = --n) {
		const struct waiting *w = &lane->list[n - 1];
		bool before = w->end <= begin - slack;

		if (w->depth <= pair->depth ||
		    (w->depth == NONE ? !is_inside(w, pair->begin) :
		     before && !is_before_late(w, begin, last, ns)))
			break;
		late |= before;
		if (around && w->around == whole.around &&
		    w->around_begin == around->begin)
			counted += w->ns;
		if (w->begin < pair->begin)
			pair->begin = w->begin;
		pair->inside = join(p, w->priv, pair->inside);
		pair->inner += w->ns;
	}
	if (n && lane->list[n - 1].end > pair->begin &&
	    lane->list[n - 1].end <= pair->begin + slack)
		pair->begin = lane->list[n - 1].end;
	else if (n && lane->list[n - 1].depth != NONE &&
		 lane->list[n - 1].end -
		 (lane->list[n - 1].ns >> SLACK_SHIFT) > pair->begin)
		pair->kind->crossed++;
	if (late)
		pair->end = pair->begin + ns;
	repeats = lane ? repeats_of(p, lane, pair->kind) : NULL;
	if (repeats)
		pair->again = repeats_take(p, repeats, pair);
	whole.ns = pair->end - pair->begin;
	around_count(p, pair, counted, &whole);
	pair->kind->finished++;
	if (p->calls->begun)
		p->calls->begun(pair, event, p->calls->priv);
	if (p->calls->finished)
		p->calls->finished(pair, event, p->calls->priv);
	whole.begin = pair->begin;
	whole.end = pair->end;
	whole.priv = pair->priv;
	whole.depth = pair->depth;
	waiting_add(p, lane, &whole);
}

void whole_finish(struct pairs *p)
{
	for (size_t i = 0; i < p->nwholes; i++) {
		struct whole_lane *lane = p->whole_lanes[i];

		for (size_t k = 0; k < lane->n && p->calls->outermost; k++)
			p->calls->outermost(lane->trace, lane->list[k].priv, 0,
					    p->calls->priv);
		lane->n = 0;
	}
}

void whole_free(struct pairs *p)
{
	for (size_t i = 0; i < p->nwholes; i++) {
		free(p->whole_lanes[i]->list);
		free(p->whole_lanes[i]);
	}
	free(p->whole_lanes);
	index_clear(&p->wholes);
	for (size_t i = 0; i < p->nrepeats; i++) {
		free(p->repeats_all[i]->list);
		free(p->repeats_all[i]);
	}
	free(p->repeats_all);
	index_clear(&p->repeats);
}

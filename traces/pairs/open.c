/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Open pairs: a stack for each lane, and a list of all of them by age. Calls of
 * functions are also in stacks by their frames: frames.c.
 *
 * Lanes lie in a hash table with open addressing, not in one of base/index.h,
 * which removes nothing alone. A lane with an empty stack stays until the table
 * must grow, and is then left out. So the size of the table follows the number
 * of open pairs, not how many threads or keys there ever were.
 *
 * Invariant: each open pair is in the stack of one lane and in the list by age;
 * a free place is in neither.
 */
#include "traces/pairs/private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "traces/array.h"

#define LANES_MIN	256u
#define OPEN_MIN	64u

/* A kind of which no END was met, and more BEGINs, is none: PostgreSQL has
 * transaction__start, __commit and __abort. */
#define OPEN_ENDLESS_MAX	64u

/* Returns what tells the lane of a pair from others: of a key across processes,
 * no trace. */
static struct lane lane_of(const struct pair *pair)
{
	bool keys = pair->lane_kind == PAIR_OF_KEYS;
	uint32_t trace = (uint32_t)pair->trace->number;

	return (struct lane){
		.id = pair->lane ^ (uint64_t)pair->lane_kind << 62,
		.trace = keys && pair->kind->across ? NONE - 1 : trace,
		.kind = keys ? pair->kind->number : NONE,
		.top = NONE,
	};
}

/* Finds the lane, or the free place where it would be. A place is free, for the
 * table is never more than half full. */
static struct lane *lane_find(const struct pairs *p, const struct lane *like)
{
	uint64_t hash = (like->id ^ (uint64_t)like->trace << 40 ^
			 (uint64_t)like->kind << 20) * 0x9e3779b97f4a7c15ull;

	for (uint32_t i = (uint32_t)(hash >> 32);; i++) {
		struct lane *lane = &p->lanes[i & (p->nlanes - 1)];

		if (lane->trace == NONE ||
		    (lane->id == like->id && lane->trace == like->trace &&
		     lane->kind == like->kind))
			return lane;
	}
}

/* Returns the lane of a pair, made if it is not there; or NULL without memory.
 * A table that is half full is replaced by one with room for twice the lanes
 * that have open pairs, where all others are left out. */
static struct lane *lane_take(struct pairs *p, const struct pair *pair)
{
	struct lane like = lane_of(pair), *old = p->lanes, *lane;
	uint32_t nold = p->nlanes, live = 0;

	if (2 * p->lanes_used >= nold) {
		for (uint32_t i = 0; i < nold; i++)
			live += old[i].trace != NONE && old[i].top != NONE;
		p->nlanes = LANES_MIN;
		while (p->nlanes < 4 * live)
			p->nlanes *= 2;
		p->lanes = malloc(p->nlanes * sizeof(*p->lanes));
		if (!p->lanes) {
			p->lanes = old;
			p->nlanes = nold;
			return NULL;
		}
		for (uint32_t i = 0; i < p->nlanes; i++)
			p->lanes[i].trace = NONE;
		for (uint32_t i = 0; i < nold; i++)
			if (old[i].trace != NONE && old[i].top != NONE)
				*lane_find(p, &old[i]) = old[i];
			else if (old[i].trace != NONE)
				frames_free(&old[i]);
		p->lanes_used = live;
		free(old);
	}
	lane = lane_find(p, &like);
	if (lane->trace == NONE) {
		*lane = like;
		p->lanes_used++;
	}
	return lane;
}

/* Returns since when a call has no return, as the rule has gone; or
 * INT64_MIN. */
static int64_t over_since(const struct pairs *p, const struct pair *pair)
{
	const struct pair_trace *t = p->traces[pair->trace->number];
	uint64_t code = pair->class->code;

	return p->nterms && pair->kind->frames && pair->term != TERM_NONE &&
	       code < t->novers && t->over[code] > pair->begin ?
		       t->over[code] : INT64_MIN;
}

/* Takes an open pair out of the lane and the list; the pair's place is free,
 * but has the pair until the next push. */
static void unlink_pair(struct pairs *p, struct lane *lane, uint32_t at)
{
	struct open_pair *o = &p->open[at], *around;

	if (o->pair.kind->frames) {
		around = o->around == NONE ? NULL : &p->open[o->around];
		/* it was there as long as the call in it */
		if (around && over_since(p, &around->pair) != INT64_MIN) {
			around->pair.end = p->now;
			p->over_ns = INT64_MIN;
		}
		frames_unlink(p, lane, at);
	}
	if (o->above != NONE)
		p->open[o->above].below = o->below;
	else
		lane->top = o->below;
	if (o->below != NONE)
		p->open[o->below].above = o->above;
	if (o->newer != NONE)
		p->open[o->newer].older = o->older;
	else
		p->newest = o->older;
	if (o->older != NONE)
		p->open[o->older].newer = o->newer;
	else
		p->oldest = o->newer;
	lane->depth--;
	o->pair.kind->open--;
	o->below = p->free;
	p->free = at;
}

void open_leave_out(struct pairs *p, const struct pair *pair, bool ends)
{
	struct pair_kind *kind = pair->kind;
	struct pairs_out *out = &p->traces[pair->trace->number]->out;

	/* an event that is a step is also counted as a BEGIN */
	if (ends && kind->steps)
		return;
	*(ends ? &kind->ends_out : &kind->begins_out) += 1;
	if (kind_is_told(kind))
		*(ends ? &out->ends : &out->begins) += 1;
}

/* Tells a pair that did not finish, with the last time that is known of it. Of
 * a step that is open at the end, nothing is told. */
static void pair_tell(struct pairs *p, struct pair *pair, enum pair_fate fate,
		 int64_t end)
{
	if (fate == PAIR_OPEN && pair->kind->steps)
		return;
	if (pair_lacks(pair, pair->begin, end))
		fate = PAIR_LEFT_OUT;
	else if (fate < PAIR_GIVEN_UP && over_since(p, pair) != INT64_MIN)
		fate = PAIR_ENDED;
	pair->fate = (uint8_t)fate;
	pair->end = end;
	if (fate == PAIR_ENDED) {
		pair->kind->termless++;
	} else if (pair->kind->frames && fate < PAIR_GIVEN_UP &&
	    pair_is_termless(pair)) {
		pair->fate = PAIR_LEFT_OUT;
		pair->kind->termless += pair->term != TERM_NONE;
	} else if (fate == PAIR_LEFT_OUT) {
		open_leave_out(p, pair, false);
	} else if (fate == PAIR_GIVEN_UP) {
		pair->kind->given_up++;
	} else {
		pair->kind->unfinished++;
	}
	if (pair->kind->endless && !pair->kind->end)
		return;
	if (p->calls->unfinished)
		p->calls->unfinished(pair, p->calls->priv);
}

/* Ends an open pair without an END; `end` is the last time that is known of it.
 * The place is free, but keeps the pair until the next push. */
static void pair_abandon(struct pairs *p, uint32_t at, enum pair_fate fate,
			 int64_t end)
{
	struct pair *pair = &p->open[at].pair;
	struct lane like = lane_of(pair);
	uint32_t around = p->open[at].around;
	bool aside = pair->fate == PAIR_LEFT;

	if (pair->among)
		whole_enclose(p, at, end, false);
	/* only of the calls in it a time is known */
	if (pair->kind->frames && around != NONE)
		p->open[around].pair.inner += pair->inner;
	frames_again(p, pair, around, pair->again);
	unlink_pair(p, lane_find(p, &like), at);
	pair_tell(p, pair, aside ? PAIR_LEFT : fate, aside ? pair->end : end);
}

static uint32_t open_around(const struct pairs *p, const struct pair *whole,
			    int64_t slack)
{
	const struct lane key = lane_of(whole), *lane;
	uint32_t at;

	lane = lane_find(p, &key);
	at = lane->trace == NONE ? NONE : lane->top;
	while (at != NONE && (!p->open[at].pair.kind->frames ||
			      p->open[at].pair.fate == PAIR_LEFT ||
			      p->open[at].pair.term == TERM_NONE ||
			      p->open[at].pair.begin > whole->begin + slack))
		at = p->open[at].below;
	return at;
}

struct pair *open_push(struct pairs *p, const struct pair *pair)
{
	uint32_t at, room = p->room ? 2 * p->room : OPEN_MIN;
	struct open_pair *o;
	struct lane *lane;

	if (!pair->kind->end && !pair->kind->frames &&
	    pair->kind->open >= OPEN_ENDLESS_MAX) {
		pair->kind->endless = true;
		pair->kind->unfinished++;
		return NULL;
	}
	/* the oldest makes room, which no END may ever finish */
	if (p->free == NONE && p->nopen == PAIRS_OPEN_MAX)
		pair_abandon(p, p->oldest, PAIR_GIVEN_UP, pair->begin);
	if (p->free == NONE && p->nopen == p->room) {
		o = realloc(p->open, room * sizeof(*o));
		if (!o)
			goto no_memory;
		p->open = o;
		p->room = room;
	}
	at = p->free;
	if (at != NONE)
		p->free = p->open[at].below;
	else
		at = p->nopen++;
	lane = lane_take(p, pair);
	if (!lane)
		goto no_memory;
	o = &p->open[at];
	o->pair = *pair;
	o->pair.among = pair->kind->frames && p->any_whole;
	p->abandon = pair_abandon;
	p->around = open_around;
	if (pair->kind->frames && frames_push(p, lane, at))
		goto no_memory;
	o->pair.depth = lane->depth++;
	o->above = NONE;
	o->below = lane->top;
	if (lane->top != NONE)
		p->open[lane->top].above = at;
	lane->top = at;
	o->newer = NONE;
	o->older = p->newest;
	if (p->newest != NONE)
		p->open[p->newest].newer = at;
	else
		p->oldest = at;
	p->newest = at;
	pair->kind->open++;
	return &o->pair;
no_memory:
	p->error = -ENOMEM;
	return NULL;
}

/* Without a key, an END takes any BEGIN, and a BEGIN any END. */
static bool is_like(const struct pair *pair, const struct pair *like)
{
	if (pair->kind != like->kind)
		return false;
	return !pair->key_bytes || !like->key_bytes ||
	       (pair->key_bytes == like->key_bytes &&
		!memcmp(pair->key, like->key, like->key_bytes));
}

const struct pair *open_pop(struct pairs *p, const struct pair *like,
			    int64_t now)
{
	struct lane key = lane_of(like);
	struct lane *lane;
	uint32_t at, next;

	if (!like->kind->open)
		return NULL;
	lane = lane_find(p, &key);
	at = lane->trace == NONE ? NONE : lane->top;
	if (like->kind->frames && lane->trace != NONE)
		at = frames_find(p, lane, like, now);
	else
		while (at != NONE && !is_like(&p->open[at].pair, like))
			at = p->open[at].below;
	if (at == NONE)
		return NULL;
	if (pair_lacks(&p->open[at].pair, p->open[at].pair.begin, now)) {
		/* so do those like it below: they began before it */
		for (; at != NONE; at = next) {
			next = p->open[at].below;
			if (!is_like(&p->open[at].pair, like))
				continue;
			unlink_pair(p, lane, at);
			pair_tell(p, &p->open[at].pair, PAIR_LEFT_OUT, now);
		}
		return NULL;
	}
	/* calls inside this one have returned, or never will */
	for (uint32_t above = p->open[at].above;
	     like->kind->calls && above != NONE; above = next) {
		next = p->open[above].above;
		/* another stack's are still open */
		if (p->open[above].pair.kind->calls &&
		    !(like->kind->frames && p->open[above].pair.kind->frames))
			pair_abandon(p, above, PAIR_LEFT, now);
	}
	if (p->open[at].pair.among)
		whole_enclose(p, at, now, true);
	next = like->kind->frames ? p->open[at].around : NONE;
	frames_again(p, &p->open[at].pair, next,
		     now - p->open[at].pair.begin);
	if (next != NONE)
		p->open[next].pair.inner += now - p->open[at].pair.begin;
	unlink_pair(p, lane, at);
	return &p->open[at].pair;
}

/* Notes the next terms that end, all at one time, up to this one. Returns false
 * if there are none. */
static bool terms_next(struct pairs *p, int64_t now)
{
	size_t from = p->terms_over;

	for (; p->terms_over < p->nterms; p->terms_over++) {
		const struct pair_term *term = &p->terms[p->terms_over];
		struct pair_trace *t = p->traces[term->trace];

		if (term->ns > now || term->ns != p->terms[from].ns)
			break;
		if (!array_reach(&t->over, &t->novers, (size_t)term->code,
				 sizeof(*t->over)))
			p->error = -ENOMEM;
		else if (t->over[term->code] < term->ns)
			t->over[term->code] = term->ns;
	}
	return p->terms_over > from;
}

void open_over(struct pairs *p, int64_t now)
{
	uint32_t at, older;

	do {
		/* inner ones first; one around others ends with them */
		for (at = p->newest; at != NONE; at = older) {
			struct open_pair *o = &p->open[at];
			int64_t since = over_since(p, &o->pair);

			older = o->older;
			if (since != INT64_MIN && o->inside == NONE)
				pair_abandon(p, at, PAIR_ENDED,
					     since > o->pair.end ? since :
								   o->pair.end);
		}
	} while (terms_next(p, now));
	p->over_ns = p->terms_over < p->nterms ? p->terms[p->terms_over].ns :
						 INT64_MAX;
}

void open_finish(struct pairs *p)
{
	/* inner ones first */
	for (uint32_t at = p->newest; at != NONE; at = p->open[at].older) {
		if (p->open[at].pair.among)
			whole_enclose(p, at, p->now, false);
		p->open[at].pair.among = false;
	}
	while (p->oldest != NONE)
		pair_abandon(p, p->oldest, PAIR_OPEN, p->now);
}

void open_free(struct pairs *p)
{
	for (uint32_t i = 0; i < p->nlanes; i++)
		if (p->lanes[i].trace != NONE)
			frames_free(&p->lanes[i]);
	free(p->open);
	free(p->lanes);
}

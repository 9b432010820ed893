/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Open calls of functions, by the stacks that their frames are on. A lane has
 * several stacks: those of coroutines, and the one of signal handlers.
 *
 * A stack grows to lower addresses, so a frame that is called, or returns, has
 * no open frames of the same stack below it: exceptions and longjmp() have left
 * those. Two stacks may be neighbours, and no event tells one from two. So the
 * calls that seem to be left are set aside: they have no part in later calls,
 * but may still return. One that does was on another stack, which is known from
 * then on.
 *
 * Invariants: the stacks of a lane are in the order of their highest frames; in
 * each, inner frames have lower addresses. Calls that are set aside are
 * bounded: ASIDE_STACKS and ASIDE_FRAMES.
 */
#include "traces/pairs/private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Frames that are further apart are of two stacks. */
#define STACK_BYTES	(8ull << 20)
#define ASIDE_STACKS	32u	/* of a lane */
#define ASIDE_FRAMES	32u	/* of each */
#define SEARCH_MAX	256u	/* stacks above a frame */
#define CHAIN_MAX	4096u	/* frames around one */

/* Returns the address of the frame of a pair with `frames`; 0: the event is
 * damaged. */
static uint64_t frame_of(const struct pair *pair)
{
	uint64_t cfa = 0;

	if (pair->key_bytes > sizeof(cfa))
		memcpy(&cfa, pair->key + 1, sizeof(cfa));
	return cfa;
}

static uint64_t frame_at(const struct pairs *p, uint32_t at)
{
	return frame_of(&p->open[at].pair);
}

/* Returns the number of the first stack that begins at the address or above. */
static uint32_t first_above(const struct frames *f, uint64_t cfa)
{
	uint32_t low = 0, high = f->n;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (f->stacks[middle].root < cfa)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Returns the number of the stack that a frame is on, if no call of it seems to
 * be left; or NONE. */
static uint32_t stack_find(const struct pairs *p, const struct frames *f,
			   uint64_t cfa)
{
	uint32_t n = 0, i;

	for (i = first_above(f, cfa); i < f->n && n < SEARCH_MAX; i++, n++) {
		const struct frame_stack *s = &f->stacks[i];
		uint64_t top = s->top == NONE ? s->root : frame_at(p, s->top);

		if (!s->aside && (top <= cfa || top - cfa < STACK_BYTES))
			return i;
	}
	return NONE;
}

/* Adds a stack. Returns 0 or -ENOMEM. */
static int stack_add(struct frames *f, const struct frame_stack *stack)
{
	uint32_t i = first_above(f, stack->root), room = 2 * f->room + 4;
	struct frame_stack *more;

	if (f->n == f->room) {
		more = realloc(f->stacks, room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		f->stacks = more;
		f->room = room;
	}
	memmove(f->stacks + i + 1, f->stacks + i,
		(f->n - i) * sizeof(*f->stacks));
	f->stacks[i] = *stack;
	f->n++;
	f->asides += stack->aside;
	return 0;
}

void frames_again(struct pairs *p, const struct pair *pair, uint32_t around,
		  int64_t ns)
{
	uint32_t n = 0;

	if (!pair->recursive || !ns)
		return;
	for (; around != NONE && n++ < CHAIN_MAX;
	     around = p->open[around].around)
		if (p->open[around].pair.kind == pair->kind) {
			p->open[around].pair.again += ns;
			return;
		}
}

void frames_unlink(struct pairs *p, struct lane *lane, uint32_t at)
{
	struct open_pair *o = &p->open[at];
	struct frames *f = lane->frames;
	struct frame_stack *s;
	uint32_t i;

	if (o->around != NONE)
		p->open[o->around].inside = o->inside;
	if (o->inside != NONE) {
		p->open[o->inside].around = o->around;
		return;
	}
	for (i = first_above(f, frame_at(p, at)); f->stacks[i].top != at; i++)
		;
	s = &f->stacks[i];
	s->top = o->around;
	if (s->top != NONE || (s->own && f->n < SEARCH_MAX))
		return;
	f->asides -= s->aside;
	memmove(s, s + 1, (--f->n - i) * sizeof(*s));
}

/* Ends the calls of a stack from the innermost one to `last`, as left. */
static void calls_leave(struct pairs *p, const struct frames *f, uint32_t i,
			uint32_t last, int64_t now)
{
	uint32_t at = f->stacks[i].top, next;

	for (;; at = next) {
		next = p->open[at].around;
		p->abandon(p, at, PAIR_LEFT, now);
		if (at == last)
			return;
	}
}

/* Sets the calls of a stack aside that are below an address. */
static void calls_aside(struct pairs *p, struct frames *f, uint32_t i,
			uint64_t cfa, int64_t now)
{
	struct frame_stack split = { .top = f->stacks[i].top, .aside = true };
	uint32_t at, n = 0, root = NONE, next;
	int64_t inner = 0;

	for (at = split.top; at != NONE && frame_at(p, at) < cfa;
	     at = p->open[at].around, n++)
		root = at;
	for (at = split.top; n > ASIDE_FRAMES; at = next, n--) {
		next = p->open[at].around;
		p->abandon(p, at, PAIR_LEFT, now);
	}
	split.top = at;
	next = root == NONE ? NONE : p->open[root].around;
	for (; n; at = p->open[at].around, n--) {
		struct pair *pair = &p->open[at].pair;

		inner += pair->inner;
		frames_again(p, pair, next, pair->again);
		pair->fate = PAIR_LEFT;
		pair->end = now;
		if (p->calls->aside)
			p->calls->aside(pair, p->calls->priv);
	}
	if (root == NONE)
		return;
	if (at == NONE && !f->stacks[i].own) {
		f->stacks[i].aside = true;
		f->asides++;
	} else {
		if (at != NONE) {
			/* only of the calls in them a time is known */
			p->open[at].pair.inner += inner;
			p->open[at].inside = NONE;
			p->open[root].around = NONE;
		}
		f->stacks[i].top = at;
		split.root = frame_at(p, root);
		if (stack_add(f, &split))
			p->error = -ENOMEM;
	}
	/* of too many stacks that were set aside, one is given up */
	if (f->asides <= ASIDE_STACKS)
		return;
	do
		f->turn = f->turn + 1 < f->n ? f->turn + 1 : 0;
	while (!f->stacks[f->turn].aside);
	for (at = f->stacks[f->turn].top; p->open[at].around != NONE;)
		at = p->open[at].around;
	calls_leave(p, f, f->turn, at, 0);
}

/* Leaves the call with this frame, and those in it, on a stack that has it.
 * Returns false if it has not. */
static bool calls_equal(struct pairs *p, const struct frames *f, uint32_t i,
			uint64_t cfa, int64_t now)
{
	uint32_t at = f->stacks[i].top;

	while (at != NONE && frame_at(p, at) < cfa)
		at = p->open[at].around;
	if (at == NONE || frame_at(p, at) != cfa)
		return false;
	calls_leave(p, f, i, at, now);
	return true;
}

/* Ends calls, or sets them aside, that a frame at this address cannot have
 * below itself. Without a stack around it, these are the calls of stacks that
 * end near below it. Returns the stack of the frame, or NONE. */
static uint32_t stack_clear(struct pairs *p, struct frames *f, uint64_t cfa,
			    int64_t now)
{
	uint32_t i = stack_find(p, f, cfa);

	if (i != NONE) {
		if (!calls_equal(p, f, i, cfa, now))
			calls_aside(p, f, i, cfa, now);
		return stack_find(p, f, cfa);
	}
	for (i = first_above(f, cfa); i-- > 0;) {
		const struct frame_stack *s = &f->stacks[i];

		if (s->own || cfa - s->root >= STACK_BYTES)
			break;
		if (s->aside)
			continue;
		calls_aside(p, f, i, cfa, now);
		/* the limit may have moved the others */
		i = first_above(f, cfa);
	}
	return NONE;
}

int frames_push(struct pairs *p, struct lane *lane, uint32_t at)
{
	struct open_pair *o = &p->open[at];
	uint64_t cfa = frame_of(&o->pair);
	struct frame_stack stack = { .root = cfa, .top = at };
	struct frames *f = lane->frames;
	uint32_t i, n = 0;

	if (!f)
		f = lane->frames = calloc(1, sizeof(*f));
	if (!f)
		return -ENOMEM;
	for (i = first_above(f, cfa); f->asides && i < f->n &&
				      n++ < SEARCH_MAX;) {
		uint32_t before = f->n;

		if (f->stacks[i].aside)
			calls_equal(p, f, i, cfa, o->pair.begin);
		i += f->n == before;
	}
	i = stack_clear(p, f, cfa, o->pair.begin);
	o->around = o->inside = NONE;
	if (i == NONE) {
		for (i = 0; i < f->n && !o->pair.apart; i++)
			o->pair.apart = !f->stacks[i].aside &&
					f->stacks[i].top != NONE;
		return stack_add(f, &stack);
	}
	o->around = f->stacks[i].top;
	f->stacks[i].top = at;
	if (o->around == NONE)
		return 0;
	p->open[o->around].inside = at;
	o->pair.outer = p->open[o->around].pair.priv;
	n = 0;
	for (i = o->around; o->pair.kind->open && i != NONE &&
			    !o->pair.recursive && n++ < CHAIN_MAX;
	     i = p->open[i].around)
		o->pair.recursive = p->open[i].pair.kind == o->pair.kind;
	return 0;
}

uint32_t frames_find(struct pairs *p, struct lane *lane,
		     const struct pair *like, int64_t now)
{
	struct frames *f = lane->frames;
	uint64_t cfa = frame_of(like);
	uint32_t i, at = NONE, n = 0;

	if (!f)
		return NONE;
	for (i = first_above(f, cfa); i < f->n && n < SEARCH_MAX; i++, n++) {
		for (at = f->stacks[i].top;
		     at != NONE && frame_at(p, at) < cfa;)
			at = p->open[at].around;
		if (at != NONE && frame_at(p, at) == cfa &&
		    p->open[at].pair.kind == like->kind &&
		    p->open[at].pair.term == like->term &&
		    like->term != TERM_NONE)
			break;
		at = NONE;
	}
	if (at == NONE) {
		stack_clear(p, f, cfa, now);
		return NONE;
	}
	if (f->stacks[i].aside) {
		f->stacks[i].aside = false;
		f->stacks[i].own = true;
		f->asides--;
		for (n = f->stacks[i].top; n != NONE; n = p->open[n].around)
			p->open[n].pair.fate = PAIR_FINISHED;
	}
	if (p->open[at].inside != NONE)
		calls_aside(p, f, i, cfa, now);
	return at;
}

void frames_free(struct lane *lane)
{
	if (lane->frames)
		free(lane->frames->stacks);
	free(lane->frames);
	lane->frames = NULL;
}

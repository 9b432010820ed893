/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls of functions as folded stacks, the form that flame graphs are drawn
 * from: a line for each stack, the functions with semicolons between them,
 * outermost first, and how many nanoseconds the innermost one took itself.
 *
 *	redis-server;_start;main;aeMain;aeProcessEvents 182736
 *
 * Calls that an event tells whole come behind the calls in them: their stacks
 * are trees, which grow from the leaves, until no call around them can come.
 *
 * Only calls of rules fn:GLOB that returned are in it: of others nothing tells
 * how long they took. A call that did not return stands in the stack of the
 * calls in it, unless a condition chose it.
 *
 * Invariant: memory is bounded by the two numbers below. Time of a call that
 * has no room is that of the function around it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/index.h"
#include "traces/array.h"
#include "traces/formats/private.h"
#include "traces/pairs/pairs.h"
#include "traces/text/out.h"

#define STACKS_MAX	(1u << 20)
#define DEPTH_MAX	512u		/* functions in a stack */

/* A function that was called by others: a call's `priv` is the number of it. */
struct stack {
	uint64_t outer;			/* the stack around it, or 0 */
	const char *name;		/* of the kind, or of the process */
	uint32_t depth;
	int64_t self;			/* ns */
};

/* Whole calls of a function, below one place that is not known yet. Numbers
 * count from 1 on, and 0 is none; of a free one, `next` is another. */
struct tree {
	const char *name;
	int64_t self;			/* ns */
	uint32_t inside;		/* the first of the functions in it */
	uint32_t next;			/* beside it */
	uint32_t height;
};

struct folded {
	struct pairs *pairs;
	struct pair_calls calls;
	struct stack *stacks;		/* number 0 is none */
	size_t n;
	size_t room;
	struct index index;
	struct tree *trees;
	size_t ntrees;
	size_t trees_room;
	uint32_t trees_free;
	struct out out;
	bool failed;
};

/* A stack that is looked for. */
struct wanted {
	const struct folded *f;
	uint64_t outer;
	const char *name;
};

static bool is_stack(uint64_t value, const void *key)
{
	const struct wanted *wanted = key;
	const struct stack *stack = &wanted->f->stacks[value];

	return stack->outer == wanted->outer && stack->name == wanted->name;
}

/* Returns the number of the stack of a function in another one, made if it is
 * not there; or that of the other one, where there is no room. Names are
 * compared by address. */
static uint64_t stack_take(struct folded *f, uint64_t outer, const char *name)
{
	struct wanted wanted = { f, outer, name };
	uint64_t hash = index_hash(index_hash(INDEX_HASH, &outer,
					      sizeof(outer)),
				   &name, sizeof(name));
	uint64_t number = index_find(&f->index, hash, is_stack, &wanted);
	uint32_t depth = f->n ? f->stacks[outer].depth + 1 : 0;

	if (number || depth > DEPTH_MAX || f->n > STACKS_MAX)
		return number ? number : outer;
	if (!array_reach(&f->stacks, &f->room, f->n + 1, sizeof(*f->stacks))) {
		f->failed = true;
		return outer;
	}
	number = f->n ? f->n : 1;
	if (index_add(&f->index, hash, number)) {
		f->failed = true;
		return outer;
	}
	f->stacks[number] = (struct stack){ outer, name, depth, 0 };
	f->n = number + 1;
	return number;
}

/* Puts trees together that stand beside each other: one for each function. They
 * are not deeper than DEPTH_MAX. */
static uint64_t trees_joined(uint64_t left, uint64_t right, void *priv)
{
	struct folded *f = priv;
	uint32_t next, same;

	for (uint32_t at = (uint32_t)right; at && left; at = next) {
		struct tree *tree = &f->trees[at];

		next = tree->next;
		same = (uint32_t)left;
		while (same && f->trees[same].name != tree->name)
			same = f->trees[same].next;
		if (!same) {
			tree->next = f->trees[left].next;
			f->trees[left].next = at;
			continue;
		}
		f->trees[same].self += tree->self;
		if (f->trees[same].height < tree->height)
			f->trees[same].height = tree->height;
		f->trees[same].inside = (uint32_t)
			trees_joined(f->trees[same].inside, tree->inside, f);
		tree->next = f->trees_free;
		f->trees_free = at;
	}
	return left ? left : right;
}

/* Adds trees to the stacks. */
static void trees_put(struct folded *f, uint64_t outer, uint32_t at)
{
	for (; at; at = f->trees[at].next) {
		uint64_t stack = stack_take(f, outer, f->trees[at].name);

		f->stacks[stack].self += f->trees[at].self;
		trees_put(f, stack, f->trees[at].inside);
	}
}

/* No call is around a whole call, or one that did not finish: the stacks begin
 * with the program, or with that of this call. */
static void whole_outermost(const struct trace_class *trace, uint64_t tree,
			    uint64_t outer, void *priv)
{
	struct folded *f = priv;

	trees_put(f, outer ? outer : stack_take(f, 0, trace->procname),
		  (uint32_t)tree);
}

/* Makes a tree of a call and those in it. Returns the number. */
static uint64_t tree_make(const struct pair *pair, void *priv)
{
	struct folded *f = priv;
	int64_t self = pair->end - pair->begin - pair->inner;
	uint32_t height = 0, number = f->trees_free;

	for (uint32_t at = (uint32_t)pair->inside; at; at = f->trees[at].next)
		if (height < f->trees[at].height)
			height = f->trees[at].height;
	/* without room, those in it stand for it */
	if (height >= DEPTH_MAX - 1 || (!number && f->ntrees == STACKS_MAX))
		return pair->inside;
	if (number) {
		f->trees_free = f->trees[number].next;
	} else if (array_reach(&f->trees, &f->trees_room, f->ntrees + 1,
			       sizeof(*f->trees))) {
		number = (uint32_t)++f->ntrees;
	} else {
		f->failed = true;
		return pair->inside;
	}
	f->trees[number] = (struct tree){
		pair->kind->name, self > 0 ? self : 0, (uint32_t)pair->inside,
		0, height + 1,
	};
	return number;
}

/* Sets the number of the call's stack, or tree. The outermost has that of the
 * program around it. */
static void pair_begun(struct pair *pair, const struct trace_event *event,
		       void *priv)
{
	struct folded *f = priv;
	uint64_t outer = pair->outer;

	if (!pair->kind->frames)
		return;
	if (!pair->whole) {
		if (!outer)
			outer = stack_take(f, 0, pair->trace->procname);
		/* its return may be left out: no call is known to be in it */
		pair->priv = pair->term == TERM_NONE ? outer :
			     stack_take(f, outer, pair->kind->name);
		return;
	}
	pair->priv = tree_make(pair, f);
}

static void pair_finished(const struct pair *pair,
			  const struct trace_event *event, void *priv)
{
	struct folded *f = priv;
	int64_t ns = pair->end - pair->begin - pair->inner;

	if (pair->kind->frames && !pair->whole && !pair->among && ns > 0)
		f->stacks[pair->priv].self += ns;
}

static int folded_open(struct exporter *x)
{
	struct folded *f = calloc(1, sizeof(*f));

	if (!f)
		return export_failed(x, -ENOMEM, "out of memory");
	x->own = f;
	f->calls = (struct pair_calls){
		.begun = pair_begun, .finished = pair_finished,
		.joined = trees_joined, .outermost = whole_outermost,
		.among = tree_make, .priv = f,
	};
	f->pairs = pairs_new(&f->calls);
	if (!f->pairs || out_open(&f->out, x->fd))
		return export_failed(x, -ENOMEM, "out of memory");
	return 0;
}

static int folded_put(struct exporter *x, const struct trace_event *event,
		      void *own)
{
	struct folded *f = x->own;

	pairs_feed(f->pairs, event);
	if (f->failed || pairs_error(f->pairs))
		return export_failed(x, -ENOMEM, "out of memory");
	return 0;
}

/* Writes a name, without characters that end a name there. */
static void put_name(struct out *out, const char *name)
{
	if (!strncmp(name, "fn:", 3))
		name += 3;
	for (; *name; name++)
		out_char(out, *name == ';' || (unsigned char)*name <= ' ' ||
			      *name == 127 ? '_' : *name);
}

/* Writes the line of a stack. */
static void put_stack(struct folded *f, const struct stack *stack)
{
	const struct stack *line[DEPTH_MAX + 1];
	char number[24];
	size_t n = 0;

	if (!stack->self)
		return;
	for (;; stack = &f->stacks[stack->outer]) {
		line[n++] = stack;
		if (!stack->outer)
			break;
	}
	snprintf(number, sizeof(number), " %lld\n", (long long)line[0]->self);
	while (n-- > 0) {
		put_name(&f->out, line[n]->name);
		if (n)
			out_char(&f->out, ';');
	}
	out_text(&f->out, number);
}

static int folded_close(struct exporter *x, bool keep)
{
	struct folded *f = x->own;
	int ret = 0;

	if (f->pairs && keep) {
		pairs_finish(f->pairs);
		for (size_t i = 1; i < f->n; i++)
			put_stack(f, &f->stacks[i]);
		x->threadless = pairs_threadless(f->pairs);
		if (x->paired)
			x->paired(f->pairs, x->priv);
	}
	if (f->out.start)
		ret = out_close(&f->out);
	if (f->pairs)
		pairs_free(f->pairs);
	index_clear(&f->index);
	free(f->stacks);
	free(f->trees);
	free(f);
	return export_unwritten(x, ret);
}

const struct export_format export_folded = {
	.name = "folded", .target = EXPORT_STREAM, .open = folded_open,
	.put = folded_put, .close = folded_close,
};

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls of functions as folded stacks, the form that flame graphs are drawn
 * from: a line for each stack, the functions with semicolons between them,
 * outermost first, and how many nanoseconds the innermost one took itself.
 *
 *	redis-server;_start;main;aeMain;aeProcessEvents 182736
 *
 * Only calls of rules fn:GLOB that returned are in it: of others nothing tells
 * how long they took. A call that did not return stands in the stack of the
 * calls in it.
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

struct folded {
	struct pairs *pairs;
	struct pair_calls calls;
	struct stack *stacks;		/* number 0 is none */
	size_t n;
	size_t room;
	struct index index;
	struct out out;
	bool failed;
};

/* A stack that is looked for. */
struct wanted {
	const struct folded *f;
	uint64_t outer;
	const char *name;
};

static int is_stack(uint64_t value, const void *key)
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

/* Sets the number of the call's stack. The outermost has that of the program
 * around it. */
static void pair_begun(struct pair *pair, const struct trace_event *event,
		       void *priv)
{
	struct folded *f = priv;
	uint64_t outer = pair->outer;

	(void)event;
	if (!pair->kind->frames)
		return;
	if (!outer)
		outer = stack_take(f, 0, pair->trace->procname);
	pair->priv = stack_take(f, outer, pair->kind->name);
}

static void pair_finished(const struct pair *pair,
			  const struct trace_event *event, void *priv)
{
	struct folded *f = priv;
	int64_t ns = pair->end - pair->begin - pair->inner;

	(void)event;
	if (pair->kind->frames && ns > 0)
		f->stacks[pair->priv].self += ns;
}

static int folded_open(struct exporter *x)
{
	struct folded *f = calloc(1, sizeof(*f));

	if (!f)
		return export_failed(x, -ENOMEM, "out of memory");
	x->own = f;
	f->calls = (struct pair_calls){
		.begun = pair_begun, .finished = pair_finished, .priv = f,
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

	(void)own;
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
	free(f);
	return export_unwritten(x, ret);
}

const struct export_format export_folded = {
	.name = "folded", .target = EXPORT_STREAM, .open = folded_open,
	.put = folded_put, .close = folded_close,
};

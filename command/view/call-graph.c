/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls of functions (rules fn:GLOB) as an indented text, in the order of time:
 *
 *	  1.25 us [  123]   } (parse)
 *	   40 ns  [  123]   check();
 *
 * A call without a call in it is one line, and so is one that an event tells
 * whole, behind the calls in it. Of one that ends by a tail call, " by jump to
 * NAME" follows. One whose return rules have left out ends, without a time,
 * where the frames tell. Other events are not printed.
 *
 * Invariant: the `priv` of an open call is how far the calls in it are
 * indented, so one whose return is never recorded indents none.
 */
#include "command/view/call-graph-private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/common/command.h"
#include "command/common/counted.h"
#include "traces/pairs/pairs.h"

#define LEVELS_MAX	64		/* that are indented */
#define ASIDE	(1ull << 32)		/* in priv: told as left */
#define ALONE	(1ull << 33)		/* in priv: the line says all */
#define LEVEL	(ASIDE - 1)		/* in priv: of the calls in it */

/* Where events of a class tell to which function a call has jumped. */
struct jump {
	const struct event_class *class;
	bool known;
	struct field_at to;
};

#define JUMPS	64

struct graph {
	struct pairs *pairs;
	struct pair_calls calls;
	struct out *out;
	/* the call of the last line, which may still be a line by itself */
	bool waits;
	struct pair last;
	struct jump jumps[JUMPS];	/* by the class's address */
	bool over;			/* no event follows */
};

/* Writes a name. */
static void put_name(struct graph *g, const char *name)
{
	for (; *name; name++)
		out_char(g->out, (unsigned char)*name < ' ' || *name == 127 ?
					 '?' : *name);
}

/* Writes a line: how long it took, the thread, and a name that is indented. */
static void put_line(struct graph *g, const char *took, const struct pair *pair,
		     uint64_t level, const char *before, const char *behind)
{
	char line[256];
	int n;

	n = snprintf(line, sizeof(line), "%9s [%7lld] %*s%s", took,
		     (long long)pair->vtid,
		     (int)(2 * (level < LEVELS_MAX ? level : LEVELS_MAX)), "",
		     before);
	out_bytes(g->out, line, (size_t)n);
	put_name(g, pair->kind->name + strlen("fn:"));
	/* a name of C++ has parameters */
	out_text(g->out, behind + (strchr(pair->kind->name, '(') &&
				   !strncmp(behind, "()", 2) ? 2 : 0));
}

/* Writes the line of a call that goes on. */
static void put_last(struct graph *g)
{
	if (g->waits) {
		put_line(g, "", &g->last, g->last.priv - 1, "", "() {");
		out_char(g->out, '\n');
	}
	g->waits = false;
}

static void pair_begun(struct pair *pair, const struct trace_event *event,
		       void *priv)
{
	struct graph *g = priv;
	bool alone;

	if (!pair->kind->frames || pair->whole)
		return;
	put_last(g);
	alone = !pair->kind->end || pair->term == TERM_NONE;
	pair->priv = (pair->outer & LEVEL) + !alone;
	if (alone) {
		put_line(g, "", pair, pair->priv, "", "()");
		out_char(g->out, '\n');
		pair->priv |= ALONE;
		return;
	}
	g->last = *pair;
	g->waits = true;
}

/* Returns to which function a call has jumped at its end, or NULL. */
static const char *jump_target(struct graph *g, const struct trace_event *event)
{
	struct jump *jump = &g->jumps[(uintptr_t)event->class / 64 % JUMPS];
	const uint8_t *name;
	size_t bytes;

	if (jump->class != event->class) {
		jump->class = event->class;
		jump->known = field_at_find(&jump->to, event->trace,
					    event->class, "to") &&
			      jump->to.source == FIELD_OF_EVENT &&
			      jump->to.class->kind == FIELD_STRING;
	}
	name = jump->known ? field_at_bytes(&jump->to, event, &bytes) : NULL;
	return (const char *)name;
}

/* Ends the line of a call that `event` ends. */
static void put_jump(struct graph *g, const struct trace_event *event)
{
	const char *name = jump_target(g, event);

	if (name) {
		out_text(g->out, " by jump to ");
		put_name(g, name);
	}
	out_char(g->out, '\n');
}

/* Writes the end of a call, without the end of the line. */
static void put_end(struct graph *g, const struct pair *pair, const char *took)
{
	uint64_t level = pair->priv & LEVEL;
	bool one = g->waits && g->last.begin == pair->begin &&
		   g->last.vtid == pair->vtid && g->last.kind == pair->kind &&
		   g->last.priv == level;

	if (!one)
		put_last(g);
	g->waits = false;
	put_line(g, took, pair, level - 1, one ? "" : "} (", one ? "();" : ")");
}

static void pair_finished(const struct pair *pair,
			  const struct trace_event *event, void *priv)
{
	char took[32];

	if (!pair->kind->frames)
		return;
	counted_duration(took, sizeof(took),
			 (long double)(pair->end - pair->begin));
	if (!pair->whole) {
		put_end(priv, pair, took);
	} else {
		put_last(priv);
		put_line(priv, took, pair,
			 (pair->within & LEVEL) + pair->depth - 1, "", "();");
	}
	put_jump(priv, event);
}

static void pair_unfinished(const struct pair *pair, void *priv)
{
	struct graph *g = priv;

	/* one that is open goes on behind the last event */
	if (!pair->kind->frames || !pair->kind->end ||
	    (g->over && pair->fate != PAIR_ENDED) ||
	    pair->priv & (ASIDE | ALONE))
		return;
	/* the return of one that rules have left out is not known */
	put_end(g, pair, pair->fate == PAIR_ENDED || pair_is_termless(pair) ?
				 "" : "left");
	if (pair->fate == PAIR_ENDED)
		out_text(g->out, " rule ended");
	out_char(g->out, '\n');
}

/* One that returns all the same gets the line of the return, too. */
static void pair_aside(struct pair *pair, void *priv)
{
	pair_unfinished(pair, priv);
	pair->priv |= ASIDE;
}

struct graph *graph_open(struct out *out, const struct reader *reader)
{
	struct graph *g = calloc(1, sizeof(*g));
	struct trace_class *const *traces;
	size_t n = reader_traces(reader, &traces);

	if (!g)
		return NULL;
	g->out = out;
	g->calls = (struct pair_calls){
		.begun = pair_begun, .finished = pair_finished,
		.unfinished = pair_unfinished, .aside = pair_aside, .priv = g,
	};
	g->pairs = pairs_new(&g->calls);
	/* pair_begun() must know all returns */
	for (size_t i = 0; g->pairs && i < n; i++)
		if (pairs_meet(g->pairs, traces[i]))
			out->error = -ENOMEM;
	if (g->pairs)
		return g;
	free(g);
	return NULL;
}

void graph_put(struct graph *g, const struct trace_event *event)
{
	pairs_feed(g->pairs, event);
	if (pairs_error(g->pairs))
		g->out->error = -ENOMEM;
}

void graph_close(struct graph *g)
{
	struct pair_kind *const *kinds;
	size_t n;
	uint64_t unbegun = 0, out = 0, given_up;
	char note[512];

	if (!g)
		return;
	g->over = true;
	pairs_finish(g->pairs);
	put_last(g);
	n = pairs_kinds(g->pairs, &kinds);
	given_up = pairs_given_up(g->pairs);
	for (size_t i = 0; i < n; i++) {
		if (!kinds[i]->frames)
			continue;
		unbegun += kinds[i]->unbegun;
		out += kinds[i]->begins_out + kinds[i]->ends_out;
		if (pair_termless_text(kinds[i], note, sizeof(note)))
			command_warn("%s", note);
	}
	if (unbegun)
		command_warn("%s %s no line, for want of a call",
			     counted(unbegun, "return"),
			     agreed(unbegun, "has", "have"));
	if (out)
		command_warn("%s %s no line: events before them or between "
			     "them are not there",
			     counted(out, "event"), agreed(out, "has", "have"));
	if (given_up)
		command_warn("%s given up, without a line at the end: more "
			     "than %u were open at a time",
			     counted(given_up, "call"), PAIRS_OPEN_MAX);
	pairs_free(g->pairs);
	free(g);
}

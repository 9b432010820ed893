/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Takes events, and puts those together that begin and end a pair.
 */
#include "traces/pairs/private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "traces/array.h"

static struct pair_action unmet;

struct pairs *pairs_new(const struct pair_calls *calls)
{
	struct pairs *p = calloc(1, sizeof(*p));

	if (p) {
		p->calls = calls;
		p->free = p->oldest = p->newest = NONE;
	}
	return p;
}

static void free_trace(struct pair_trace *t)
{
	for (uint32_t i = 0; t && i < t->nclasses; i++)
		while (t->actions[i] && t->actions[i] != &unmet) {
			struct pair_action *next = t->actions[i]->next;

			free(t->actions[i]);
			t->actions[i] = next;
		}
	if (t)
		free(t->actions);
	free(t);
}

void pairs_free(struct pairs *p)
{
	for (uint32_t i = 0; i < p->ntraces; i++)
		free_trace(p->traces[i]);
	free(p->traces);
	names_free(p);
	open_free(p);
	schema_marks_free(&p->schemas);
	free(p);
}

void pairs_by_cpu(struct pairs *p)
{
	p->by_cpu = true;
}

uint64_t pairs_threadless(const struct pairs *p)
{
	uint64_t n = 0;

	for (size_t i = 0; i < p->nkinds; i++) {
		const struct pair_kind *kind = p->kinds[i];

		/* a BEGIN that no event ends makes no pair with a thread */
		if (kind->begin && (kind->end || kind->given))
			n += kind->threadless;
	}
	return n;
}

void pairs_no_names(struct pairs *p)
{
	p->no_names = true;
}

size_t pairs_kinds(const struct pairs *p, struct pair_kind *const **kinds)
{
	*kinds = p->kinds;
	return p->nkinds;
}

int pairs_error(const struct pairs *p)
{
	return p->error;
}

/* Returns the trace's place, made if it is not there, or NULL. */
static struct pair_trace *trace_place(struct pairs *p,
				      const struct trace_class *t)
{
	if (!array_reach(&p->traces, &p->ntraces, t->number,
			 sizeof(*p->traces)))
		return NULL;
	if (!p->traces[t->number])
		p->traces[t->number] = calloc(1, sizeof(struct pair_trace));
	return p->traces[t->number];
}

/* Returns the offset of the thread's id in the context, or -1. */
static int32_t find_vtid(const struct trace_class *trace)
{
	static const struct field_class none = { .kind = FIELD_STRUCT };
	static const struct event_class event = { .fields = &none };
	struct field_at at;

	if (!trace->context || !field_at_find(&at, trace, &event, "vtid") ||
	    at.class->bytes != sizeof(int32_t) || at.from != at.to ||
	    at.offset > INT32_MAX - sizeof(int32_t))
		return -1;
	return (int32_t)at.offset;
}

int pairs_meet(struct pairs *p, const struct trace_class *trace)
{
	struct pair_trace *t = trace_place(p, trace);
	struct pair_action **more;
	bool met = schema_met(&p->schemas, trace);
	int ret = 0;

	if (!t)
		return -ENOMEM;
	more = realloc(t->actions, (trace->nclasses + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	t->actions = more;
	memset(more + t->nclasses, 0,
	       (trace->nclasses + 1 - t->nclasses) * sizeof(*more));
	if (!t->trace)
		t->vtid = find_vtid(trace);
	t->trace = trace;
	/* new events may be those of a rule */
	p->stale = true;
	for (size_t i = 0; i < trace->nevents && !ret; i++) {
		const struct event_class *class = trace->events[i];

		if (!class || class->number < t->nclasses ||
		    class->number >= trace->nclasses)
			continue;
		if (met && class->shared)
			more[class->number] = &unmet;
		else
			ret = names_meet(p, trace, class,
					 &more[class->number]);
	}
	t->nclasses = trace->nclasses;
	return ret;
}

/* Sets the lane of an event without keys. Returns false if there is none. */
static bool set_lane(struct pair *pair, const struct pairs *p,
		     const struct pair_trace *t,
		     const struct trace_event *event)
{
	int32_t vtid = 0;

	pair->cpu = event->cpu;
	if (t->vtid >= 0)
		memcpy(&vtid, event->context + t->vtid, sizeof(vtid));
	/* 0: a writer that may not ask for it, or the idle threads of all CPUs
	 * in a kernel's trace */
	if (vtid) {
		pair->vtid = vtid;
		pair->lane = (uint32_t)vtid;
		pair->lane_kind = PAIR_OF_THREAD;
		return true;
	}
	pair->vtid = -1;
	pair->lane = event->cpu;
	pair->lane_kind = PAIR_OF_CPU;
	return p->by_cpu;
}

/* Takes over the gaps of all traces that have a rule's events. */
static void join_gaps(const struct pairs *p, struct pair_kind *kind)
{
	kind->gaps.n = 0;
	for (uint32_t i = 0; i < p->ntraces; i++) {
		const struct trace_class *trace =
			p->traces[i] ? p->traces[i]->trace : NULL;

		if (!trace || !trace->gaps.n || !names_has_event(kind, trace))
			continue;
		for (uint32_t k = 0; k < trace->gaps.n; k++)
			gaps_add(&kind->gaps, trace->gaps.list[k].from,
				 trace->gaps.list[k].to);
	}
}

static void note_gaps(struct pairs *p)
{
	for (size_t i = 0; i < p->nkinds && p->kinds[i]->given; i++)
		if (p->kinds[i]->across)
			join_gaps(p, p->kinds[i]);
	p->gaps = gaps_added;
	p->stale = false;
}

struct pairs_out pairs_left_out(const struct pairs *p,
				const struct trace_class *trace)
{
	struct pairs_out out = { 0 };

	for (uint32_t i = 0; i < p->ntraces; i++) {
		if (!p->traces[i] || (trace && trace->number != i))
			continue;
		out.begins += p->traces[i]->out.begins;
		out.ends += p->traces[i]->out.ends;
	}
	return out;
}

uint64_t pairs_given_up(const struct pairs *p)
{
	uint64_t n = 0;

	for (size_t i = 0; i < p->nkinds; i++)
		if (kind_is_told(p->kinds[i]))
			n += p->kinds[i]->given_up;
	return n;
}

/* Ends the pair that is like this one, or counts an END without a BEGIN. */
static void end_pair(struct pairs *p, struct pair *like,
		     const struct trace_event *event)
{
	struct pair_kind *kind = like->kind;
	struct pair *pair = (struct pair *)open_pop(p, like, event->ns);

	if (!pair && kind->steps)
		return;
	if (!pair) {
		kind->unbegun++;
		if (p->calls->unbegun)
			p->calls->unbegun(kind, event, p->calls->priv);
		return;
	}
	pair->end = event->ns;
	pair->fate = PAIR_FINISHED;
	kind->finished++;
	if (p->calls->finished)
		p->calls->finished(pair, event, p->calls->priv);
}

/* Does what an event means for one kind. Ends come first, so a step ends one
 * pair before it begins the next. */
static void action_take(struct pairs *p, const struct pair_trace *t,
		const struct pair_action *action,
		const struct trace_event *event)
{
	struct pair pair;
	bool laned;

	pair.kind = action->kind;
	pair.trace = t->trace;
	pair.class = event->class;
	pair.keys = action->keys;
	pair.begin = pair.end = event->ns;
	pair.priv = 0;
	pair.key_bytes = 0;
	laned = set_lane(&pair, p, t, event);
	if (action->kind->nkeys) {
		if (action->keyless ||
		    !keys_read(&pair, action, event, &pair.lane)) {
			action->kind->keyless++;
			return;
		}
		pair.lane_kind = PAIR_OF_KEYS;
	} else if (!laned) {
		action->kind->threadless++;
		return;
	}
	if (action->span)
		keys_read_span(&pair, action, event);
	if (pair_lacks(&pair, event->ns, event->ns)) {
		open_leave_out(p, &pair, action->ends);
	} else if (action->ends) {
		end_pair(p, &pair, event);
	} else {
		struct pair *open = open_push(p, &pair);

		if (open && p->calls->begun)
			p->calls->begun(open, event, p->calls->priv);
	}
}

/* Returns what an event of the class does, or NULL. A new class is made known
 * first. */
static const struct pair_action *actions_of(struct pairs *p,
					    const struct trace_event *event)
{
	const struct trace_class *trace = event->trace;
	uint32_t class = event->class->number;
	struct pair_trace *t;

	if (trace->number >= p->ntraces || !p->traces[trace->number] ||
	    class >= p->traces[trace->number]->nclasses) {
		if (pairs_meet(p, trace) ||
		    class >= p->traces[trace->number]->nclasses) {
			p->error = -ENOMEM;
			return NULL;
		}
	}
	t = p->traces[trace->number];
	if (t->actions[class] != &unmet)
		return t->actions[class];
	t->actions[class] = NULL;
	if (names_meet(p, trace, event->class, &t->actions[class]))
		p->error = -ENOMEM;
	return t->actions[class];
}

void pairs_feed(struct pairs *p, const struct trace_event *event)
{
	const struct pair_action *action = actions_of(p, event);

	if (p->stale || p->gaps != gaps_added)
		note_gaps(p);
	p->now = event->ns;
	for (; action; action = action->next)
		action_take(p, p->traces[event->trace->number], action, event);
}

void pairs_finish(struct pairs *p)
{
	note_gaps(p);
	open_finish(p);
}

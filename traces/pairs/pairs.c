/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Takes events, and puts those together that begin and end a pair.
 *
 * Invariant: actions of a class are made before the first event of the class is
 * taken, and stay where they are, as open pairs point to the keys in them.
 */
#include "traces/pairs/private.h"
#include "traces/read/where.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/array.h"

/* In the place of a class's actions that are still to be made. */
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

void pairs_free(struct pairs *p)
{
	for (uint32_t i = 0; i < p->ntraces; i++) {
		struct pair_trace *t = p->traces[i];

		for (uint32_t k = 0; t && k < t->nclasses; k++)
			while (t->actions[k] && t->actions[k] != &unmet) {
				struct pair_action *next = t->actions[k]->next;

				free(t->actions[k]);
				t->actions[k] = next;
			}
		if (t) {
			free(t->actions);
			free(t->over);
		}
		free(t);
	}
	free(p->traces);
	free(p->terms);
	names_free(p);
	open_free(p);
	whole_free(p);
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

bool pair_termless_text(const struct pair_kind *kind, char *text, size_t room)
{
	const char *name = kind->name +
			   (strncmp(kind->name, "fn:", 3) ? 0 : 3);

	if (kind->crossed)
		snprintf(text, room, "%.256s: %llu calls overlap others of the "
			 "thread, as those of coroutines do: self and stacks "
			 "may be wrong", name,
			 (unsigned long long)kind->crossed);
	if (!kind->termless || kind->halves != 3)
		return kind->crossed;
	if (kind->some && !kind->apart)
		snprintf(text, room, "%.256s: a condition chooses among the "
			 "returns: no durations of %llu calls", name,
			 (unsigned long long)kind->termless);
	else if (kind->apart && !kind->finished)
		snprintf(text, room, "%.256s: entry and return are selected by "
			 "different conditions: no durations", name);
	else
		snprintf(text, room, "%.256s: %s: no durations of %llu events",
			 name, kind->apart ? "entry and return were selected "
			 "by different conditions for a time" : "rules have "
			 "left out calls for a time",
			 (unsigned long long)kind->termless);
	return true;
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

/* Returns whether an end of terms is one of the trace's process. */
static bool is_member(const struct trace_class *trace, uint64_t number)
{
	const struct trace_class *carrier = trace->carrier;

	for (size_t i = 0; carrier && i < carrier->nmembers; i++)
		if (carrier->members[i].trace == trace)
			return carrier->members[i].number == number;
	return !carrier;
}

/* Takes the ends that a class tells. Returns 0 or -ENOMEM. */
static int terms_meet(struct pairs *p, const struct trace_class *trace,
		      const struct event_class *class)
{
	unsigned long long number, reading, code;
	struct pair_term term = { .trace = trace->number };
	const char *at = class->ended;
	size_t i;
	int n = 0;

	if (sscanf(at, "%llu:%llu%n", &number, &reading, &n) < 2 || !n ||
	    !is_member(trace, number))
		return 0;
	term.ns = clock_time(&trace->clock, clock_base(&trace->clock), reading);
	for (at += n; sscanf(at, "%*1[:,]%llu%n", &code, &n) == 1; at += n) {
		term.code = code;
		if (code >= trace->nevents)
			continue;
		if (!array_grow(&p->terms, p->nterms, sizeof(term)))
			return -ENOMEM;
		for (i = p->nterms++; i > p->terms_over &&
				      p->terms[i - 1].ns > term.ns; i--)
			p->terms[i] = p->terms[i - 1];
		p->terms[i] = term;
	}
	if (p->terms_over < p->nterms)
		p->over_ns = p->terms[p->terms_over].ns;
	return 0;
}

int pairs_meet(struct pairs *p, const struct trace_class *trace)
{
	static const struct field_class none = { .kind = FIELD_STRUCT };
	static const struct event_class event = { .fields = &none };
	struct pair_trace *t;
	struct pair_action **more;
	struct field_at at;
	bool met = schema_met(&p->schemas, trace);
	int ret = 0;

	if (!array_reach(&p->traces, &p->ntraces, trace->number,
			 sizeof(*p->traces)))
		return -ENOMEM;
	t = p->traces[trace->number];
	if (!t)
		t = p->traces[trace->number] = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	more = realloc(t->actions, (trace->nclasses + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	t->actions = more;
	memset(more + t->nclasses, 0,
	       (trace->nclasses + 1 - t->nclasses) * sizeof(*more));
	if (!t->trace) {
		t->vtid = -1;
		/* an offset that is the same in all events, or none */
		if (trace->context &&
		    field_at_find(&at, trace, &event, "vtid") &&
		    at.class->bytes == sizeof(int32_t) && at.from == at.to &&
		    at.offset <= INT32_MAX - sizeof(int32_t))
			t->vtid = (int32_t)at.offset;
	}
	t->trace = trace;
	/* new events may be those of a rule */
	p->stale = true;
	for (size_t i = 0; i < trace->nevents && !ret; i++) {
		const struct event_class *class = trace->events[i];

		if (!class || class->number < t->nclasses ||
		    class->number >= trace->nclasses)
			continue;
		if (class->ended)
			ret = terms_meet(p, trace, class);
		/* of a class that other traces share, this one may have no
		 * event: its names are compared with the first */
		else if (met && class->shared)
			more[class->number] = &unmet;
		else
			ret = names_meet(p, trace, class, &more[class->number]);
	}
	t->nclasses = trace->nclasses;
	return ret;
}

/* Gives each rule that compares keys across processes the gaps of all traces
 * that have the rule's events. Gaps only ever grow, so it is done again when
 * one was met. */
COLD static void note_gaps(struct pairs *p)
{
	for (size_t i = 0; i < p->nkinds && p->kinds[i]->given; i++) {
		struct pair_kind *kind = p->kinds[i];

		if (!kind->across)
			continue;
		kind->gaps.n = 0;
		for (uint32_t k = 0; k < p->ntraces; k++) {
			const struct trace_class *trace =
				p->traces[k] ? p->traces[k]->trace : NULL;

			if (!trace || !trace->gaps.n ||
			    !names_has_event(kind, trace))
				continue;
			for (uint32_t g = 0; g < trace->gaps.n; g++)
				gaps_add(&kind->gaps, trace->gaps.list[g].from,
					 trace->gaps.list[g].to);
		}
	}
	p->gaps = gaps_added;
	p->stale = false;
}

struct pairs_out pairs_left_out(const struct pairs *p,
				const struct trace_class *trace)
{
	struct pairs_out out = { 0 };

	for (uint32_t i = 0; i < p->ntraces; i++) {
		if (!p->traces[i] ||
		    (trace && trace->number != i &&
		     p->traces[i]->trace->carrier != trace))
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

/* Ends the pair that is like this one, or counts an END without a BEGIN. Of
 * steps the first event is such an END, and is not counted. */
static void end_pair(struct pairs *p, struct pair *like,
		     const struct trace_event *event)
{
	struct pair_kind *kind = like->kind;
	struct pair *pair = (struct pair *)open_pop(p, like, event->ns);

	if (!pair && (kind->steps || (kind->apart && kind->halves == 3)))
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
__attribute__((noinline))
static void action_take(struct pairs *p, const struct pair_trace *t,
			const struct pair_action *action,
			const struct trace_event *event)
{
	struct pair pair, *open;
	int32_t vtid = 0;

	pair.kind = action->kind;
	pair.term = event->class->term;
	/* where all entries are there, the frame tells that of a return */
	if (event->class->place && where_divides(event->class) &&
	    (!action->ends || pair.kind->tested))
		pair.term = TERM_NONE;
	if (pair.term == TERM_NONE) {
		pair.kind->apart = true;
		pair.kind->termless++;
		if (!pair.kind->frames)
			return;
	}
	pair.trace = t->trace;
	pair.class = event->class;
	pair.keys = action->keys;
	pair.begin = pair.end = event->ns;
	pair.cpu = event->cpu;
	pair.priv = pair.outer = pair.inside = pair.within = 0;
	pair.inner = pair.again = 0;
	pair.recursive = pair.apart = false;
	pair.fate = PAIR_FINISHED;
	pair.whole = pair.among = false;
	pair.key_bytes = 0;
	if (t->vtid >= 0)
		memcpy(&vtid, event->context + t->vtid, sizeof(vtid));
	/* 0: a writer that may not ask for it, or the idle threads of all CPUs
	 * in a kernel's trace */
	pair.vtid = vtid ? vtid : -1;
	pair.lane = vtid ? (uint32_t)vtid : event->cpu;
	pair.lane_kind = vtid ? PAIR_OF_THREAD : PAIR_OF_CPU;
	/* the class lacks a key, or the event is damaged */
	if (action->kind->nkeys) {
		if (action->keyless ||
		    !keys_read(&pair, action, event, &pair.lane)) {
			action->kind->keyless++;
			return;
		}
		pair.lane_kind = PAIR_OF_KEYS;
	} else if (!vtid && !p->by_cpu) {
		action->kind->threadless++;
		return;
	}
	if (action->whole) {
		whole_take(p, &pair, action, event);
		return;
	}
	if (action->span)
		keys_read_span(&pair, action, event);
	/* the partner of an event in a gap may be one that is missing */
	if (pair_lacks(&pair, event->ns, event->ns)) {
		open_leave_out(p, &pair, action->ends);
	} else if (action->ends) {
		end_pair(p, &pair, event);
	} else {
		open = open_push(p, &pair);
		if (open && p->calls->begun)
			p->calls->begun(open, event, p->calls->priv);
	}
}

/* Makes the actions of an event's class known, which is new, or whose trace is.
 * Returns the trace's facts, or NULL without memory. */
COLD static struct pair_trace *class_meet(struct pairs *p,
					  const struct trace_event *event)
{
	const struct trace_class *trace = event->trace;
	uint32_t class = event->class->number;
	struct pair_trace *t = trace->number < p->ntraces ?
			       p->traces[trace->number] : NULL;

	if (!t || t->nclasses != trace->nclasses)
		t = pairs_meet(p, trace) ? NULL : p->traces[trace->number];
	if (!t || class >= t->nclasses) {
		p->error = -ENOMEM;
		return NULL;
	}
	if (t->actions[class] == &unmet) {
		t->actions[class] = NULL;
		if (names_meet(p, trace, event->class, &t->actions[class]))
			p->error = -ENOMEM;
	}
	return t;
}

void pairs_feed(struct pairs *p, const struct trace_event *event)
{
	uint32_t class = event->class->number;
	size_t trace = event->trace->number;
	const struct pair_trace *t = trace < p->ntraces ? p->traces[trace] :
							  NULL;
	const struct pair_action *action;

	if (unlikely(!t || t->nclasses != event->trace->nclasses ||
		     t->actions[class] == &unmet))
		t = class_meet(p, event);
	if (unlikely(p->nterms && event->ns >= p->over_ns))
		open_over(p, event->ns);
	/* gaps of any trace may be those of a kind across processes */
	if (unlikely(p->stale || p->gaps != gaps_added))
		note_gaps(p);
	p->now = event->ns;
	for (action = t ? t->actions[class] : NULL; action;
	     action = action->next)
		action_take(p, t, action, event);
}

void pairs_finish(struct pairs *p)
{
	/* gaps may have been met behind the last event */
	note_gaps(p);
	open_over(p, INT64_MAX);
	open_finish(p);
	whole_finish(p);
}

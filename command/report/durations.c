/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Durations of pairs, the longest of them, and those that are unfinished.
 *
 * A pair counts for a kind; with --by also for the value that the BEGIN has, or
 * else the END.
 *
 * Invariant: the priv of a pair that is open is the value of --by of its BEGIN,
 * as group_of() returns it. It is a number and not a pointer, for the list of
 * values moves.
 */
#include <stdlib.h>

#include "command/report/private.h"
#include "traces/array.h"

#define GROUP_OTHER	UINT64_MAX	/* a value without room */

struct durations *durations_of(struct report *r, const struct pair_kind *kind)
{
	return array_reach(&r->durations, &r->ndurations, kind->number,
			   sizeof(*r->durations)) ?
	       &r->durations[kind->number] : NULL;
}

/* Sorts the kinds, the greatest key first, and equal ones by number, so that
 * two reports are equal. */
static int compare_keys(const void *a, const void *b)
{
	const struct kind_row *left = a, *right = b;

	if (left->key != right->key)
		return left->key > right->key ? -1 : 1;
	return left->kind->number < right->kind->number ? -1 : 1;
}

size_t kinds_sorted(struct report *r, struct kind_row **rows)
{
	struct pair_kind *const *kinds;
	size_t n = pairs_kinds(r->pairs, &kinds), found = 0;

	*rows = calloc(n + 1, sizeof(**rows));
	for (size_t i = 0; *rows && i < n; i++) {
		const struct pair_kind *kind = kinds[i];
		struct durations *d = durations_of(r, kind);
		bool met = kind->finished || kind->unfinished ||
			   kind->unbegun || kind->given_up ||
			   kind->threadless || kind->begins_out ||
			   kind->ends_out;

		/* if none of the events is an END, only a rule's kind is told
		 */
		if (d && kind->begin && (kind->given || (kind->end && met)))
			(*rows)[found++] = (struct kind_row){
				kind, sort_key(&d->ns, r->sorted ? r->sort :
							 HISTOGRAM_SUM),
			};
	}
	if (*rows && found)
		qsort(*rows, found, sizeof(**rows), compare_keys);
	return found;
}

/* Returns whether a comes before b: it is longer, or began earlier. */
static bool is_before(const struct long_pair *a, const struct long_pair *b)
{
	int64_t length = a->end - a->begin, other = b->end - b->begin;

	return length != other ? length > other : a->begin < b->begin;
}

/* Moves a pair of the heap down until it is not longer than those below it, so
 * the shortest is first. Those below are a heap already. */
static void sift_down(struct longest *l, uint32_t at)
{
	struct long_pair moved = l->list[at];

	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child >= l->n)
			break;
		if (child + 1 < l->n &&
		    is_before(&l->list[child], &l->list[child + 1]))
			child++;
		if (!is_before(&moved, &l->list[child]))
			break;
		l->list[at] = l->list[child];
		at = child;
	}
	l->list[at] = moved;
}

/* Keeps a pair if it is among the longest. The list becomes a heap once it is
 * full; until then its order is that of time. */
static void add_long(struct longest *l, const struct pair *pair, bool across)
{
	struct long_pair new = {
		.kind = pair->kind, .trace = pair->trace,
		.begin = pair->begin, .end = pair->end, .vtid = pair->vtid,
		.cpu = pair->cpu, .fate = pair->fate, .across = across,
	};
	bool full = l->n == l->max;
	size_t n = 0;

	if (!l->max || (full && !is_before(&new, &l->list[0])))
		return;
	/* the values of the keys, with a blank between two */
	for (unsigned int i = 0; i < pair->kind->nkeys; i++) {
		if (i && n + 1 < sizeof(new.keys))
			new.keys[n++] = ' ';
		n += pair_key_text(pair, i, new.keys + n, sizeof(new.keys) - n);
	}
	if (full) {
		l->list[0] = new;
		sift_down(l, 0);
		return;
	}
	l->list[l->n++] = new;
	if (l->n == l->max)
		for (uint32_t i = l->n / 2; i-- > 0;)
			sift_down(l, i);
}

/* Sorts pairs, the longest first, and of equal ones the earliest. */
static int compare_kinds(const void *a, const void *b)
{
	return is_before(a, b) ? -1 : is_before(b, a);
}

void longest_sort(struct longest *l)
{
	if (l->n)
		qsort(l->list, l->n, sizeof(*l->list), compare_kinds);
}

/* Returns the value of --by in this event, counted from 1; 0: it has none;
 * GROUP_OTHER: there is no room for it. The class was counted before, so it is
 * known. */
static uint64_t group_of(struct report *r, const struct trace_event *event)
{
	const struct report_trace *t = &r->traces[event->trace->number];
	const struct report_class *c = t->classes[event->class->number];
	bool found;
	const struct value *value = group_take(r, c, event, &found);

	if (value)
		return (uint64_t)(value - r->groups.list) + 1;
	return found ? GROUP_OTHER : 0;
}

/* Called for a BEGIN, with --by only. */
static void pair_begun(struct pair *pair, const struct trace_event *event,
		  void *priv)
{
	pair->priv = group_of(priv, event);
}

/* Returns whether a trace lost events after the time. Then begin and end of a
 * pair may belong to different pairs: an event between the two may be
 * lost. */
static bool has_lost(const struct report *r, const struct trace_class *trace,
		     int64_t since)
{
	const struct report_trace *losses = report_losses(r, trace);

	return trace->number < r->ntraces && losses->dated &&
	       losses->lost_until > since;
}

/* Counts the duration of a pair. Losses since its BEGIN may hide the true END:
 * `across` counts such pairs. */
static void pair_finished(const struct pair *pair,
			  const struct trace_event *event, void *priv)
{
	struct report *r = priv;
	struct durations *d = durations_of(r, pair->kind);
	int64_t ns = pair->end - pair->begin;
	uint64_t group = pair->priv;
	bool across = has_lost(r, pair->trace, pair->begin) ||
		      has_lost(r, event->trace, pair->begin);
	struct value *value;

	if (!d) {
		r->failed = true;
		return;
	}
	if (ns < 0) {
		d->backwards++;
		return;
	}
	d->mixed |= d->ns.count && d->lane_kind != pair->lane_kind;
	d->lane_kind = pair->lane_kind;
	if (histogram_add(&d->ns, (long double)ns))
		r->failed = true;
	d->across += across;
	/* calls of other stacks may have been longer */
	d->self += ns > pair->inner ? ns - pair->inner : 0;
	d->total += ns < pair->again ? 0 : ns - pair->again;
	add_long(&r->slowest, pair, across);
	/* where the BEGIN has no value, that of the END counts */
	if (r->by && !group)
		group = group_of(r, event);
	if (!group)
		return;
	value = group == GROUP_OTHER ? NULL : &r->groups.list[group - 1];
	d->cellless += !cell_add(r, value, pair->kind, (long double)ns);
}

/* Called for each pair that gets no END. It is kept if it was open at the end
 * of the traces, or if a call around it returned first: such pairs show where a
 * program hangs. */
static void pair_unfinished(const struct pair *pair, void *priv)
{
	struct report *r = priv;

	/* of the others, no time is known at which they were open */
	if ((pair->kind->given || pair->kind->end) &&
	    (pair->fate == PAIR_OPEN || pair->fate == PAIR_LEFT))
		add_long(&r->open, pair, has_lost(r, pair->trace, pair->begin));
}

int durations_open(struct report *r)
{
	const char *wrong = NULL;

	r->pair_calls.begun = r->by ? pair_begun : NULL;
	r->pair_calls.finished = pair_finished;
	r->pair_calls.unfinished = pair_unfinished;
	r->pair_calls.priv = r;
	/* values that came first stay: open pairs have their numbers */
	values_fix(&r->groups, GROUPS_MAX);
	r->open.max = OPEN_SHOWN;
	r->open.list = command_need(calloc(OPEN_SHOWN, sizeof(*r->open.list)));
	r->slowest.list = command_need(calloc(r->slowest.max + 1,
					      sizeof(*r->open.list)));
	r->pairs = command_need(pairs_new(&r->pair_calls));
	if (r->look.by_cpu)
		pairs_by_cpu(r->pairs);
	for (unsigned int i = 0; i < r->nrules; i++) {
		if (pairs_add(r->pairs, r->rules[i], &wrong))
			return wrong ? command_misused("--pair '%s': %s",
						       r->rules[i], wrong) :
				       command_failed("out of memory");
	}
	return COMMAND_DONE;
}

void durations_free(struct report *r)
{
	for (size_t i = 0; i < r->ndurations; i++)
		histogram_clear(&r->durations[i].ns);
	free(r->durations);
	free(r->slowest.list);
	free(r->open.list);
	if (r->pairs)
		pairs_free(r->pairs);
}

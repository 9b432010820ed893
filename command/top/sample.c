/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counts the events of an interval, by the packets that the rings have got in
 * it.
 *
 * The rings' counts say how many events were written and lost. The events that
 * the rings still have say which they were. The first contents of the rings go
 * through the pairs as well: a pair that ends in the first interval may have
 * begun before it.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "command/top/private.h"
#include "traces/array.h"

static int64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static struct top_row *name_of(struct top *top, const char *name)
{
	struct top_row *row;

	for (size_t i = 0; i < top->nnames; i++)
		if (!strcmp(top->names[i].name, name))
			return &top->names[i];
	if (top->nnames == TOP_ROWS_MAX ||
	    !array_grow(&top->names, top->nnames, sizeof(*row))) {
		top->sample->no_memory = true;
		return NULL;
	}
	row = &top->names[top->nnames];
	row->seen = 0;
	row->name = class_memory_text(&top->memory, name);
	if (!row->name)
		return NULL;
	top->nnames++;
	return row;
}

/* Rows move when there are more: a class knows the number of the row, from 1
 * on. */
static void count_events(struct top *top, const struct trace_event *event)
{
	uintptr_t number = (uintptr_t)event->class->priv;

	if (!number) {
		const struct top_row *row = name_of(top, event->class->id);

		if (!row)
			return;
		number = (uintptr_t)(row - top->names) + 1;
		((struct event_class *)event->class)->priv = (void *)number;
	}
	top->names[number - 1].seen++;
	top->sample->chosen++;
}

/* Makes a row for a kind of pairs. Returns the row's number, from 1 on, or 0.
 */
static uintptr_t add_pair(struct top_sample *sample, struct pair_kind *kind)
{
	if (sample->npairs == TOP_ROWS_MAX ||
	    !array_grow(&sample->pairs, sample->npairs,
			sizeof(*sample->pairs)))
		return 0;
	sample->pairs[sample->npairs] = (struct top_pair){
		.kind = kind, .name = kind->name,
	};
	kind->priv = (void *)(uintptr_t)++sample->npairs;
	return sample->npairs;
}

/* Counts a pair that ends in the interval, wherever it began. */
static void pair_met(const struct pair *pair, const struct trace_event *event,
		     void *priv)
{
	struct top *top = priv;
	struct top_sample *sample = top->sample;
	uintptr_t number = (uintptr_t)pair->kind->priv;

	/* END is before BEGIN in a damaged buffer */
	if (!sample->to || pair->end < pair->begin)
		return;
	if (!number)
		number = add_pair(sample, pair->kind);
	if (!number || histogram_add(&sample->pairs[number - 1].durations,
				     (long double)(pair->end - pair->begin)))
		sample->no_memory = true;
}

/* Takes all events that are there up to a time. */
static void read_rings(struct top *top, struct top_sample *sample,
		       int64_t until)
{
	struct reader *reader = top->look.reader;
	const struct where *where = top->look.where;
	const struct trace_event *event;

	top->sample = sample;
	reader_follow(reader, until);
	if (reader_refresh(reader))
		sample->no_memory = true;
	while ((event = reader_next(reader))) {
		sample->seen++;
		if (where && !where_holds(where, event))
			continue;
		pairs_feed(top->pairs, event);
		if (sample->to)
			count_events(top, event);
	}
	if (pairs_error(top->pairs))
		sample->no_memory = true;
}

/* Moves the counts of names to the sample, and begins again. */
static void give_rows(struct top *top, struct top_sample *sample)
{
	sample->rows = calloc(top->nnames + 1, sizeof(*sample->rows));
	if (!sample->rows)
		sample->no_memory = true;
	for (size_t i = 0; i < top->nnames; i++) {
		if (top->names[i].seen && sample->rows)
			sample->rows[sample->nrows++] = top->names[i];
		top->names[i].seen = 0;
	}
	/* sorting moves the rows */
	for (size_t i = 0; i < sample->npairs; i++)
		sample->pairs[i].kind->priv = NULL;
}

/* Counts the events that are in no pair of the interval. */
static void count_pairs(struct top *top, struct top_sample *sample)
{
	struct pairs_out out = pairs_left_out(top->pairs, NULL);
	uint64_t given_up = pairs_given_up(top->pairs);

	sample->left_out = out.begins + out.ends - top->left_out;
	sample->given_up = given_up - top->given_up;
	top->left_out = out.begins + out.ends;
	top->given_up = given_up;
}

static uint64_t events_since(uint64_t now, uint64_t before)
{
	/* less: the buffers of a process have gone */
	return now > before ? now - before : 0;
}

/* Takes what the rings have at first: pairs that end later may have begun in
 * it. */
static int begin_sample(struct top *top)
{
	static struct pair_calls calls = { .finished = pair_met };
	struct look *look = &top->look;
	int ret = COMMAND_DONE;

	look->session = top->session;
	look->pid = top->pid;
	look->any_session = look->peek = look->keep = true;
	look->quiet_losses = true;
	calls.priv = top;
	top->pairs = pairs_new(&calls);
	if (!top->pairs)
		return command_failed("out of memory");
	if (look->by_cpu)
		pairs_by_cpu(top->pairs);
	for (size_t i = 0; i < top->nrules && ret == COMMAND_DONE; i++)
		ret = look_option(look, LOOK_WHERE, top->rules[i]);
	if (ret == COMMAND_DONE)
		ret = look_open(look, NULL, 0);
	if (ret == COMMAND_DONE)
		/* events that no rule chooses count as well */
		reader_filter(look->reader, NULL);
	/* the name that a process's only session has */
	top->session = look->session;
	return ret;
}

int top_take(struct top *top, struct top_sample *sample)
{
	struct look *look = &top->look;
	int64_t now = clock_ns(), until;
	int ret = top->last ? COMMAND_DONE : begin_sample(top);

	memset(sample, 0, sizeof(*sample));
	if (ret != COMMAND_DONE)
		return ret;
	look_recorded(look, &until);
	top->gone = look->gone;
	if (top->gone || look->failed)
		return COMMAND_FAILED;
	sample->processes = look->processes;
	sample->ended = look->ended;
	sample->stopped = look->stopped;
	sample->lost_before = look->totals.lost;
	sample->unplaced_before = look->totals.unplaced;
	if (top->last) {
		sample->from = top->last;
		sample->to = now;
		sample->written = events_since(look->totals.written,
					top->totals.written);
		sample->lost = events_since(look->totals.lost,
					    top->totals.lost);
		sample->unplaced = events_since(look->totals.unplaced,
					 top->totals.unplaced);
	}
	read_rings(top, sample, until);
	sample->threadless = pairs_threadless(top->pairs) - top->threadless;
	top->threadless += sample->threadless;
	sample->missed = look->overwritten > top->overwritten;
	top->overwritten = look->overwritten;
	count_pairs(top, sample);
	give_rows(top, sample);
	top->totals = look->totals;
	top->last = now;
	return COMMAND_DONE;
}

void top_sample_free(struct top_sample *sample)
{
	while (sample->npairs)
		histogram_clear(&sample->pairs[--sample->npairs].durations);
	free(sample->rows);
	free(sample->pairs);
}

void top_close(struct top *top)
{
	if (top->pairs)
		pairs_free(top->pairs);
	if (look_close(&top->look))
		top->unread = true;
	class_memory_free(top->memory);
	free(top->names);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counts the events of an interval, by the packets that the rings have got in
 * it.
 *
 * The rings' counts say how many events were written and lost. The events that
 * the rings still have say which they were. The first contents of the rings go
 * through the pairs as well: a pair that ends in the first interval may have
 * begun before it.
 *
 * Invariants: an event counts in one interval. Names live until top_close(), so
 * a sample may point to them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sys.h"
#include "command/top/private.h"
#include "traces/array.h"

/* Returns the number of the row of a name, from 1 on, or 0. Rows move when
 * there are more, so nothing points to one. */
static uintptr_t name_row(struct top *top, const char *name)
{
	size_t n = 0;

	while (n < top->nnames && strcmp(top->names[n].name, name))
		n++;
	if (n < top->nnames)
		return n + 1;
	if (n == TOP_ROWS_MAX ||
	    !array_grow(&top->names, n, sizeof(*top->names))) {
		top->sample->no_memory = true;
		return 0;
	}
	top->names[n] = (struct top_row){
		.name = class_memory_text(&top->memory, name),
	};
	top->nnames += !!top->names[n].name;
	return top->names[n].name ? n + 1 : 0;
}

/* Counts a pair that ends in the interval, wherever it began. A kind knows the
 * number of the row, from 1 on. */
static void pair_met(const struct pair *pair, const struct trace_event *event,
		     void *priv)
{
	struct top *top = priv;
	struct top_sample *sample = top->sample;
	uintptr_t number = (uintptr_t)pair->kind->priv;

	/* END is before BEGIN in a damaged buffer */
	if (!sample->to || pair->end < pair->begin)
		return;
	if (!number && sample->npairs < TOP_ROWS_MAX &&
	    array_grow(&sample->pairs, sample->npairs,
		       sizeof(*sample->pairs))) {
		sample->pairs[sample->npairs] = (struct top_pair){
			.kind = pair->kind, .name = pair->kind->name,
		};
		number = ++sample->npairs;
		pair->kind->priv = (void *)number;
	}
	if (!number || histogram_add(&sample->pairs[number - 1].durations,
				     (long double)(pair->end - pair->begin)))
		sample->no_memory = true;
}

/* Takes all events that are there up to a time. Those of the first contents,
 * without sample->to, only go through the pairs. A class knows the number of
 * the row. */
static void read_rings(struct top *top, struct top_sample *sample,
		       int64_t until)
{
	struct reader *reader = top->look.reader;
	const struct where *where = top->look.where;
	const struct trace_event *event;
	uintptr_t row;

	top->sample = sample;
	reader_follow(reader, until);
	if (reader_refresh(reader))
		sample->no_memory = true;
	while ((event = reader_next(reader))) {
		sample->seen++;
		if (where && !where_holds(where, event))
			continue;
		pairs_feed(top->pairs, event);
		if (!sample->to)
			continue;
		row = (uintptr_t)event->class->priv;
		if (!row) {
			row = name_row(top, event->class->id);
			((struct event_class *)event->class)->priv =
				(void *)row;
		}
		if (row) {
			top->names[row - 1].seen++;
			sample->chosen++;
		}
	}
	if (pairs_error(top->pairs))
		sample->no_memory = true;
}

/* Returns how much a count of all rings has grown. It is less when the buffers
 * of a process have gone. */
static uint64_t events_since(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

/* Opens the session's rings, with the rules, and the pairs, which live until
 * top_close(). Returns COMMAND_DONE, or another status after printing why. The
 * calls are static: pairs_new() keeps the address. */
static int begin_sample(struct top *top)
{
	static struct pair_calls calls = { .finished = pair_met };
	struct look *look = &top->look;
	int ret = COMMAND_DONE;

	look->any_session = look->peek = look->keep = look->quiet_losses = true;
	calls.priv = top;
	top->pairs = command_need(pairs_new(&calls));
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
	struct pairs_out out;
	int64_t now, until;
	int ret;

	now = sys_clock_ns(CLOCK_REALTIME);
	memset(sample, 0, sizeof(*sample));
	ret = top->last ? COMMAND_DONE : begin_sample(top);
	if (ret != COMMAND_DONE)
		return ret;
	look_recorded(look, &until);
	top->gone = look->gone;
	if (top->gone || look->failed)
		return COMMAND_FAILED;
	sample->processes = look->processes;
	sample->ended = look->ended;
	top->ended = look->processes == look->ended;
	sample->stopped = look->stopped;
	sample->lost_before = look->totals.lost;
	sample->unplaced_before = look->totals.unplaced - look->totals.calls;
	sample->calls_before = look->totals.calls;
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
	/* no count says how many of the shared buffers' are its own */
	if (look->shares && sample->to)
		sample->written = sample->seen;
	sample->threadless = pairs_threadless(top->pairs) - top->threadless;
	top->threadless += sample->threadless;
	sample->missed = look->overwritten > top->overwritten;
	top->overwritten = look->overwritten;
	sample->full = look->losses > look->overwritten + look->lost_calls;
	/* events that are in no pair of the interval */
	out = pairs_left_out(top->pairs, NULL);
	sample->left_out = out.begins + out.ends - top->left_out;
	top->left_out += sample->left_out;
	sample->given_up = pairs_given_up(top->pairs) - top->given_up;
	top->given_up += sample->given_up;
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
	/* only now: an interval that fails begins again */
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

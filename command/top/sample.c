/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Takes what happened in an interval from copies of the rings.
 *
 * How many events were written and lost is known from the rings' counts. Which
 * events those were is known of those that the rings still have. The whole
 * copies go through the pairs, because a pair that ends in the interval may
 * have begun before it.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "command/top/private.h"
#include "traces/pairs/pairs.h"

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Makes room for one more: doubles the array at powers of two. */
static void *grow(void *array, size_t n, size_t size)
{
	return n & (n - 1) ? array :
			     reallocarray(array, n ? 2 * n : 1, size);
}

static struct top_row *row_of(struct top_sample *sample, const char *name)
{
	struct top_row *more;

	for (size_t i = 0; i < sample->nrows; i++)
		if (!strcmp(sample->rows[i].name, name))
			return &sample->rows[i];
	more = sample->nrows < TOP_ROWS_MAX ?
		       grow(sample->rows, sample->nrows, sizeof(*more)) : NULL;
	if (!more) {
		sample->no_memory = true;
		return NULL;
	}
	sample->rows = more;
	more += sample->nrows;
	more->seen = 0;
	more->name = class_memory_text(&sample->memory, name);
	if (!more->name)
		return NULL;
	sample->nrows++;
	return more;
}

/* Rows move when there are more: a class knows the number of its row, from 1
 * on. */
static void count(struct top_sample *sample, const struct trace_event *event)
{
	uintptr_t number = (uintptr_t)event->class->priv;

	if (!number) {
		const struct top_row *row = row_of(sample, event->class->id);

		if (!row)
			return;
		number = (uintptr_t)(row - sample->rows) + 1;
		((struct event_class *)event->class)->priv = (void *)number;
	}
	sample->rows[number - 1].seen++;
	sample->chosen++;
}

static void finished(const struct pair *pair, const struct trace_event *event,
		     void *priv)
{
	struct top_sample *sample = priv;
	uintptr_t number = (uintptr_t)pair->kind->priv;
	struct top_pair *more;

	if (pair->end <= sample->from || pair->end > sample->to)
		return;
	if (!number) {
		more = sample->npairs < TOP_ROWS_MAX ?
			       grow(sample->pairs, sample->npairs,
				    sizeof(*more)) : NULL;
		if (!more) {
			sample->no_memory = true;
			return;
		}
		sample->pairs = more;
		memset(&more[sample->npairs], 0, sizeof(*more));
		more[sample->npairs].name =
			class_memory_text(&sample->memory, pair->kind->name);
		number = ++sample->npairs;
		pair->kind->priv = (void *)number;
	}
	if (histogram_add(&sample->pairs[number - 1].durations,
			  (long double)(pair->end - pair->begin)))
		sample->no_memory = true;
}

static void read_rings(struct look *look, struct top_sample *sample)
{
	const struct pair_calls calls = { .finished = finished,
					  .priv = sample };
	struct pairs *pairs = pairs_new(&calls);
	const struct trace_event *event;

	/* those that are left out are counted, too */
	reader_filter(look->reader, NULL);
	sample->no_memory = !pairs;
	while (pairs && (event = reader_next(look->reader))) {
		if (event->ns > sample->to)
			break;
		sample->seen += event->ns > sample->from;
		if (look->where && !where_holds(look->where, event))
			continue;
		pairs_feed(pairs, event);
		if (event->ns > sample->from)
			count(sample, event);
	}
	if (pairs)
		pairs_free(pairs);
}

static uint64_t since(uint64_t now, uint64_t before)
{
	/* less: the buffers of a process have gone */
	return now > before ? now - before : 0;
}

int top_take(struct top *top, struct top_sample *sample)
{
	struct look look = { .session = top->session, .pid = top->pid,
			     .any_session = true, .peek = true,
			     .quiet_losses = true,
			     .quiet_problems = top->unread,
			     .again = top->last != 0 };
	int64_t now = now_ns();
	int ret = COMMAND_DONE;

	memset(sample, 0, sizeof(*sample));
	for (size_t i = 0; i < top->nrules && ret == COMMAND_DONE; i++)
		ret = look_option(&look, LOOK_WHERE, top->rules[i]);
	if (ret == COMMAND_DONE)
		ret = look_open(&look, NULL, 0);
	if (ret == COMMAND_DONE) {
		/* the name that a process's only session has */
		top->session = look.session;
		sample->processes = look.totals.processes;
		sample->ended = look.ended;
		sample->lost_before = look.totals.lost;
		if (top->last) {
			sample->from = top->last;
			sample->to = now;
			sample->written = since(look.totals.written,
						top->totals.written);
			sample->lost = since(look.totals.lost,
					     top->totals.lost);
			read_rings(&look, sample);
		}
		top->totals = look.totals;
		top->last = now;
	}
	top->gone = look.gone;
	if (look_close(&look))
		top->unread = true;
	return ret;
}

void top_sample_free(struct top_sample *sample)
{
	while (sample->npairs)
		histogram_clear(&sample->pairs[--sample->npairs].durations);
	class_memory_free(sample->memory);
	free(sample->rows);
	free(sample->pairs);
}

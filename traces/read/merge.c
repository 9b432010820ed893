/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Puts the events of all streams in order: a heap of streams, by the time of
 * their current events.
 *
 * Invariant: between two calls of reader_next() each stream with `waiting` set
 * is in the heap exactly once and holds an event that was not given yet; but
 * for the first, whose event the caller has. Ranks are given to all streams at
 * once, so two streams never have the same.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "traces/read/private.h"

struct reader *reader_new(const struct reader_calls *calls)
{
	struct reader *reader = calloc(1, sizeof(*reader));

	if (reader) {
		reader->calls = calls;
		reader->begin = TIME_MIN;
		reader->end = TIME_MAX;
	}
	return reader;
}

void reader_free(struct reader *reader)
{
	for (size_t i = 0; i < reader->nstreams; i++)
		reader->streams[i]->source->close(reader->streams[i]);
	for (size_t i = 0; i < reader->ntraces; i++) {
		trace_class_free(reader->traces[i]);
		free(reader->traces[i]);
	}
	while (reader->npaths)
		free(reader->paths[--reader->npaths]);
	free(reader->paths);
	while (reader->nplaces)
		free(reader->places[--reader->nplaces].path);
	free(reader->places);
	free(reader->streams);
	free(reader->traces);
	free(reader->heap);
	free(reader);
}

void reader_window(struct reader *reader, int64_t begin, int64_t end)
{
	reader->begin = begin;
	reader->end = end;
	reader->started = false;
}

void reader_filter(struct reader *reader, const struct where *where)
{
	reader->where = where;
	reader->started = false;
}

size_t reader_traces(const struct reader *reader,
		     struct trace_class *const **traces)
{
	*traces = reader->traces;
	return reader->ntraces;
}

uint64_t reader_problems(const struct reader *reader)
{
	return reader->problems;
}

/* Orders streams whose events have the same time: as babeltrace2 does, so both
 * print the same. Callback of qsort(). */
static int compare_ranks(const void *a, const void *b)
{
	const struct read_stream *const *left = a;
	const struct read_stream *const *right = b;
	int ret = memcmp((*left)->event.trace->uuid,
			 (*right)->event.trace->uuid, 16);

	if (ret)
		return ret;
	if ((*left)->event.instance != (*right)->event.instance)
		return (*left)->event.instance < (*right)->event.instance ? -1 :
									    1;
	return strcmp((*left)->name, (*right)->name);
}

/* Returns whether the event of a stream is to be given before that of another
 * one. */
static inline bool comes_first(const struct read_stream *a,
			   const struct read_stream *b)
{
	return a->event.ns != b->event.ns ? a->event.ns < b->event.ns :
					    a->rank < b->rank;
}

/* Moves the stream at a place of the heap down, behind all that come first. The
 * streams below it are in order. */
static void sift_down(struct reader *reader, size_t at)
{
	struct read_stream **heap = reader->heap;
	struct read_stream *stream = heap[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= reader->nheap)
			break;
		if (child + 1 < reader->nheap &&
		    comes_first(heap[child + 1], heap[child]))
			child++;
		if (!comes_first(heap[child], stream))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = stream;
}

/* Moves to the next event of a stream that a rule means. Returns false at the
 * end. Each event of the reader passes here. */
static inline bool next_wanted(struct read_stream *s)
{
	const struct where *where = s->reader->where;

	while (stream_next(s))
		if (!where || where_holds(where, &s->event))
			return true;
	return false;
}

/* Moves to the next wanted event at or behind `begin`: of the first packet that
 * ends behind it, the last event may lie before. */
static bool next_begun(struct read_stream *s, int64_t begin)
{
	bool there;

	do
		there = next_wanted(s);
	while (there && s->event.ns < begin);
	return there;
}

/* Goes back to the first packet of a stream that does not end before the
 * reading `begin`. No event of it was taken then. */
static void stream_rewind(struct read_stream *s, uint64_t begin)
{
	s->begin = begin;
	s->source->rewind(s);
	s->started = s->skipped = false;
	s->cursor.p = s->cursor.end = NULL;
}

/* Goes back to the first wanted event of a stream at or behind `begin`. Returns
 * false if there is none. */
static bool stream_first(struct read_stream *s, int64_t begin)
{
	uint64_t hz = s->event.trace->clock.hz;
	double cycles = 0;

	/* a reading that is not behind the time: less the error of the double,
	 * and a microsecond */
	if (begin != TIME_MIN && begin > s->base_ns) {
		cycles = (double)(begin - s->base_ns);
		cycles = cycles * (double)hz / 1e9;
		cycles -= cycles / 0x1p50 + (double)hz / 1e6;
	}
	stream_rewind(s, cycles > 0 && cycles < 0x1p63 ? (uint64_t)cycles : 0);
	return next_begun(s, begin);
}

/* Gives all streams their ranks, and orders the heap. Returns 0; or -ENOMEM,
 * and the heap is empty. */
static int heap_order(struct reader *reader)
{
	struct read_stream **all = calloc(reader->nstreams + 1,
					  sizeof(struct read_stream *));

	free(reader->heap);
	reader->heap = all;
	/* later streams have no rank yet, and begin at the next refresh */
	reader->nheap = 0;
	reader->nbegun = reader->nstreams;
	if (!all)
		return -ENOMEM;
	/* none of a session without buffers: memcpy() takes no NULL */
	for (size_t i = 0; i < reader->nstreams; i++)
		all[i] = reader->streams[i];
	qsort(all, reader->nstreams, sizeof(struct read_stream *),
	      compare_ranks);
	for (size_t i = 0; i < reader->nstreams; i++) {
		all[i]->rank = i;
		if (all[i]->waiting)
			all[reader->nheap++] = all[i];
	}
	for (size_t i = reader->nheap / 2; i-- > 0;)
		sift_down(reader, i);
	return 0;
}

const struct trace_event *reader_next(struct reader *reader)
{
	struct read_stream *top;

	if (!reader->started) {
		/* anew at the window: all streams go back to the first event */
		reader->started = true;
		reader->held = false;
		reader->turn++;
		for (size_t i = 0; i < reader->nstreams; i++)
			reader->streams[i]->waiting =
				stream_first(reader->streams[i], reader->begin);
		if (heap_order(reader))
			reader_problem(reader, "memory", "there is none left");
	} else if (reader->nheap && !reader->held) {
		top = reader->heap[0];
		top->waiting = next_wanted(top);
		if (!top->waiting)
			reader->heap[0] = reader->heap[--reader->nheap];
		if (reader->nheap)
			sift_down(reader, 0);
	}
	reader->held = !reader->nheap ||
		       reader->heap[0]->event.ns > reader->end;
	reader->given |= !reader->held;
	return reader->held ? NULL : &reader->heap[0]->event;
}

bool reader_given(const struct reader *reader)
{
	return reader->given;
}

int64_t reader_begin(const struct reader *reader)
{
	return reader->begin;
}

int64_t reader_end(const struct reader *reader)
{
	return reader->end;
}

void reader_follow(struct reader *reader, int64_t until)
{
	reader->follows = true;
	reader->end = until;
}

int reader_refresh(struct reader *reader)
{
	size_t i, kept = 0;
	int ret;

	/* they were told when they were first seen */
	reader->quiet = true;
	ret = reader_find(reader);
	reader->quiet = false;
	if (!reader->started)
		return ret;
	for (i = 0; i < reader->nstreams; i++) {
		struct read_stream *s = reader->streams[i];

		/* it still has a packet, which a refresh would take away; the
		 * source looks again when that packet is at an end */
		s->stale = s->waiting;
		if (s->waiting)
			continue;
		if (i >= reader->nbegun) {
			s->waiting = stream_first(s, reader->begin);
		} else if (s->source->refresh) {
			s->source->refresh(s);
			s->waiting = next_begun(s, reader->begin);
		}
	}
	/* a follower meets any number of processes: streams that have given
	 * all that they will ever have are closed */
	for (i = 0; i < reader->nstreams; i++) {
		struct read_stream *s = reader->streams[i];

		if (s->waiting || !s->source->ended || !s->source->ended(s))
			reader->streams[kept++] = s;
		else
			s->source->close(s);
	}
	reader->nstreams = kept;
	return ret ? ret : heap_order(reader);
}

bool reader_span(struct reader *reader, int64_t *first, int64_t *last)
{
	const struct where *where = reader->where;
	int64_t begin = TIME_MAX, end = TIME_MIN, ns;
	uint64_t reading;

	reader->quiet = true;
	reader->where = NULL;
	reader->started = false;
	for (size_t i = 0; i < reader->nstreams; i++) {
		struct read_stream *s = reader->streams[i];

		/* each is looked at alone, whatever others have of it */
		reader->turn++;
		if (first && stream_first(s, TIME_MIN) && s->event.ns < begin)
			begin = s->event.ns;
		reader->turn++;
		if (!last || !s->source->last(s, &reading))
			continue;
		stream_rewind(s, reading);
		for (ns = TIME_MIN; stream_next(s);)
			ns = s->event.ns;
		/* the last packet has a writer record alone */
		if (ns == TIME_MIN) {
			reader->turn++;
			stream_rewind(s, 0);
			while (stream_next(s))
				ns = s->event.ns;
		}
		end = ns > end ? ns : end;
	}
	reader->quiet = false;
	reader->where = where;
	if (first)
		*first = begin;
	if (last)
		*last = end;
	return (!first || begin != TIME_MAX) && (!last || end != TIME_MIN);
}

int64_t reader_near_end(struct reader *reader)
{
	int64_t end = TIME_MIN;
	uint64_t reading;

	reader->quiet = true;
	reader->started = false;
	for (size_t i = 0; i < reader->nstreams; i++) {
		struct read_stream *s = reader->streams[i];
		int64_t ns;

		if (s->source->next || !s->source->last(s, &reading))
			continue;
		ns = clock_time(&s->event.trace->clock, s->base_ns, reading);
		end = ns > end ? ns : end;
	}
	reader->quiet = false;
	return end < reader->end ? end : reader->end;
}

/* Counts the events from here to the end of the window. */
static uint64_t count_events(struct reader *reader)
{
	uint64_t n = 0;

	while (reader_next(reader))
		n++;
	return n;
}

/* Returns the time of the event that is the last but n, by running through all
 * of them; or TIME_MIN, if there are fewer or no memory. The memory is that of
 * n times, whatever the trace has. */
static int64_t time_before(struct reader *reader, uint64_t n)
{
	int64_t *last = n < SIZE_MAX / sizeof(*last) ?
			calloc(n, sizeof(*last)) : NULL;
	const struct trace_event *event;
	int64_t ns = TIME_MIN;
	uint64_t i = 0;

	while (last && (event = reader_next(reader)))
		last[i++ % n] = event->ns;
	if (last && i > n)
		ns = last[i % n];
	free(last);
	return ns;
}

uint64_t reader_tail(struct reader *reader, uint64_t n)
{
	int64_t begin = reader->begin, end = reader->end;
	int64_t first, last, from = begin;
	bool forward = false;
	uint64_t found = 0;

	if (!reader_span(reader, &first, &last))
		return 0;
	first = first < begin ? begin : first;
	last = last > end ? end : last;
	reader->quiet = reader->counts = true;
	/* a source of events alone, without packets, only runs forward */
	for (size_t i = 0; i < reader->nstreams; i++)
		forward |= reader->streams[i]->source->next != NULL;
	if (n && forward) {
		from = time_before(reader, n);
		from = from < begin ? begin : from;
		reader_window(reader, from, end);
		found = count_events(reader);
		n = found < n ? found : n;
	}
	/* windows that double, so that the end alone is read where it does;
	 * all of them together cost no more than twice the last one */
	for (int64_t ns = 1000000; found < n; ns *= 2) {
		from = last - first > ns ? last - ns : begin;
		reader_window(reader, from, end);
		found = count_events(reader);
		if (from == begin)
			break;
	}
	reader->quiet = reader->counts = false;
	reader_window(reader, from, end);
	return found > n ? found - n : 0;
}

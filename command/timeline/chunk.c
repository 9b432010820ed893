/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A chunk: up to CHUNK_EVENTS events, one behind the other in time, as columns.
 *
 *	number of events, ns from the page's first event to the chunk's
 *	sections: times	   ns since the event before
 *		  lanes
 *		  classes
 *	number of pairs
 *	sections: ends	   event, less that of the pair before
 *		  begins   1 + 2 * (events of the lane since BEGIN), or, if it
 *			   is in another lane, 2 * (events since BEGIN), not 0;
 *			   0: one event tells the pair
 *		  kinds
 *		  spans    ns of each pair that one event tells
 *	of each class with events, in order: 1 + number, records; then 0
 *	of each lane with events: 1 + number, records; then 0
 *
 * Numbers count in the chunk. A lane's records are the CPU, a u32, and the
 * contexts.
 *
 * Invariant: a chunk's bytes are read without any other chunk. A difference is
 * to an event or pair of the same chunk, and the first is to the chunk's begin.
 */
#include "command/timeline/private.h"

void chunk_add(struct timeline *t, const struct trace_event *event)
{
	struct chunk *chunk = &t->chunk;
	struct page_trace *trace = page_trace(t, event);
	struct page_lane *lane = trace ? page_lane(t, trace, event) : NULL;
	struct page_class *class = trace ? page_class(t, trace, event) : NULL;
	/* a damaged clock may go back: the order stays */
	int64_t ns = event->ns < t->last ? t->last : event->ns;

	t->lane = lane;
	if (!lane || !class) {
		t->no_memory = true;
		return;
	}
	density_add(t, lane, ns);
	lane->first = lane->events ? lane->first : ns;
	lane->last = ns;
	lane->events++;
	class->events++;
	t->last = ns;
	if (t->events >= t->detail)
		return;
	if (!chunk->n)
		chunk->from = chunk->to = ns;
	chunk->seq[chunk->n++] = lane->in_chunk++;
	bytes_number(&chunk->times, (uint64_t)(ns - chunk->to));
	bytes_number(&chunk->lanes, lane->number);
	bytes_number(&chunk->classes, class->shape.number);
	chunk->to = ns;
	records_put(&class->records, &class->shape, event->fields, event->end);
	bytes_put(&lane->records.fixed, &event->cpu, sizeof(event->cpu));
	records_put(&lane->records, lane->contexts, event->context,
		    event_context_end(event));
}

void chunk_pair(struct timeline *t, const struct page_pair *pair)
{
	struct chunk *chunk = &t->chunk;
	uint64_t begin = pair->begin - chunk->first;
	uint64_t end = pair->end - chunk->first, back;

	back = t->lane->number != pair->lane || begin == end ?
		       (end - begin) << 1 :
		       (uint64_t)(chunk->seq[end] - chunk->seq[begin]) << 1 | 1;
	bytes_number(&chunk->pair_ends, end - chunk->pairs_end);
	bytes_number(&chunk->pair_begins, back);
	bytes_number(&chunk->pair_kinds, pair->kind);
	if (!back)
		bytes_number(&chunk->pair_spans,
			     (uint64_t)(pair->to - pair->from));
	chunk->pairs_end = end;
	chunk->npairs++;
}

/* Moves a column into the block, and leaves the column empty. */
static void put_section(struct bytes *to, struct bytes *from)
{
	bytes_section(to, from);
	from->n = 0;
}

void chunk_flush(struct timeline *t)
{
	struct chunk *chunk = &t->chunk;
	struct bytes *raw = &t->raw;

	if (!chunk->n)
		return;
	raw->n = 0;
	bytes_number(raw, chunk->n);
	bytes_number(raw, (uint64_t)(chunk->from - t->first));
	put_section(raw, &chunk->times);
	put_section(raw, &chunk->lanes);
	put_section(raw, &chunk->classes);
	bytes_number(raw, chunk->npairs);
	put_section(raw, &chunk->pair_ends);
	put_section(raw, &chunk->pair_begins);
	put_section(raw, &chunk->pair_kinds);
	put_section(raw, &chunk->pair_spans);
	for (size_t i = 0; i < t->nclasses; i++) {
		struct page_class *class = t->classes[i];

		if (!class->records.n)
			continue;
		bytes_number(raw, 1 + i);
		records_flush(&class->records, class->shape.bytes, raw);
	}
	bytes_number(raw, 0);
	for (size_t i = 0; i < t->nlanes; i++) {
		struct page_lane *lane = t->lanes[i];

		lane->in_chunk = 0;
		if (!lane->records.n)
			continue;
		bytes_number(raw, 1 + i);
		records_flush(&lane->records, (uint32_t)sizeof(uint32_t) +
			      lane->contexts->bytes, raw);
	}
	bytes_number(raw, 0);
	t->no_memory |= !page_block(&t->page, raw, "chunk");
	t->nblocks++;
	bytes_number(&t->blocks, chunk->n);
	bytes_number(&t->blocks, (uint64_t)(chunk->from - t->first));
	bytes_number(&t->blocks, (uint64_t)(chunk->to - t->first));
	t->detailed += chunk->n;
	chunk->first += chunk->n;
	chunk->n = chunk->npairs = 0;
	chunk->pairs_end = 0;
}

void chunk_free(struct timeline *t)
{
	struct chunk *chunk = &t->chunk;

	bytes_free(&chunk->times);
	bytes_free(&chunk->lanes);
	bytes_free(&chunk->classes);
	bytes_free(&chunk->pair_ends);
	bytes_free(&chunk->pair_begins);
	bytes_free(&chunk->pair_kinds);
	bytes_free(&chunk->pair_spans);
}

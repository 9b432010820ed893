/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The longest pairs of all, which the page shows before it loads others.
 *
 * Invariant: the list is a heap, the shortest of the pairs on top. A pair that
 * is longer takes the place of the top.
 */
#include <stdlib.h>

#include "command/timeline/private.h"

/* Returns how long a pair took; less than 0 if the clock went back. */
static int64_t span_ns(const struct page_pair *pair)
{
	return pair->to - pair->from;
}

/* Changes the places of two pairs in the heap. */
static void swap_spans(struct page_pair *a, struct page_pair *b)
{
	struct page_pair old = *a;

	*a = *b;
	*b = old;
}

void page_longest_add(struct timeline *t, const struct page_pair *pair)
{
	struct page_pair *heap = t->longest;
	size_t i = t->nlongest, child;

	if (!heap)
		heap = t->longest = calloc(LONGEST_PAIRS, sizeof(*heap));
	if (!heap) {
		t->no_memory = true;
		return;
	}
	if (i < LONGEST_PAIRS) {
		heap[t->nlongest++] = *pair;
		for (; i && span_ns(&heap[i]) < span_ns(&heap[(i - 1) / 2]);
		     i = (i - 1) / 2)
			swap_spans(&heap[i], &heap[(i - 1) / 2]);
		return;
	}
	if (span_ns(pair) <= span_ns(&heap[0]))
		return;
	heap[0] = *pair;
	for (i = 0; (child = 2 * i + 1) < LONGEST_PAIRS; i = child) {
		if (child + 1 < LONGEST_PAIRS &&
		    span_ns(&heap[child + 1]) < span_ns(&heap[child]))
			child++;
		if (span_ns(&heap[i]) <= span_ns(&heap[child]))
			return;
		swap_spans(&heap[i], &heap[child]);
	}
}

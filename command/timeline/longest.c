/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The longest pairs of all, which the page shows before it loads others: a
 * heap, the shortest of them on top.
 */
#include <stdlib.h>

#include "command/timeline/private.h"

static int64_t span_ns(const struct page_pair *pair)
{
	return pair->to - pair->from;
}

static void swap_spans(struct page_pair *a, struct page_pair *b)
{
	struct page_pair old = *a;

	*a = *b;
	*b = old;
}

static void sift_down(struct page_pair *heap, size_t n)
{
	for (size_t i = 0, child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n &&
		    span_ns(&heap[child + 1]) < span_ns(&heap[child]))
			child++;
		if (span_ns(&heap[i]) <= span_ns(&heap[child]))
			return;
		swap_spans(&heap[i], &heap[child]);
	}
}

void page_longest_add(struct timeline *t, const struct page_pair *pair)
{
	struct page_pair *heap = t->longest;
	size_t i = t->nlongest;

	if (!heap)
		heap = t->longest = calloc(LONGEST_PAIRS, sizeof(*heap));
	if (!heap) {
		t->no_memory = true;
	} else if (t->nlongest < LONGEST_PAIRS) {
		heap[t->nlongest++] = *pair;
		for (; i && span_ns(&heap[i]) < span_ns(&heap[(i - 1) / 2]);
		     i = (i - 1) / 2)
			swap_spans(&heap[i], &heap[(i - 1) / 2]);
	} else if (span_ns(pair) > span_ns(&heap[0])) {
		heap[0] = *pair;
		sift_down(heap, t->nlongest);
	}
}

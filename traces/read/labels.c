/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The names of an enumeration's values. Where no value has two, one is found by
 * halving: an enumeration of symbols has thousands, that of errno 266.
 */
#include "traces/read/classes.h"

#include <stdlib.h>
#include <string.h>

static bool is_below(const struct field_class *class, uint64_t a, uint64_t b)
{
	return class->is_signed ? (int64_t)a < (int64_t)b : a < b;
}

static bool in_order(const struct field_class *class,
		     const struct field_label *l)
{
	for (size_t i = 0; i < class->nlabels; i++)
		if (is_below(class, l[i].to, l[i].from) ||
		    (i && !is_below(class, l[i - 1].to, l[i].from)))
			return false;
	return true;
}

static int by_value(const void *left, const void *right)
{
	const struct field_label *a = left, *b = right;

	return a->from < b->from ? -1 : a->from > b->from;
}

static int by_signed_value(const void *left, const void *right)
{
	const struct field_label *a = left, *b = right;
	int64_t from = (int64_t)a->from, other = (int64_t)b->from;

	return from < other ? -1 : from > other;
}

void field_labels_order(struct field_class *class, struct field_label *labels)
{
	size_t bytes = class->nlabels * sizeof(*labels);
	struct field_label *sorted;

	class->ordered = in_order(class, labels);
	if (class->ordered)
		return;
	sorted = malloc(bytes);
	if (!sorted)
		return;
	memcpy(sorted, labels, bytes);
	qsort(sorted, class->nlabels, sizeof(*sorted),
	      class->is_signed ? by_signed_value : by_value);
	class->ordered = in_order(class, sorted);
	/* of several labels of a value, the first one comes first */
	if (class->ordered)
		memcpy(labels, sorted, bytes);
	free(sorted);
}

/* Returns the first label that does not end below a value, or the end. */
static const struct field_label *not_below(const struct field_class *class,
					   uint64_t value)
{
	size_t low = 0, high = class->nlabels;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (is_below(class, class->labels[middle].to, value))
			low = middle + 1;
		else
			high = middle;
	}
	return class->labels + low;
}

const struct field_label *field_label_next(const struct field_class *class,
					   const struct field_label *last,
					   uint64_t value)
{
	const struct field_label *l, *end;

	if (!class->nlabels || (class->ordered && last))
		return NULL;
	end = class->labels + class->nlabels;
	if (class->ordered) {
		l = not_below(class, value);
		return l < end && !is_below(class, value, l->from) ? l : NULL;
	}
	for (l = last ? last + 1 : class->labels; l < end; l++)
		if (!is_below(class, value, l->from) &&
		    !is_below(class, l->to, value))
			return l;
	return NULL;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The names of an enumeration's values. Where no value has two, one is found by
 * halving: an enumeration of symbols has thousands, that of errno 266.
 *
 * Invariant: labels of a class with `ordered` set rise, and do not overlap.
 * Otherwise they stay as they are written, as the first label of a value
 * counts, but those of one name stand together, behind the first one: a value
 * has a name once, as in babeltrace2.
 */
#include "traces/read/classes.h"

#include <stdlib.h>
#include <string.h>

/* Compares two values as the class has them, signed or not. */
static bool is_below(const struct field_class *class, uint64_t a, uint64_t b)
{
	return class->is_signed ? (int64_t)a < (int64_t)b : a < b;
}

/* Returns whether labels stand in the order of their values, and no value has
 * two. */
static bool in_order(const struct field_class *class,
		     const struct field_label *l)
{
	for (size_t i = 0; i < class->nlabels; i++)
		if (is_below(class, l[i].to, l[i].from) ||
		    (i && !is_below(class, l[i - 1].to, l[i].from)))
			return false;
	return true;
}

/* Orders labels by the values that they begin with. Callback of qsort_r(). */
static int label_compare(const void *a, const void *b, void *class)
{
	uint64_t left = ((const struct field_label *)a)->from;
	uint64_t right = ((const struct field_label *)b)->from;

	return is_below(class, left, right) ? -1 : is_below(class, right, left);
}

/* A label, and where it and the first one of its name are written. */
struct written {
	struct field_label label;
	size_t at;
	size_t first;
};

/* Orders labels by their names, those of one name as they are written. Callback
 * of qsort(). */
static int name_compare(const void *a, const void *b)
{
	const struct written *left = a, *right = b;
	int order = strcmp(left->label.name, right->label.name);

	return order ? order : left->at < right->at ? -1 : 1;
}

/* Orders labels as they are written, those of one name behind the first one.
 * Callback of qsort(). */
static int first_compare(const void *a, const void *b)
{
	const struct written *left = a, *right = b;

	if (left->first != right->first)
		return left->first < right->first ? -1 : 1;
	return left->at < right->at ? -1 : 1;
}

/* Brings labels of one name together, and gives them one pointer to it. Without
 * memory, they stay. */
static void group_names(size_t n, struct field_label *labels)
{
	struct written *all = calloc(n, sizeof(*all));

	if (!all)
		return;
	for (size_t i = 0; i < n; i++)
		all[i] = (struct written){ labels[i], i, i };
	qsort(all, n, sizeof(*all), name_compare);
	for (size_t i = 1; i < n; i++) {
		if (strcmp(all[i].label.name, all[i - 1].label.name))
			continue;
		all[i].label.name = all[i - 1].label.name;
		all[i].first = all[i - 1].first;
	}
	qsort(all, n, sizeof(*all), first_compare);
	for (size_t i = 0; i < n; i++)
		labels[i] = all[i].label;
	free(all);
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
	qsort_r(sorted, class->nlabels, sizeof(*sorted), label_compare, class);
	class->ordered = in_order(class, sorted);
	/* of several labels of a value, the first one comes first */
	if (class->ordered)
		memcpy(labels, sorted, bytes);
	else
		group_names(class->nlabels, labels);
	free(sorted);
}

const struct field_label *field_label_next(const struct field_class *class,
					   const struct field_label *last,
					   uint64_t value)
{
	const struct field_label *l, *end;
	size_t low = 0, high = class->nlabels;

	if (!class->nlabels || (class->ordered && last))
		return NULL;
	end = class->labels + class->nlabels;
	/* the first label that does not end below the value */
	while (class->ordered && low < high) {
		size_t middle = (low + high) / 2;

		if (is_below(class, class->labels[middle].to, value))
			low = middle + 1;
		else
			high = middle;
	}
	if (class->ordered) {
		l = class->labels + low;
		return l < end && !is_below(class, value, l->from) ? l : NULL;
	}
	for (l = last ? last + 1 : class->labels; l < end; l++)
		if (!is_below(class, value, l->from) &&
		    !is_below(class, l->to, value) &&
		    !(last && l->name == last->name))
			return l;
	return NULL;
}

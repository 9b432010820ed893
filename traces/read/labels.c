/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The names of an enumeration's values. Of those that stand in order, as the
 * thousands that an enumeration of symbols has, one is found by halving.
 */
#include "traces/read/classes.h"

static bool is_below(const struct field_class *class, uint64_t a, uint64_t b)
{
	return class->is_signed ? (int64_t)a < (int64_t)b : a < b;
}

void field_labels_order(struct field_class *class)
{
	const struct field_label *l = class->labels;
	bool ordered = true;

	for (size_t i = 0; i < class->nlabels && ordered; i++)
		ordered = !is_below(class, l[i].to, l[i].from) &&
			  (!i || is_below(class, l[i - 1].to, l[i].from));
	class->ordered = ordered;
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

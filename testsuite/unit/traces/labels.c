/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The labels of an enumeration's values, against a look at each of them.
 */
#include "testsuite/unit/unit.h"

#include <stdint.h>
#include <string.h>

#include "traces/read/classes.h"

#define ROUNDS	20000u
#define LABELS	12u

/* A number near 0, near the least or greatest ones, or any. */
static uint64_t number(void)
{
	static const uint64_t near[] = { 0, INT64_MAX, (uint64_t)INT64_MIN,
					 UINT64_MAX };
	uint64_t bits = unit_random();

	return bits % 8 ? near[bits >> 8 & 3] + (bits >> 16 & 31) - 16 : bits;
}

/* The labels in the order in which they were declared. */
static struct field_label declared[LABELS];

static bool has(const struct field_class *class, size_t i, uint64_t value)
{
	const struct field_label *l = &declared[i];

	if (class->is_signed)
		return (int64_t)value >= (int64_t)l->from &&
		       (int64_t)value <= (int64_t)l->to;
	return value >= l->from && value <= l->to;
}

/* Returns whether all names of a value come, each once, in the order in which
 * they were declared, and then none. */
static bool all_come(const struct field_class *class, uint64_t value)
{
	const struct field_label *label = NULL;
	char names[LABELS + 1] = "";

	for (size_t i = 0; i < class->nlabels; i++) {
		const char *name = declared[i].name;
		bool any = false;

		/* all labels of a name stand where the first one does */
		if (strchr(names, *name))
			continue;
		strcat(names, name);
		for (size_t k = i; k < class->nlabels; k++)
			any |= *declared[k].name == *name &&
			       has(class, k, value);
		if (!any)
			continue;
		label = field_label_next(class, label, value);
		if (!label || strcmp(label->name, name))
			return false;
	}
	return !field_label_next(class, label, value);
}

/* Makes labels of ranges or single values; some have the same name. */
static void fill(struct field_class *class, struct field_label *labels)
{
	static char names[LABELS][2];
	bool ranges = unit_random() & 1;
	uint64_t different = unit_random() & 1 ? LABELS : 4;

	class->is_signed = unit_random() & 1;
	class->labels = labels;
	class->nlabels = unit_random() % (LABELS + 1);
	for (size_t i = 0; i < class->nlabels; i++) {
		size_t which = different == LABELS ? i :
			       (size_t)(unit_random() % different);

		names[i][0] = (char)('a' + which);
		labels[i].name = names[i];
		labels[i].from = number();
		labels[i].to = labels[i].from +
			       (ranges ? unit_random() % 4 : 0);
	}
	memcpy(declared, labels, sizeof(declared));
	field_labels_order(class, labels);
}

int main(void)
{
	unsigned int right = 0, ordered = 0, values = 0;

	for (unsigned int i = 0; i < ROUNDS; i++) {
		struct field_label labels[LABELS] = { 0 };
		struct field_class class = { .kind = FIELD_ENUM };

		fill(&class, labels);
		ordered += class.ordered && class.nlabels > 1;
		for (size_t k = 0; k < class.nlabels; k++) {
			right += all_come(&class, declared[k].from);
			right += all_come(&class, declared[k].to + 1);
			values += 2;
		}
		right += all_come(&class, number());
		values++;
	}
	unit_equal(right, values, "labels of a value");
	unit_check(ordered > ROUNDS / 10 && ordered < ROUNDS / 2,
		   "some are in order, and others not");
	return unit_end();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers for each value of --by: durations of a kind of pairs, or the numbers
 * of a field.
 *
 * A value has a cell for each kind and field that it has numbers of. There are
 * few of them, so a value's list is searched from its start.
 *
 * Invariant: the caller counts a number that gets no cell, so no number is
 * left out in silence.
 */
#include <math.h>
#include <stdlib.h>

#include "command/report/private.h"

/* Returns a value's cell of a kind or field, or NULL. */
static struct cell *cell_find(const struct value *value, const void *of)
{
	struct cell *cell = value->cells;

	while (cell && cell->of != of)
		cell = cell->next;
	return cell;
}

bool cell_add(struct report *r, struct value *value, const void *of,
	      long double number)
{
	struct cell *cell = value ? cell_find(value, of) : NULL;

	if (value && !cell && r->ncells < CELLS_MAX) {
		cell = calloc(1, sizeof(*cell));
		if (!cell) {
			r->failed = true;
			return false;
		}
		cell->of = of;
		cell->next = value->cells;
		value->cells = cell;
		r->ncells++;
	}
	if (cell && histogram_add(&cell->numbers, number))
		r->failed = true;
	return cell;
}

long double sort_key(struct histogram *h, enum histogram_figure figure)
{
	long double key = histogram_figure(h, figure);

	/* infinities of both signs have no sum */
	return !h->count || isnan(key) ? -INFINITY : key;
}

/* Sorts rows, the greatest key first, and equal ones in the order of values:
 * the value with the most events first. */
static int compare_rows(const void *a, const void *b)
{
	const struct cell_row *left = a, *right = b;

	if (left->key != right->key)
		return left->key > right->key ? -1 : 1;
	return left->value < right->value ? -1 : 1;
}

size_t cells_sorted(const struct report *r, const void *of,
		    struct cell_row **rows)
{
	size_t n = 0;

	*rows = calloc(r->groups.n + 1, sizeof(**rows));
	for (uint32_t i = 0; *rows && i < r->groups.n; i++) {
		const struct value *value = &r->groups.list[i];
		struct cell *cell = cell_find(value, of);

		if (cell)
			(*rows)[n++] = (struct cell_row){
				value, cell, sort_key(&cell->numbers, r->sort),
			};
	}
	if (n)
		qsort(*rows, n, sizeof(**rows), compare_rows);
	return n;
}

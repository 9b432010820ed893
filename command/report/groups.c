/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The values of --by as text: their events, and a table for each field and each
 * kind of pairs, with a row for each value.
 *
 * Invariant: a table fits a terminal of 80 columns. Numbers that have no room
 * are rounded to three digits, and names stand below.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/common/counted.h"
#include "command/common/printable.h"
#include "command/common/wrapped.h"
#include "command/report/private.h"

#define NAME_BYTES	128
#define COUNT_COLUMNS	9
#define CELL_COLUMNS	7		/* at least */

/* The columns behind the count. */
static const enum histogram_figure columns[] = {
	HISTOGRAM_SUM, HISTOGRAM_MIN, HISTOGRAM_MEAN, HISTOGRAM_P50,
	HISTOGRAM_P90, HISTOGRAM_P99, HISTOGRAM_MAX,
};

#define NCOLUMNS	(sizeof(columns) / sizeof(columns[0]))

/* A table that is printed: rows of which `shown` are, and how. */
struct by_table {
	struct cell_row *rows;
	size_t n;
	size_t shown;
	struct number_form form;
	int width[NCOLUMNS];
};

/* Sets the widths of the columns to those of the numbers. Returns the width of
 * a row without its name. */
static int measure_table(struct by_table *t)
{
	char cell[CELL_BYTES];
	int sum = COUNT_COLUMNS;

	for (size_t i = 0; i < NCOLUMNS; i++) {
		int *width = &t->width[i];

		*width = CELL_COLUMNS;
		for (size_t k = 0; k < t->shown; k++) {
			report_figure(cell, &t->rows[k].cell->numbers,
				      columns[i], &t->form);
			if (*width < (int)strlen(cell))
				*width = (int)strlen(cell);
		}
		sum += 1 + *width;
	}
	return sum;
}

/* Prints the rows of a table below its heading, and counts numbers without a
 * row; then, with --histogram, prints a histogram for each row. */
static void print_table(const struct report *r, struct by_table *t,
			uint64_t cellless)
{
	const struct number_form exact = t->form;
	char text[NAME_BYTES];
	int n;

	t->shown = rows_shown(r, t->n);
	n = measure_table(t);
	if (n > wrapped_columns() && exact.number != counted_duration) {
		t->form.number = report_rounded;
		n = measure_table(t);
	}
	printf("%*s", COUNT_COLUMNS, "count");
	for (size_t i = 0; i < NCOLUMNS; i++)
		printf(" %*s", t->width[i], histogram_word(columns[i]));
	wrapped_name(n, r->by);
	for (size_t k = 0; k < t->shown; k++) {
		struct histogram *h = &t->rows[k].cell->numbers;

		printf("%*llu", COUNT_COLUMNS, (unsigned long long)h->count);
		for (size_t i = 0; i < NCOLUMNS; i++) {
			report_figure(text, h, columns[i], &t->form);
			printf(" %*s", t->width[i], text);
		}
		value_text(t->rows[k].value, text, sizeof(text));
		wrapped_name(n, text);
	}
	report_more(r, t->n, "value");
	if (cellless)
		printf("%*llu  of values without a row: the first %d have one, "
		       "%d rows in all\n", COUNT_COLUMNS,
		       (unsigned long long)cellless, GROUPS_MAX, CELLS_MAX);
	for (size_t k = 0; r->histogram && k < t->shown; k++) {
		value_text(t->rows[k].value, text, sizeof(text));
		printf("  ");
		printable_print("%s = %s\n", r->by, text);
		report_rows(&t->rows[k].cell->numbers, exact.number, exact.one);
	}
}

/* Prints a table for each field of --field that is a number, of events that
 * have both fields. A field without a table has the reason in its place. */
static void print_fields(const struct report *r)
{
	for (unsigned int i = 0; i < r->nfields; i++) {
		const char *name = r->fields[i];
		bool number = false, told = false;
		struct by_table t;

		for (const struct field_use *use = r->uses; use;
		     use = use->next) {
			if (strcmp(use->name, name))
				continue;
			number |= use->number;
			t.n = cells_sorted(r, use, &t.rows);
			t.form = field_form(use);
			if (t.n) {
				told = true;
				putchar('\n');
				printable_print("Field %s of %s, by %s\n",
						name, use->event ?:
						"all events", r->by);
				print_table(r, &t, use->cellless);
			}
			free(t.rows);
		}
		if (told)
			continue;
		putchar('\n');
		printable_print(number ? "No event has both %s and %s\n" :
					 "Not by %s, as it is no number: %s\n",
				r->by, name);
	}
}

void report_groups(struct report *r)
{
	char name[NAME_BYTES];
	size_t n, shown = rows_shown(r, r->groups.n);
	struct kind_row *kinds;

	if (!r->by)
		return;
	putchar('\n');
	printable_print("Events by %s\n", r->by);
	report_columns("value");
	for (size_t i = 0; i < shown; i++) {
		const struct value *v = &r->groups.list[i];

		value_text(v, name, sizeof(name));
		report_row(r, v->events, v->bytes, name);
	}
	if (!r->groups.n)
		printable_print("  no event has %s\n", r->by);
	report_more(r, r->groups.n, "value");
	if (r->groups.other_events)
		printf("%12llu  %5.1f%%  of values that came behind the first "
		       "%d\n", (unsigned long long)r->groups.other_events,
		       share_of(r->groups.other_events, r->events), GROUPS_MAX);
	print_fields(r);
	n = kinds_sorted(r, &kinds);
	for (size_t i = 0; i < rows_shown(r, n); i++) {
		const struct pair_kind *kind = kinds[i].kind;
		struct by_table t = { .form = { counted_duration, 1 } };

		t.n = cells_sorted(r, kind, &t.rows);
		if (t.n) {
			putchar('\n');
			printable_print("%s, by %s\n", kind->name, r->by);
			print_table(r, &t, durations_of(r, kind)->cellless);
		}
		free(t.rows);
	}
	free(kinds);
}

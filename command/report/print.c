/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The report as text: totals, processes, events, and then the other sections.
 *
 * A section begins with an empty line and a heading. Without any event there
 * are only the totals; with --locks or --functions, the totals and that table.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/common/counted.h"
#include "command/common/printable.h"
#include "command/common/wrapped.h"
#include "command/report/private.h"

/*
 * The values of --by as text: their events, and a table for each field and each
 * kind of pairs, with a row for each value.
 *
 * Invariant: a table fits a terminal of 80 columns. Numbers that have no room
 * are rounded to three digits, and names stand below.
 */

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

/* Prints a sentence of look_notes() below the table of processes, which lacks
 * the events that the sentence is about. */
static void print_note(const char *note, void *priv)
{
	printf("  ");
	wrapped_text(2, 4, note);
}

void report_print(struct report *r)
{
	char first[64], last[64], pid[24], lost[24], line[256];
	uint64_t span = report_span(r);
	size_t n, processes, hosts = 0;
	const struct report_trace **list = report_processes(r, &n);
	int width;

	for (size_t i = 0; i < n && list; i++)
		hosts += list[i]->trace->shared;
	/* an empty trace is that of a process, whoever had the buffers */
	processes = n == hosts && r->ntraces ? 1 : n - hosts;
	printf("%s (%llu bytes) of %s, %llu lost\n",
	       counted(r->events, "event"), (unsigned long long)r->bytes,
	       counted(processes, "process"),
	       (unsigned long long)r->look.losses);
	if (!r->events)
		goto out;
	report_time(r, r->first, first);
	report_time(r, r->last, last);
	width = snprintf(line, sizeof(line), "%s to %s, %llu.%09llu s",
			   first, last,
			   (unsigned long long)(span / 1000000000),
			   (unsigned long long)(span % 1000000000));
	if (span)
		snprintf(line + width, sizeof(line) - (size_t)width,
			 ", %.1f events a second", report_rate(r, r->events));
	wrapped_text(0, 2, line);
	if (r->locks_only || r->functions_only) {
		if (r->functions_only)
			report_functions(r);
		if (r->locks_only)
			report_locks(r);
		goto out;
	}
	if (list)
		printf("\nProcesses\n"
		       "      events       %%         bytes        lost      "
		       "pid  process\n");
	for (size_t i = 0; list && i < rows_shown(r, n); i++) {
		const struct report_trace *p = list[i];
		const struct trace_class *trace = p->trace;

		strcpy(pid, "-");
		if (trace->vpid >= 0)
			snprintf(pid, sizeof(pid), "%lld",
				 (long long)trace->vpid);
		/* those that share a trace lose events together */
		strcpy(lost, "-");
		if (!trace->carrier || !report_losses(r, trace)->lost)
			snprintf(lost, sizeof(lost), "%llu",
				 (unsigned long long)p->lost);
		width = printf("%12llu  %5.1f%%  %12llu  %10s  %7s",
				 (unsigned long long)p->events,
				 share_of(p->events, r->events),
				 (unsigned long long)p->bytes, lost, pid);
		wrapped_name(width, *trace->procname ? trace->procname :
							 trace->path);
	}
	report_more(r, n, "process");
	if (list)
		look_notes(&r->look, r->pairs, rows_shown(r, n), print_note,
			   NULL);
	printf("\nEvents\n");
	report_columns("event");
	for (size_t i = 0; i < rows_shown(r, r->nnames); i++)
		report_row(r, r->names[i].events, r->names[i].bytes,
			   r->names[i].name);
	report_more(r, r->nnames, "event");
	report_groups(r);
	report_pairs(r);
	report_fields(r);
	report_locks(r);
out:
	free(list);
}

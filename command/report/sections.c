/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pairs, values of --by, fields and locks as text.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/common/counted.h"
#include "command/common/printable.h"
#include "command/common/shell.h"
#include "command/report/private.h"
#include "base/base.h"
#include "taffrail/site.h"
#include "traces/text/number.h"

#define NAME_BYTES	128
#define PATHS_SHOWN	4

typedef void print_number(char *text, size_t room, long double value);

static const double quantiles[] = { 0.5, 0.9, 0.99, 0.999 };

static const char *const columns[] = {
	"sum", "min", "p50", "p90", "p99", "p99.9", "max",
};

#define NCOLUMNS	(sizeof(columns) / sizeof(columns[0]))
#define CELL_COLUMNS	9		/* of one column's width, at least */
#define CELL_BYTES	48

/* Writes the columns of some numbers. */
static void fill_cells(char (*cells)[CELL_BYTES], struct histogram *h,
		       print_number *number)
{
	size_t n = 0;

	number(cells[n++], CELL_BYTES, h->sum);
	if (number == report_whole)
		*number_wide(cells[0], h->whole) = '\0';
	number(cells[n++], CELL_BYTES, h->min);
	for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++)
		number(cells[n++], CELL_BYTES,
		       histogram_quantile(h, quantiles[i]));
	number(cells[n++], CELL_BYTES, h->max);
	for (size_t i = 0; !h->count && i < n; i++)
		strcpy(cells[i], "-");
}

static void print_numbers(struct histogram *h, const char *name,
			  print_number *number)
{
	char cells[NCOLUMNS][CELL_BYTES];

	fill_cells(cells, h, number);
	printf("%10llu", (unsigned long long)h->count);
	for (size_t i = 0; i < NCOLUMNS; i++)
		printf(" %*s", CELL_COLUMNS, cells[i]);
	printable_print("  %s\n", name);
}

static void print_columns(const char *name)
{
	printf("     count");
	for (size_t i = 0; i < NCOLUMNS; i++)
		printf(" %*s", CELL_COLUMNS, columns[i]);
	printf("  %s\n", name);
}

/* Prints a table of one row, as wide as the numbers in it. */
static void print_field(struct histogram *h, const char *name,
			print_number *number)
{
	char cells[NCOLUMNS][CELL_BYTES];
	int width[NCOLUMNS];

	fill_cells(cells, h, number);
	printf("     count");
	for (size_t i = 0; i < NCOLUMNS; i++) {
		width[i] = (int)strlen(cells[i]);
		if (width[i] < CELL_COLUMNS)
			width[i] = CELL_COLUMNS;
		printf(" %*s", width[i], columns[i]);
	}
	printf("  field\n%10llu", (unsigned long long)h->count);
	for (size_t i = 0; i < NCOLUMNS; i++)
		printf(" %*s", width[i], cells[i]);
	printable_print("  %s\n", name);
}

static const char *lanes_name(const struct durations *d)
{
	static const char *const words[] = {
		[PAIR_OF_THREAD] = "by thread",
		[PAIR_OF_CPU] = "by CPU, as they have no thread",
		[PAIR_OF_KEYS] = "by key",
	};

	return d->mixed ? "by thread where there is one, else by CPU" :
			  words[d->lane_kind];
}

/* Prints the facts about a kind beside its durations. */
static void print_kind(struct report *r, const struct pair_kind *kind)
{
	struct durations *d = durations_of(r, kind);

	putchar('\n');
	printable_print("%s: %s to %s", kind->name,
			kind->begin ? kind->begin : "?",
			kind->end ? kind->end : "?");
	if (d && d->ns.count)
		printf(", %s", lanes_name(d));
	putchar('\n');
	if (kind->unfinished)
		printf("  %llu unfinished\n",
		       (unsigned long long)kind->unfinished);
	if (kind->given_up)
		printf("  %llu given up: more than %u pairs were open at a "
		       "time; an end of one counts as without a begin\n",
		       (unsigned long long)kind->given_up, PAIRS_OPEN_MAX);
	if (kind->begins_out || kind->ends_out)
		printf("  %s and %s left out: events before them or between "
		       "them are not there\n",
		       counted(kind->begins_out, "begin"),
		       counted(kind->ends_out, "end"));
	if (kind->unbegun)
		printf("  %s without a begin\n",
		       counted(kind->unbegun, "end"));
	if (kind->keyless)
		printf("  %s without the key\n",
		       counted(kind->keyless, "event"));
	if (kind->threadless)
		printf("  %s without a thread\n",
		       counted(kind->threadless, "event"));
	if (d && d->across)
		printf("  %s across lost events: begin and end may be of "
		       "others\n", counted(d->across, "pair"));
	if (d && d->backwards)
		printf("  %s where the end is before the begin: the trace is "
		       "damaged\n", counted(d->backwards, "pair"));
	if (d && d->ns.count)
		report_rows(&d->ns, report_duration);
}

/* Writes a row for each pair: length, begin, end, lane. */
static void print_list(const struct report *r, const struct longest *l)
{
	char begin[64], end[64], length[32], lane[48];

	printf("    length  %-18s  %-18s  %-18s  pair\n", "begin", "end",
	       "process, thread");
	for (uint32_t i = 0; i < l->n; i++) {
		const struct long_pair *p = &l->list[i];

		report_duration(length, sizeof(length),
			      (long double)(p->end - p->begin));
		report_time(r, p->begin, begin);
		report_time(r, p->end, end);
		if (p->fate == PAIR_OPEN)
			strcpy(end, "-");
		if (p->vtid >= 0)
			snprintf(lane, sizeof(lane), "%lld, %lld",
				 (long long)p->trace->vpid,
				 (long long)p->vtid);
		else
			snprintf(lane, sizeof(lane), "%lld, CPU %u",
				 (long long)p->trace->vpid, p->cpu);
		printable_print("%10s  %-18s  %-18s  %-18s  %s%s%s%s\n", length,
				begin, end, lane, p->kind->name,
				*p->keys ? " " : "", p->keys,
				p->across ? " (across lost events)" : "");
	}
}

/* Prints the arguments with which view shows the same events: to be typed as
 * they are, or with DIR for a path that is long or cannot be typed. */
static void print_sources(const struct report *r)
{
	bool typed = r->npaths <= PATHS_SHOWN;
	char word[PATH_MAX];

	for (int i = 0; i < r->npaths; i++)
		typed = typed && shell_word(word, sizeof(word), r->paths[i]);
	for (int i = 0; i < r->npaths && typed; i++)
		if (shell_word(word, sizeof(word), r->paths[i]))
			printf(" %s", word);
	if (!typed)
		fputs(" DIR", stdout);
	if (r->look.session)
		printf(" -s %s", r->look.session);
	if (r->look.pid)
		printf(" -p %d", (int)r->look.pid);
	puts("");
}

static void print_long(struct report *r)
{
	char begin[64], end[64];

	longest_sort(&r->slowest);
	longest_sort(&r->open);
	if (r->slowest.n) {
		report_heading("Slowest pairs");
		print_list(r, &r->slowest);
		report_view_time(r, r->slowest.list[0].begin, begin);
		report_view_time(r, r->slowest.list[0].end, end);
		printf("  the first of them: taffrail view --begin %s --end %s"
		       "%s", begin, end, r->look.utc ? " --utc" : "");
		print_sources(r);
	}
	if (r->open.n) {
		report_heading("Unfinished pairs, the longest");
		print_list(r, &r->open);
	}
}

static bool pairs_of_cpu(const struct report *r)
{
	for (size_t i = 0; i < r->ndurations; i++)
		if (r->durations[i].ns.count &&
		    (r->durations[i].mixed ||
		     r->durations[i].lane_kind == PAIR_OF_CPU))
			return true;
	return false;
}

/* Says which numbers of the table come from events that have no thread. */
static void print_threadless(const struct report *r)
{
	uint64_t n = pairs_threadless(r->pairs);

	if (n)
		printf("  Not paired: %s without a thread. Record with "
		       "--context vtid (the default);\n  --pair-by cpu "
		       "pairs by CPU, --pair BEGIN,END,KEY by the value of "
		       "a field\n", counted(n, "event"));
	else if (r->look.by_cpu && pairs_of_cpu(r))
		printf("  Paired by CPU: the events have no thread, so begin "
		       "and end may be of two threads\n");
}

void report_pairs(struct report *r)
{
	struct kind_row *rows;
	size_t n = kinds_sorted(r, &rows);
	size_t shown = rows_shown(r, n);

	if (n) {
		report_heading("Durations of pairs");
		print_threadless(r);
		print_columns("pair");
		for (size_t i = 0; i < shown; i++)
			print_numbers(&durations_of(r, rows[i].kind)->ns,
				      rows[i].kind->name, report_duration);
		report_more(r, n, "kind");
		for (size_t i = 0; i < shown; i++)
			print_kind(r, rows[i].kind);
	} else if (!r->look.where) {
		printf("\nNo pairs: no events are named as X_begin and X_end "
		       "are; --pair BEGIN,END measures\nfrom one event to "
		       "another\n");
	}
	free(rows);
	print_long(r);
}

static void print_cells(struct report *r, const struct pair_kind *kind)
{
	char name[NAME_BYTES];
	size_t found = 0;

	for (uint32_t i = 0; i < r->groups.n; i++)
		for (struct cell *c = r->groups.list[i].cells; c; c = c->next) {
			if (c->kind != kind)
				continue;
			if (!found++) {
				putchar('\n');
				printable_print("%s, by %s\n", kind->name,
						r->by);
				print_columns(r->by);
			}
			if (found > rows_shown(r, r->groups.n))
				return;
			value_text(&r->groups.list[i], name, sizeof(name));
			print_numbers(&c->ns, name, report_duration);
		}
}

void report_groups(struct report *r)
{
	struct kind_row *rows;
	char name[NAME_BYTES];
	size_t n;

	if (!r->by)
		return;
	putchar('\n');
	printable_print("Events by %s\n", r->by);
	printf("      events       %%    a second         bytes       %%  "
	       "value\n");
	for (size_t i = 0; i < rows_shown(r, r->groups.n); i++) {
		const struct value *v = &r->groups.list[i];

		value_text(v, name, sizeof(name));
		printable_print("%12llu  %5.1f%%  %10.1f  %12llu  %5.1f%%  "
				"%s\n", (unsigned long long)v->events,
				share_of(v->events, r->events),
				report_rate(r, v->events),
				(unsigned long long)v->bytes,
				share_of(v->bytes, r->bytes), name);
	}
	report_more(r, r->groups.n, "value");
	if (r->groups.other_events)
		printf("%12llu  %5.1f%%  of values that came behind the first "
		       "%d\n", (unsigned long long)r->groups.other_events,
		       share_of(r->groups.other_events, r->events), GROUPS_MAX);
	n = kinds_sorted(r, &rows);
	for (size_t i = 0; i < rows_shown(r, n); i++)
		print_cells(r, rows[i].kind);
	free(rows);
}

static void print_values(const struct report *r, const struct values *v)
{
	uint64_t sum = v->other_events;
	char name[NAME_BYTES];

	for (uint32_t i = 0; i < v->n; i++)
		sum += v->list[i].events;
	printf("      events       %%  value\n");
	for (size_t i = 0; i < rows_shown(r, v->n); i++) {
		value_text(&v->list[i], name, sizeof(name));
		printable_print("%12llu  %5.1f%%  %s\n",
				(unsigned long long)v->list[i].events,
				share_of(v->list[i].events, sum), name);
	}
	report_more(r, v->n, "value");
	if (v->other_events)
		printf("%12llu  %5.1f%%  of rarer values; a count may be up to "
		       "%llu too low\n", (unsigned long long)v->other_events,
		       share_of(v->other_events, sum),
		       (unsigned long long)v->missed);
}

static void number_us(char *text, size_t room, long double value)
{
	report_duration(text, room, value * 1e3L);
}

static void number_ms(char *text, size_t room, long double value)
{
	report_duration(text, room, value * 1e6L);
}

static void number_s(char *text, size_t room, long double value)
{
	report_duration(text, room, value * 1e9L);
}

/* Returns how the numbers of a field are printed. */
static print_number *number_as(const struct field_use *use)
{
	switch (use->unit) {
	case TAFFRAIL_HOW_DURATION_NS:
		return report_duration;
	case TAFFRAIL_HOW_DURATION_US:
		return number_us;
	case TAFFRAIL_HOW_DURATION_MS:
		return number_ms;
	case TAFFRAIL_HOW_DURATION_S:
		return number_s;
	default:
		return histogram_whole(&use->numbers) ? report_whole :
							report_number;
	}
}

void report_fields(struct report *r)
{
	print_number *number;

	for (struct field_use *use = r->uses; use; use = use->next) {
		const char *event = use->event ? use->event : "all events";

		if (!use->numbers.count && !use->numbers.nans &&
		    !use->values.n)
			continue;
		putchar('\n');
		printable_print("Field %s of %s\n", use->name, event);
		if (!use->number) {
			print_values(r, &use->values);
			continue;
		}
		number = number_as(use);
		print_field(&use->numbers, use->name, number);
		if (use->numbers.nans)
			printf("%10llu of NaN\n",
			       (unsigned long long)use->numbers.nans);
		report_rows(&use->numbers, number);
	}
}

static void print_lock(const struct lock *lock)
{
	char wait[32], most[32], hold[32], longest[32];

	report_duration(wait, sizeof(wait), (long double)lock->wait_ns);
	report_duration(most, sizeof(most), (long double)lock->wait_max);
	report_duration(hold, sizeof(hold), (long double)lock->hold_ns);
	report_duration(longest, sizeof(longest), (long double)lock->hold_max);
	printf("%10llu %9llu %9llu %9s %9s %9s %9s  %s 0x%llX of process "
	       "%lld\n", (unsigned long long)lock->taken,
	       (unsigned long long)lock->waited,
	       (unsigned long long)lock->failed, wait, most, hold, longest,
	       lock->kind, (unsigned long long)lock->address,
	       (long long)lock->trace->vpid);
	for (uint32_t i = 0; i < min_u64(HOLDERS_MAX, lock->nholders); i++) {
		report_duration(wait, sizeof(wait),
			      (long double)lock->holders[i].ns);
		printf("           others waited %s (%.1f%%) while thread %u "
		       "held it\n", wait,
		       share_of(lock->holders[i].ns, lock->blamed_ns),
		       lock->holders[i].vtid);
	}
}

void report_locks(struct report *r)
{
	struct lock *const *list;
	size_t n = locks_sorted(r, &list);

	if (n || r->locks_out) {
		report_heading("Locks, by wait time");
		printf("     taken   blocked    failed      wait  the most"
		       "      hold  the most  lock\n");
	}
	for (size_t i = 0; i < rows_shown(r, n); i++)
		print_lock(list[i]);
	report_more(r, n, "lock");
	if (locks_left_out(r))
		printf("  %s of more locks than %d\n",
		       counted(locks_left_out(r), "event"), LOCKS_MAX);
	if (r->locks_out)
		printf("  %s left out: events before them are not there\n",
		       counted(r->locks_out, "event"));
	if (r->lockless)
		printf("\nLocks are told by thread: record with --context "
		       "vtid\n");
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pairs, fields and locks as text.
 *
 * The table of durations has a row for each kind, in columns of one width; that
 * of a field is as wide as the field's numbers.
 *
 * Invariant: names of events, fields and values are bytes that a traced program
 * chose, and are printed by printable_print() alone.
 */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/common/counted.h"
#include "command/common/printable.h"
#include "command/common/shell.h"
#include "command/common/wrapped.h"
#include "command/report/private.h"
#include "base/base.h"

#define NAME_BYTES	128

/* More paths than these are "DIR" in the command that is to be typed. */
#define PATHS_SHOWN	4

/* The columns of a table of durations or numbers, behind the count. */
static const enum histogram_figure columns[] = {
	HISTOGRAM_SUM, HISTOGRAM_MIN, HISTOGRAM_P50, HISTOGRAM_P90,
	HISTOGRAM_P99, HISTOGRAM_P999, HISTOGRAM_MAX,
};

#define NCOLUMNS	(sizeof(columns) / sizeof(columns[0]))
#define COUNT_COLUMNS	9
#define CELL_COLUMNS	7		/* of one column's width, at least */
#define FACT_BYTES	256
#define LANE_COLUMNS	18

/* Prints a row of durations: the count, NCOLUMNS numbers and the name. */
static void print_numbers(struct histogram *h, const char *name)
{
	static const struct number_form form = { counted_duration, 1 };
	char cell[CELL_BYTES];
	int n;

	n = printf("%*llu", COUNT_COLUMNS, (unsigned long long)h->count);
	for (size_t i = 0; i < NCOLUMNS; i++) {
		report_figure(cell, h, columns[i], &form);
		n += printf(" %*s", CELL_COLUMNS, cell);
	}
	wrapped_name(n, name);
}

/* Prints a sentence below a heading. */
__attribute__((format(printf, 1, 2)))
static void print_fact(const char *format, ...)
{
	char text[FACT_BYTES];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	printf("  ");
	wrapped_text(2, 4, text);
}

/* Prints the facts that make numbers of pairs less sure. */
static void print_facts(const struct pair_kind *kind, uint64_t across,
			uint64_t backwards)
{
	if (kind->given_up)
		print_fact("%llu given up: more than %u pairs were open at a "
			   "time; an end of one counts as without a begin",
			   (unsigned long long)kind->given_up, PAIRS_OPEN_MAX);
	if (kind->begins_out || kind->ends_out)
		print_fact("%s and %s left out: events before them or between "
			   "them are not there",
			   counted(kind->begins_out, "begin"),
			   counted(kind->ends_out, "end"));
	if (kind->unbegun)
		print_fact("%s without a begin", counted(kind->unbegun, "end"));
	if (kind->keyless)
		print_fact("%s without the key",
			   counted(kind->keyless, "event"));
	if (kind->threadless)
		print_fact("%s without a thread",
			   counted(kind->threadless, "event"));
	if (across)
		print_fact("%s across lost events: begin and end may be of "
			   "others", counted(across, "pair"));
	if (backwards)
		print_fact("%s where the end is before the begin: the trace is "
			   "damaged", counted(backwards, "pair"));
}

/* Prints the facts about a kind beside its durations: what was left out, and
 * why, and the histogram. A fact that does not hold has no line. A kind without
 * a BEGIN or END that was met has "?" in the place of the name. */
static void print_kind(struct report *r, const struct pair_kind *kind)
{
	static const char *const lanes[] = {
		[PAIR_OF_THREAD] = ", by thread",
		[PAIR_OF_CPU] = ", by CPU, as they have no thread",
		[PAIR_OF_KEYS] = ", by key",
	};
	struct durations *d = durations_of(r, kind);
	const char *lane = "";
	char *line;

	if (d && d->ns.count)
		lane = d->mixed ? ", by thread where there is one, else by CPU" :
				  lanes[d->lane_kind];
	putchar('\n');
	if (asprintf(&line, "%s: %s to %s%s", kind->name, kind->begin ?: "?",
		     kind->end ?: "?", lane) < 0)
		line = NULL;
	wrapped_text(0, 2, line ?: kind->name);
	free(line);
	if (kind->unfinished)
		print_fact("%llu unfinished",
			   (unsigned long long)kind->unfinished);
	print_facts(kind, d ? d->across : 0, d ? d->backwards : 0);
	if (d && d->ns.count)
		report_rows(&d->ns, counted_duration, 1);
}


/* Prints a row for each pair: length, begin, end, lane, kind and keys. A pair
 * that is still open has no end. */
static void print_list(const struct report *r, const struct longest *l)
{
	char begin[64], end[64], length[32], lane[48], name[2 * NAME_BYTES];

	int n;

	printf("    length  %-18s  %-18s  %-18s  pair\n", "begin", "end",
	       "process, thread");
	for (uint32_t i = 0; i < l->n; i++) {
		const struct long_pair *p = &l->list[i];

		counted_duration(length, sizeof(length),
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
		/* with dates, the lane does not fit either */
		n = printf("%10s  %-18s  %-18s", length, begin, end);
		if (n + 2 + LANE_COLUMNS > wrapped_columns())
			n = printf("\n    %-*s", LANE_COLUMNS, lane) - 1;
		else
			n += printf("  %-*s", LANE_COLUMNS, lane);
		snprintf(name, sizeof(name), "%s%s%s%s", p->kind->name,
			 *p->keys ? " " : "", p->keys,
			 p->across ? " (across lost events)" : "");
		wrapped_name(n, name);
	}
}

/* Prints the longest pairs, and the arguments with which view shows the first:
 * to be typed as they are, or with DIR for a path that is long or cannot be
 * typed. Then prints the pairs that are unfinished, the longest of them. */
static void print_long(struct report *r)
{
	char begin[64], end[64], word[PATH_MAX];
	bool typed = r->npaths <= PATHS_SHOWN;

	longest_sort(&r->slowest);
	longest_sort(&r->open);
	if (r->slowest.n) {
		printf("\nSlowest pairs\n");
		print_list(r, &r->slowest);
	}
	/* the events of -e are not kept */
	if (r->slowest.n && !r->look.follow) {
		report_view_pair(r, &r->slowest.list[0], begin, end);
		printf("  the first of them:\n"
		       "    taffrail view --begin %s --end %s%s", begin, end,
		       r->look.utc ? " --utc" : "");
		/* each path is one word of the line for a shell */
		for (int i = 0; i < r->npaths; i++)
			typed = typed &&
				shell_word(word, sizeof(word), r->paths[i]);
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
	if (r->open.n) {
		printf("\nUnfinished pairs, the longest\n");
		print_list(r, &r->open);
	}
}

/* Tells whether calls have no durations as rules chose their halves apart. */
static bool any_termless(const struct report *r)
{
	struct pair_kind *const *kinds;
	size_t n = pairs_kinds(r->pairs, &kinds);

	while (n > 0)
		if (kinds[--n]->termless)
			return true;
	return false;
}

void report_pairs(struct report *r)
{
	struct kind_row *rows;
	size_t n = kinds_sorted(r, &rows);
	size_t shown = rows_shown(r, n);
	uint64_t threadless = pairs_threadless(r->pairs);
	bool of_cpu = false;

	/* threads share CPUs, so the numbers may be of pairs of two threads */
	for (size_t i = 0; i < r->ndurations; i++)
		of_cpu |= r->durations[i].ns.count &&
			  (r->durations[i].mixed ||
			   r->durations[i].lane_kind == PAIR_OF_CPU);
	if (n) {
		printf("\nDurations of pairs\n");
		if (threadless)
			print_fact("Not paired: %s without a thread. Record "
				   "without --context, or with vtid; "
				   "--pair-by cpu pairs by CPU, --pair "
				   "BEGIN,END,KEY by the value of a field",
				   counted(threadless, "event"));
		else if (r->look.by_cpu && of_cpu)
			print_fact("Paired by CPU: the events have no thread, "
				   "so begin and end may be of two threads");
		printf("%*s", COUNT_COLUMNS, "count");
		for (size_t i = 0; i < NCOLUMNS; i++)
			printf(" %*s", CELL_COLUMNS, histogram_word(columns[i]));
		puts("  pair");
		for (size_t i = 0; i < shown; i++)
			print_numbers(&durations_of(r, rows[i].kind)->ns,
				      rows[i].kind->name);
		report_more(r, n, "kind");
		for (size_t i = 0; i < shown; i++)
			print_kind(r, rows[i].kind);
	} else if (any_termless(r)) {
		printf("\nNo pairs: report --functions says why calls have no "
		       "durations\n");
	} else if (!r->look.where) {
		putchar('\n');
		wrapped_text(0, 0, "No pairs: no events are named as X_begin "
			     "and X_end are; --pair BEGIN,END measures from "
			     "one event to another");
	}
	free(rows);
	print_long(r);
}

/* Prints the row of a function: calls that returned, the time in them with and
 * without the calls in them, and calls that did not return. The time of a call
 * inside another one of the function counts once. The name is that of
 * the symbol. */
static void print_function(struct report *r, const struct pair_kind *kind)
{
	static const struct number_form form = { counted_duration, 1 };
	static const enum histogram_figure shown[] = {
		HISTOGRAM_P50, HISTOGRAM_P99, HISTOGRAM_MAX,
	};
	struct durations *d = durations_of(r, kind);
	char cell[CELL_BYTES];
	int n;

	counted_duration(cell, sizeof(cell), (long double)d->total);
	if (!d->ns.count)
		strcpy(cell, "-");
	n = printf("%*llu %*s", COUNT_COLUMNS, (unsigned long long)d->ns.count,
		   CELL_COLUMNS, cell);
	counted_duration(cell, sizeof(cell), (long double)d->self);
	n += printf(" %*s", CELL_COLUMNS, d->ns.count ? cell : "-");
	for (size_t i = 0; i < ARRAY_SIZE(shown); i++) {
		report_figure(cell, &d->ns, shown[i], &form);
		n += printf(" %*s", CELL_COLUMNS, cell);
	}
	n += printf(" %*llu", CELL_COLUMNS,
		    (unsigned long long)kind->unfinished);
	wrapped_name(n, kind->name + strlen("fn:"));
}

void report_functions(struct report *r)
{
	struct pair_kind *const *kinds, sum = { .frames = true };
	struct kind_row *rows;
	size_t all = kinds_sorted(r, &rows), n = 0;
	uint64_t entered = 0, calls = 0, across = 0, backwards = 0;
	char note[FACT_BYTES];

	for (size_t i = 0; i < all; i++)
		if (rows[i].kind->frames)
			rows[n++] = rows[i];
	if (n) {
		printf("\nFunctions\n%*s %*s %*s %*s %*s %*s %*s  function\n",
		       COUNT_COLUMNS, "returned", CELL_COLUMNS, "total",
		       CELL_COLUMNS, "self", CELL_COLUMNS, "p50", CELL_COLUMNS,
		       "p99", CELL_COLUMNS, "max", CELL_COLUMNS, "left");
		for (size_t i = 0; i < rows_shown(r, n); i++)
			print_function(r, rows[i].kind);
		report_more(r, n, "function");
	} else if (any_termless(r)) {
		puts("\nNo call of a function has a duration");
	} else {
		printf("\nNo call of a function returned: taffrail record -e "
		       "'fn:GLOB' records calls and returns\n");
	}
	free(rows);
	n = pairs_kinds(r->pairs, &kinds);
	for (size_t i = 0; i < n; i++) {
		const struct durations *d = durations_of(r, kinds[i]);

		if (!kinds[i]->frames || !d)
			continue;
		if (pair_termless_text(kinds[i], note, sizeof(note)))
			print_fact("%s", note);
		else if (!kinds[i]->end && kinds[i]->begin) {
			/* a trace describes functions without a call, too */
			entered += kinds[i]->unfinished || kinds[i]->termless;
			calls += kinds[i]->unfinished + kinds[i]->termless;
		}
		sum.given_up += kinds[i]->given_up;
		sum.begins_out += kinds[i]->begins_out;
		sum.ends_out += kinds[i]->ends_out;
		sum.unbegun += kinds[i]->unbegun;
		sum.threadless += kinds[i]->threadless;
		across += d->across;
		backwards += d->backwards;
	}
	if (entered)
		print_fact("%s not shown, with %s: no return of them is in the "
			   "trace (the rule, or their exits cannot be had), so "
			   "their callers have their time",
			   counted(entered, "function"),
			   counted(calls, "call"));
	print_facts(&sum, across, backwards);
}

/* Prints the values of a field that is no number, with their share of the
 * events that have the field. Values that did not fit are counted together, and
 * their number tells how wrong the counts may be. */
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

/* Prints a table of one row, as wide as the numbers in it; or, on a terminal
 * that is narrower, a line for each number. */
static void print_cells(struct histogram *h, const struct number_form *form,
			const char *name)
{
	char cells[NCOLUMNS][CELL_BYTES];
	int width[NCOLUMNS], n = COUNT_COLUMNS;

	for (size_t i = 0; i < NCOLUMNS; i++) {
		report_figure(cells[i], h, columns[i], form);
		width[i] = (int)strlen(cells[i]);
		if (width[i] < CELL_COLUMNS)
			width[i] = CELL_COLUMNS;
		n += 1 + width[i];
	}
	if (n > wrapped_columns()) {
		printf("%*s  %llu\n", COUNT_COLUMNS, "count",
		       (unsigned long long)h->count);
		for (size_t i = 0; i < NCOLUMNS; i++)
			printf("%*s  %s\n", COUNT_COLUMNS,
			       histogram_word(columns[i]), cells[i]);
		return;
	}
	printf("%*s", COUNT_COLUMNS, "count");
	for (size_t i = 0; i < NCOLUMNS; i++)
		printf(" %*s", width[i], histogram_word(columns[i]));
	wrapped_name(n, "field");
	printf("%*llu", COUNT_COLUMNS, (unsigned long long)h->count);
	for (size_t i = 0; i < NCOLUMNS; i++)
		printf(" %*s", width[i], cells[i]);
	wrapped_name(n, name);
}

void report_fields(struct report *r)
{
	for (struct field_use *use = r->uses; use; use = use->next) {
		struct number_form form;

		if (!use->numbers.count && !use->numbers.nans &&
		    !use->values.n)
			continue;
		putchar('\n');
		printable_print("Field %s of %s\n", use->name,
				use->event ? use->event : "all events");
		if (!use->number) {
			print_values(r, &use->values);
			continue;
		}
		form = field_form(use);
		print_cells(&use->numbers, &form, use->name);
		if (use->numbers.nans)
			printf("%10llu of NaN\n",
			       (unsigned long long)use->numbers.nans);
		report_rows(&use->numbers, form.number, form.one);
	}
}

/* Prints what a lock is: a variable, or where it was made or, if no call that
 * made it is in the trace, first wanted. Names are long, so they have lines of
 * their own. */
static void print_lock(const struct lock *lock)
{
	const struct lock_place self = { lock->address, lock->class };
	const struct lock_place *by = lock->init.class ? &lock->init :
							 &lock->first;
	const char *name = lock_place_name(&self);

	if (name)
		printable_print("%s %s", lock->kind, name);
	else
		printf("%s 0x%llX", lock->kind,
		       (unsigned long long)lock->address);
	printf(" of process %lld", (long long)lock->trace->vpid);
	if (!name && by->class) {
		fputs(by == &lock->init ? ",\n    initialised by " :
					  ",\n    first locked by ", stdout);
		name = lock_place_name(by);
		if (name)
			printable_print("%s", name);
		else
			printf("0x%llX", (unsigned long long)by->address);
		if (by == &lock->init && lock->several)
			fputs(" and other calls", stdout);
	}
	putchar('\n');
}

/* Prints the name of a call, if it is known, on a line alone. */
static void print_call(const char *does, const struct lock_place *place)
{
	const char *name = lock_place_name(place);

	if (name) {
		printf(",\n        %s by ", does);
		printable_print("%s", name);
	}
	putchar('\n');
}

/* Prints the threads that hold a lock at the process's last event, or those
 * that wait for it, at most HOLDERS_MAX of them. */
static void print_still(const struct report *r, const struct lock *lock,
			bool waits)
{
	int64_t last = r->traces[lock->trace->number].last;
	char time[64], text[32];
	uint64_t n = 0;

	for (const struct lock_thread *t = lock->threads; t; t = t->next) {
		int64_t since = waits ? t->waits_since : t->held_since;

		if (!(waits ? t->waits : t->depth > 0) || n++ >= HOLDERS_MAX)
			continue;
		report_time(r, since, time);
		counted_duration(text, sizeof(text),
				 (long double)last - (long double)since);
		printf("    thread %u still %s it at the last event, since %s "
		       "(%s)", t->vtid, waits ? "waits for" : "holds", time,
		       text);
		print_call(waits ? "called" : "taken",
			   waits ? &t->waits_by : &t->caller);
	}
	if (n > HOLDERS_MAX)
		printf("    and so %s\n", counted(n - HOLDERS_MAX,
						  "more thread"));
}

void report_locks(struct report *r)
{
	char wait[32], most[32], hold[32], longest[32];
	struct lock *const *list;
	size_t n = locks_sorted(r, &list);

	if (n || r->locks_out)
		printf("\nLocks, by wait time\n"
		       "     taken   blocked    failed      wait  the most"
		       "      hold  the most\n");
	for (size_t i = 0; i < rows_shown(r, n); i++) {
		const struct lock *lock = list[i];
		const struct lock_holder *holder = lock->holders;
		uint64_t holders = min_u64(HOLDERS_MAX, lock->nholders);

		counted_duration(wait, sizeof(wait), lock->wait_ns);
		counted_duration(most, sizeof(most), lock->wait_max);
		counted_duration(hold, sizeof(hold), lock->hold_ns);
		counted_duration(longest, sizeof(longest), lock->hold_max);
		print_lock(lock);
		printf("%10llu %9llu %9llu %9s %9s %9s %9s\n",
		       (unsigned long long)lock->taken,
		       (unsigned long long)lock->waited,
		       (unsigned long long)lock->failed, wait, most, hold,
		       longest);
		/* those for whom others waited most */
		for (; holders--; holder++) {
			counted_duration(wait, sizeof(wait), holder->ns);
			printf("    others waited %s (%.1f%%) while thread "
			       "%u held it", wait,
			       share_of(holder->ns, lock->blamed_ns),
			       holder->vtid);
			print_call("taken", &holder->caller);
		}
		print_still(r, lock, false);
		print_still(r, lock, true);
	}
	report_more(r, n, "lock");
	if (r->locks_more)
		printf("  %s of more locks than %d\n",
		       counted(r->locks_more, "event"), LOCKS_MAX);
	if (r->locks_out)
		printf("  %s left out: events before them are not there\n",
		       counted(r->locks_out, "event"));
	if (r->locks_only && !n && !r->locks_out && !r->lockless)
		printf("\nNo event is of a lock: taffrail record --provider "
		       "pthread adds those\n");
	if (r->lockless)
		printf("\nLocks are told by thread: record without "
		       "--context, or with vtid\n");
}

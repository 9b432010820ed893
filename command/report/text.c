/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers, times and histograms of the report as text.
 *
 * Invariant: what is printed of a time, as an argument of view, finds the same
 * events again.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "command/common/counted.h"
#include "command/common/wrapped.h"
#include "command/report/private.h"
#include "taffrail/site.h"
#include "traces/text/number.h"

#define BAR_COLUMNS	38		/* at most */
#define BAR_COLUMNS_MIN	8
#define ROW_REST	18		/* what else a row has */
#define ROW_COLUMNS	12		/* of a row's end, at least */
#define LIVE_SLACK_NS	1000		/* of a clock that is compared anew */
#define GAP_ROWS	8		/* empty rows that are printed */

void report_number(char *text, size_t room, long double value)
{
	bool whole = value > -1e15L && value < 1e15L &&
		     value == (long double)(int64_t)value;

	if (whole)
		snprintf(text, room, "%lld", (long long)value);
	else if (isnan(value))
		snprintf(text, room, "nan");
	else
		snprintf(text, room, "%.6Lg", value);
}

void report_rounded(char *text, size_t room, long double value)
{
	snprintf(text, room, "%.3Lg", value);
}

void report_whole(char *text, size_t room, long double value)
{
	snprintf(text, room, "%.0Lf", value);
}

struct number_form field_form(const struct field_use *use)
{
	/* a number of a field with such a unit is a duration */
	static const long double ns_of[] = {
		[TAFFRAIL_HOW_DURATION_NS] = 1,
		[TAFFRAIL_HOW_DURATION_US] = 1e3L,
		[TAFFRAIL_HOW_DURATION_MS] = 1e6L,
		[TAFFRAIL_HOW_DURATION_S] = 1e9L,
	};
	long double one = use->unit < sizeof(ns_of) / sizeof(*ns_of) ?
			  ns_of[use->unit] : 0;

	if (one > 0)
		return (struct number_form){ counted_duration, one };
	return (struct number_form){ histogram_whole(&use->numbers) ?
				     report_whole : report_number, 1 };
}

void report_figure(char *text, struct histogram *h, enum histogram_figure f,
		   const struct number_form *form)
{
	print_number *number = form->number;

	/* the mean of integers is none */
	if (f == HISTOGRAM_MEAN && number == report_whole)
		number = report_number;
	if (!h->count)
		strcpy(text, "-");
	else if (f == HISTOGRAM_SUM && number == report_whole)
		*number_wide(text, h->whole) = '\0';
	else
		number(text, CELL_BYTES, histogram_figure(h, f) * form->one);
}

/* How the ends of a histogram's rows are written, and the widths that all rows
 * share. */
struct rows {
	print_number *number;
	long double one;
	uint64_t most;			/* of a row's numbers */
	int width;			/* of a row's ends */
	int bar;			/* columns of the longest bar */
};

/* Prints a row: the ends, the count, and a bar of at most rows->bar. A count
 * that is not 0 has one column at least. */
static void put_row(const struct rows *rows, uint64_t count, long double begin,
		    long double end)
{
	char bar[BAR_COLUMNS + 1], from[32], to[32];
	int n = (int)((double)count * rows->bar / (double)rows->most + 0.5);

	rows->number(from, sizeof(from), begin * rows->one);
	rows->number(to, sizeof(to), end * rows->one);
	n = count && !n ? 1 : n;
	memset(bar, '@', (size_t)n);
	bar[n] = '\0';
	printf("%*s .. %-*s %10llu |%-*s|\n", rows->width, from, rows->width,
	       to, (unsigned long long)count, rows->bar, bar);
}

void report_rows(struct histogram *h, print_number *number, long double one)
{
	struct rows rows = { .number = number, .one = one,
			     .width = ROW_COLUMNS };
	long double from, to, before = 0;
	unsigned int at = 0;
	bool first = true;
	uint64_t count;

	while (histogram_row(h, &at, &from, &to, &count)) {
		char text[2][32];

		number(text[0], sizeof(text[0]), from * one);
		number(text[1], sizeof(text[1]), to * one);
		for (int i = 0; i < 2; i++)
			if (rows.width < (int)strlen(text[i]))
				rows.width = (int)strlen(text[i]);
		rows.most = count > rows.most ? count : rows.most;
	}
	rows.bar = WRAPPED_COLUMNS - ROW_REST - 2 * rows.width;
	rows.bar = rows.bar < BAR_COLUMNS_MIN ? BAR_COLUMNS_MIN : rows.bar;
	at = 0;
	for (; histogram_row(h, &at, &from, &to, &count); before = to) {
		unsigned int n = 0;

		/* rows without numbers between two that have some */
		for (long double end = before; !first && before >= 1 &&
		     end < from; end *= 2)
			n++;
		if (!first && (!n || n > GAP_ROWS) && before < from)
			printf("         ...\n");
		for (; n && n <= GAP_ROWS && before < from; before *= 2)
			put_row(&rows, 0, before, 2 * before);
		put_row(&rows, count, from, to);
		first = false;
	}
}

void report_columns(const char *name)
{
	printf("      events       %%    a second         bytes       %%  %s\n",
	       name);
}

void report_row(const struct report *r, uint64_t events, uint64_t bytes,
		const char *name)
{
	int n = printf("%12llu  %5.1f%%  %10.1f  %12llu  %5.1f%%",
		       (unsigned long long)events, share_of(events, r->events),
		       report_rate(r, events), (unsigned long long)bytes,
		       share_of(bytes, r->bytes));

	wrapped_name(n, name);
}

void report_more(const struct report *r, size_t n, const char *what)
{
	size_t shown = rows_shown(r, n);

	if (shown < n)
		printf("  ... and %s (--rows 0 prints all)\n",
		       counted(n - shown, what));
}

/* The difference of two times as doubles would be one of 256 ns. */
uint64_t report_span(const struct report *r)
{
	return r->events ? (uint64_t)r->last - (uint64_t)r->first : 0;
}

void report_time(const struct report *r, int64_t ns, char *p)
{
	/* a time of day is enough for view, unless it is not of one day */
	look_time_text(ns, r->look.utc,
		       report_span(r) > 20 * 3600 * 1000000000ull, p);
}

void report_view_time(const struct report *r, int64_t ns, char *p)
{
	const struct look *look = &r->look;
	/* view begins with the events that the report left out */
	bool part = look->begin || look->end || look->where;
	int64_t found, rest = ns % 1000000000;
	time_t second;
	char text[32] = "";
	struct tm tm;

	look_time_text(ns, look->utc, true, p);
	if (ns < 0) {
		/* seconds since 1970 would be taken as seconds before the last
		 * event */
		rest += rest < 0 ? 1000000000 : 0;
		second = (time_t)((ns - rest) / 1000000000);
		if (gmtime_r(&second, &tm))
			strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
		sprintf(p, "%s.%09lldZ", text, (long long)rest);
	} else if (look_time(&found, p, look->utc, INT64_MIN, INT64_MAX) ||
		   found != ns) {
		/* clocks were set back, so it is the time of another hour */
		sprintf(p, "%lld.%09lld", (long long)(ns / 1000000000),
			(long long)rest);
	} else if (!part) {
		report_time(r, ns, p);
	}
}

/* The clock of buffers is compared with the time of day at each look, so a
 * later look may find an event some nanoseconds earlier or later. */
void report_view_pair(const struct report *r, const struct long_pair *pair,
		      char *begin, char *end)
{
	int64_t slack = r->look.session || r->look.pid ? LIVE_SLACK_NS : 0;

	report_view_time(r, pair->begin - slack, begin);
	report_view_time(r, pair->end + slack, end);
}

double report_rate(const struct report *r, uint64_t events)
{
	uint64_t ns = report_span(r);

	return ns ? (double)events * 1e9 / (double)ns : 0;
}

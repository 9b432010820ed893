/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers, times and histograms of the report as text.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command/common/counted.h"
#include "command/report/private.h"
#include "traces/text/event-text.h"

#define BAR_COLUMNS	40
#define ROW_COLUMNS	12		/* of a row's end, at least */
#define GAP_ROWS	8		/* empty rows that are printed */

void report_duration(char *text, size_t room, long double ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	long double size = ns < 0 ? -ns : ns;
	unsigned int unit = 0;
	int digits;

	/* a number that rounds to 1000 is 1 of the next unit */
	for (; unit < 3 && size >= (unit ? 999.5L : 1000); unit++) {
		size /= 1000;
		ns /= 1000;
	}
	digits = !unit ? 0 : size < 9.995L ? 2 : size < 99.95L ? 1 : 0;
	snprintf(text, room, "%.*Lf %s", digits, ns, units[unit]);
}

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

void report_whole(char *text, size_t room, long double value)
{
	snprintf(text, room, "%.0Lf", value);
}

/* The widths that all rows of a histogram share. */
struct rows {
	void (*number)(char *text, size_t room, long double value);
	uint64_t most;			/* of a row's numbers */
	int width;			/* of a row's ends */
};

static void put_row(const struct rows *rows, uint64_t count, long double begin,
		    long double end)
{
	char bar[BAR_COLUMNS + 1], from[32], to[32];
	int n = (int)((double)count * BAR_COLUMNS / (double)rows->most + 0.5);

	rows->number(from, sizeof(from), begin);
	rows->number(to, sizeof(to), end);
	n = count && !n ? 1 : n;
	memset(bar, '@', (size_t)n);
	bar[n] = '\0';
	printf("%*s .. %-*s %10llu |%-*s|\n", rows->width, from, rows->width,
	       to, (unsigned long long)count, BAR_COLUMNS, bar);
}

/* Prints rows without numbers between two that have some. */
static void put_gap(const struct rows *rows, long double from, long double to)
{
	unsigned int n = 0;

	for (long double at = from; from >= 1 && at < to; at *= 2)
		n++;
	if (!n || n > GAP_ROWS) {
		if (from < to)
			printf("         ...\n");
		return;
	}
	for (; from < to; from *= 2)
		put_row(rows, 0, from, 2 * from);
}

/* Finds how wide the ends of rows are, and the longest row. */
static void measure_rows(struct rows *rows, struct histogram *h)
{
	long double from, to;
	char left[32], right[32];
	unsigned int at = 0;
	uint64_t count;

	while (histogram_row(h, &at, &from, &to, &count)) {
		size_t n, m;

		rows->number(left, sizeof(left), from);
		rows->number(right, sizeof(right), to);
		n = strlen(left);
		m = strlen(right);
		n = n > m ? n : m;
		rows->width = rows->width > (int)n ? rows->width : (int)n;
		rows->most = count > rows->most ? count : rows->most;
	}
}

void report_rows(struct histogram *h,
	       void (*number)(char *text, size_t room, long double value))
{
	struct rows rows = { .number = number, .width = ROW_COLUMNS };
	long double from, to, before = 0;
	unsigned int at = 0;
	bool first = true;
	uint64_t count;

	measure_rows(&rows, h);
	while (histogram_row(h, &at, &from, &to, &count)) {
		if (!first)
			put_gap(&rows, before, from);
		first = false;
		before = to;
		put_row(&rows, count, from, to);
	}
}

void report_heading(const char *text)
{
	printf("\n%s\n", text);
}

void report_more(const struct report *r, size_t n, const char *what)
{
	size_t shown = rows_shown(r, n);

	if (shown < n)
		printf("  ... and %s (--rows 0 prints all)\n",
		       counted(n - shown, what));
}

static void put_time(int64_t ns, bool utc, bool dates, char *p)
{
	struct event_text text = { .utc = utc, .dates = dates };
	char *blank;

	event_text_open(&text);
	event_text_time(&text, ns, p);
	blank = strchr(p, ' ');
	if (blank)
		*blank = 'T';
}

/* The difference of two times as doubles would be one of 256 ns. */
uint64_t report_span(const struct report *r)
{
	return r->events ? (uint64_t)r->last - (uint64_t)r->first : 0;
}

void report_time(const struct report *r, int64_t ns, char *p)
{
	/* a time of day is enough for view, unless it is not of one day */
	put_time(ns, r->look.utc,
		 report_span(r) > 20 * 3600 * 1000000000ull, p);
}

/* Writes a time before 1970, for which seconds since then would be taken as
 * seconds before the last event. */
static void put_date(int64_t ns, char *p)
{
	int64_t part = ns % 1000000000 + (ns % 1000000000 < 0 ? 1000000000 : 0);
	time_t second = (time_t)((ns - part) / 1000000000);
	char text[32] = "";
	struct tm tm;

	if (gmtime_r(&second, &tm))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	sprintf(p, "%s.%09lldZ", text, (long long)part);
}

void report_view_time(const struct report *r, int64_t ns, char *p)
{
	const struct look *look = &r->look;
	/* view begins with the events that the report left out */
	bool part = look->begin || look->end || look->where;
	int64_t found;

	put_time(ns, look->utc, true, p);
	if (ns < 0)
		put_date(ns, p);
	else if (look_time(&found, p, look->utc, INT64_MIN, INT64_MAX) ||
		 found != ns)
		/* clocks were set back, so it is the time of another hour */
		sprintf(p, "%lld.%09lld", (long long)(ns / 1000000000),
			(long long)(ns % 1000000000));
	else if (!part)
		report_time(r, ns, p);
}

double report_rate(const struct report *r, uint64_t events)
{
	uint64_t ns = report_span(r);

	return ns ? (double)events * 1e9 / (double)ns : 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Times of --begin and --end.
 *
 *	+TIME		from the first event: seconds, or with a unit, as
 *			duration_parse() takes them
 *	-TIME		from the last event
 *	HH:MM[:SS]	of the day of the first event; or of the day after, if
 *			the trace goes beyond midnight and that is nearer to it
 *	YYYY-MM-DD[ HH:MM[:SS]][Z]
 *	SEC.NS		since 1970, as babeltrace2 takes it; with a unit, too
 *
 * Each may have a fraction of nine digits. A time beyond 64 bits becomes the
 * first or the last time of 64 bits.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "command/common/duration.h"
#include "command/reading/look.h"
#include "traces/text/event-text.h"

#define NS_PER_S	1000000000ll

/* Returns a time, or the first or the last time of 64 bits. */
static int64_t time_clip(__int128 ns)
{
	if (ns > INT64_MAX)
		return INT64_MAX;
	return ns < INT64_MIN ? INT64_MIN : (int64_t)ns;
}

/* Takes a number of at most so many digits, from 0 to `max`. Returns false
 * without a digit, or above. */
static bool take_number(const char **at, int digits, int max, int *value)
{
	int n = 0;

	for (*value = 0; n < digits && isdigit((unsigned char)**at); n++)
		*value = *value * 10 + *(*at)++ - '0';
	return n && *value <= max;
}

/* Takes HH:MM[:SS[.NS]]. The nanoseconds are added to *ns. */
static bool take_clock(const char **at, struct tm *tm, int64_t *ns)
{
	if (!take_number(at, 2, 23, &tm->tm_hour) || *(*at)++ != ':' ||
	    !take_number(at, 2, 59, &tm->tm_min))
		return false;
	if (**at == ':') {
		(*at)++;
		if (!take_number(at, 2, 60, &tm->tm_sec) ||
		    duration_fraction(at, NS_PER_S, ns))
			return false;
	}
	return true;
}

/* A time zone, and the times of the first and the last event, which a time
 * without a date is near to. */
struct span {
	bool utc;
	int64_t first;
	int64_t last;
};

/* Returns how many nanoseconds a time is before the first event or behind the
 * last; 0 in between. */
static __int128 time_distance(int64_t ns, const struct span *span)
{
	if (ns < span->first)
		return (__int128)span->first - ns;
	return ns > span->last ? (__int128)ns - span->last : 0;
}

/* Returns the time, which is of two hours when clocks are set back: the one
 * that is nearer to the trace, or the first of two that are in it. */
static int64_t time_of_clock(const struct tm *tm, const struct span *span,
			     int64_t fraction)
{
	struct tm any = *tm;
	int64_t found;

	any.tm_isdst = -1;
	found = time_clip((__int128)(span->utc ? timegm(&any) : mktime(&any)) *
				  NS_PER_S + fraction);
	for (int isdst = 1; isdst >= 0 && !span->utc; isdst--) {
		struct tm one = *tm;
		int64_t ns;

		one.tm_isdst = isdst;
		ns = time_clip((__int128)mktime(&one) * NS_PER_S + fraction);
		if (one.tm_isdst != isdst || one.tm_hour != any.tm_hour ||
		    one.tm_min != any.tm_min)
			continue;
		if (time_distance(ns, span) < time_distance(found, span) ||
		    (ns < found &&
		     time_distance(ns, span) == time_distance(found, span)))
			found = ns;
	}
	return found;
}

/* Takes a time of day, on the day of the first event or the next. Returns 0 or
 * -EINVAL. */
static int time_of_day(int64_t *ns, const char *at, const struct span *span)
{
	int64_t first = span->first, last = span->last;
	time_t second = (time_t)(first / NS_PER_S - (first % NS_PER_S < 0));
	struct tm tm, day, midnight;
	int64_t fraction = 0, next;

	if (!(span->utc ? gmtime_r(&second, &tm) : localtime_r(&second, &tm)))
		return -EINVAL;
	tm.tm_sec = 0;
	if (!take_clock(&at, &tm, &fraction) || *at)
		return -EINVAL;
	day = tm;
	day.tm_mday++;
	midnight = day;
	midnight.tm_hour = midnight.tm_min = midnight.tm_sec = 0;
	*ns = time_of_clock(&tm, span, fraction);
	next = time_of_clock(&day, span, fraction);
	/* the one that is in the trace, or nearer to it */
	if (*ns < first && time_of_clock(&midnight, span, 0) <= last &&
	    next - last < first - *ns)
		*ns = next;
	return 0;
}

/* Takes a date, and the time of day behind it; without one it is midnight.
 * Returns 0 or -EINVAL. */
static int time_of_date(int64_t *ns, const char *at, const struct span *span)
{
	struct span zone = *span;
	struct tm tm = { 0 }, same;
	int64_t fraction = 0;

	if (strspn(at, "0123456789") != 4 ||
	    !take_number(&at, 4, 9999, &tm.tm_year) || *at++ != '-' ||
	    !take_number(&at, 2, 12, &tm.tm_mon) || *at++ != '-' ||
	    !take_number(&at, 2, 31, &tm.tm_mday))
		return -EINVAL;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	/* no 30th of February */
	same = tm;
	timegm(&same);
	if (same.tm_mon != tm.tm_mon || same.tm_mday != tm.tm_mday)
		return -EINVAL;
	if (*at == ' ' || *at == 'T') {
		at++;
		if (!take_clock(&at, &tm, &fraction))
			return -EINVAL;
	}
	/* as export writes it */
	if (*at == 'Z') {
		zone.utc = true;
		at++;
	}
	if (*at)
		return -EINVAL;
	*ns = time_of_clock(&tm, &zone, fraction);
	return 0;
}

int look_time(int64_t *ns, const char *text, bool utc, int64_t first,
	      int64_t last)
{
	const struct span span = { utc, first, last };
	size_t digits = strspn(text, "0123456789");
	int64_t offset = 0;

	if (*text == '+' || *text == '-') {
		if (duration_parse(&offset, text + 1))
			return -EINVAL;
		*ns = time_clip(*text == '+' ? (__int128)first + offset :
					     (__int128)last - offset);
		return 0;
	}
	if (text[digits] == ':')
		return time_of_day(ns, text, &span);
	if (text[digits] == '-')
		return time_of_date(ns, text, &span);
	return duration_parse(ns, text);
}

void look_time_text(int64_t ns, bool utc, bool dates, char *p)
{
	struct event_text text = { .utc = utc, .dates = dates };
	char *blank;

	event_text_open(&text);
	event_text_time(&text, ns, p);
	blank = strchr(p, ' ');
	if (blank)
		*blank = 'T';
}

bool look_time_valid(const char *text)
{
	int64_t ns;

	return !look_time(&ns, text, true, 0, 0);
}

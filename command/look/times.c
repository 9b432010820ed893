/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Times of --begin and --end.
 *
 *	+SEC		from the first event
 *	-SEC		from the last event
 *	HH:MM[:SS]	of the day of the first event; of the day after if that
 *			is before the first event and within the trace
 *	YYYY-MM-DD[ HH:MM[:SS]]
 *	SEC.NS		since 1970, as babeltrace2 takes it
 *
 * Each may have a fraction of nine digits.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "command/look/look.h"

#define NS_PER_S	1000000000ll
#define DAY_S		86400

/* Takes ".123" as nanoseconds. */
static bool take_fraction(const char **at, int64_t *ns)
{
	int64_t unit = NS_PER_S;

	if (**at != '.')
		return true;
	if (!isdigit((unsigned char)*++*at))
		return false;
	for (; isdigit((unsigned char)**at); (*at)++) {
		unit /= 10;
		*ns += (**at - '0') * unit;
	}
	return true;
}

static bool take_seconds(const char **at, int64_t *ns)
{
	unsigned long long seconds;
	char *end;

	if (!isdigit((unsigned char)**at))
		return false;
	errno = 0;
	seconds = strtoull(*at, &end, 10);
	if (errno || seconds > 9000000000ull)
		return false;
	*at = end;
	*ns += (int64_t)seconds * NS_PER_S;
	return take_fraction(at, ns) && (!strcmp(*at, "") || !strcmp(*at, "s"));
}

static bool take_number(const char **at, int digits, int max, int *value)
{
	int n = 0;

	for (*value = 0; n < digits && isdigit((unsigned char)**at); n++)
		*value = *value * 10 + *(*at)++ - '0';
	return n && *value <= max;
}

static bool take_clock(const char **at, struct tm *tm, int64_t *ns)
{
	if (!take_number(at, 2, 23, &tm->tm_hour) || *(*at)++ != ':' ||
	    !take_number(at, 2, 59, &tm->tm_min))
		return false;
	if (**at == ':') {
		(*at)++;
		if (!take_number(at, 2, 60, &tm->tm_sec) ||
		    !take_fraction(at, ns))
			return false;
	}
	return !**at;
}

static bool take_date(const char **at, struct tm *tm)
{
	if (!take_number(at, 4, 9999, &tm->tm_year) || *(*at)++ != '-' ||
	    !take_number(at, 2, 12, &tm->tm_mon) || *(*at)++ != '-' ||
	    !take_number(at, 2, 31, &tm->tm_mday))
		return false;
	tm->tm_year -= 1900;
	tm->tm_mon--;
	tm->tm_hour = tm->tm_min = tm->tm_sec = 0;
	return tm->tm_mon >= 0 && tm->tm_mday > 0;
}

static int64_t time_of(struct tm *tm, bool utc)
{
	tm->tm_isdst = -1;
	return (int64_t)(utc ? timegm(tm) : mktime(tm));
}

/* Takes a time of day, on the day of the first event or the next. */
static int time_of_day(int64_t *ns, const char *at, bool utc, int64_t first,
		       int64_t last)
{
	time_t second = (time_t)(first / NS_PER_S);
	int64_t fraction = 0, next;
	struct tm tm;

	if (!(utc ? gmtime_r(&second, &tm) : localtime_r(&second, &tm)))
		return -EINVAL;
	tm.tm_sec = 0;
	if (!take_clock(&at, &tm, &fraction))
		return -EINVAL;
	*ns = time_of(&tm, utc) * NS_PER_S + fraction;
	next = *ns + DAY_S * NS_PER_S;
	if (*ns < first && next <= last)
		*ns = next;
	return 0;
}

static int date(int64_t *ns, const char *at, bool utc)
{
	struct tm tm = { 0 };
	int64_t fraction = 0;

	if (!take_date(&at, &tm))
		return -EINVAL;
	if (*at == ' ' || *at == 'T') {
		at++;
		if (!take_clock(&at, &tm, &fraction))
			return -EINVAL;
	}
	if (*at)
		return -EINVAL;
	*ns = time_of(&tm, utc) * NS_PER_S + fraction;
	return 0;
}

int look_time(int64_t *ns, const char *text, bool utc, int64_t first,
	      int64_t last)
{
	size_t digits = strspn(text, "0123456789");
	int64_t offset = 0;
	const char *at = text;

	if (*text == '+' || *text == '-') {
		at++;
		if (!take_seconds(&at, &offset))
			return -EINVAL;
		*ns = *text == '+' ? first + offset : last - offset;
		return 0;
	}
	if (text[digits] == ':')
		return time_of_day(ns, text, utc, first, last);
	if (text[digits] == '-')
		return date(ns, text, utc);
	*ns = 0;
	return take_seconds(&at, ns) ? 0 : -EINVAL;
}

bool look_time_valid(const char *text)
{
	int64_t ns;

	return !look_time(&ns, text, true, 0, 0);
}

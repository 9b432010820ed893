/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Durations and times for people: every digit that is recorded, and none that
 * is not.
 */
#include <stdio.h>
#include <time.h>

#include "taffrail/site.h"
#include "tracepoints/fields/shown.h"
#include "traces/text/private.h"

#define THOUSANDS_MAX	3		/* steps from ns to s */

/* Writes `digits` digits behind a point, without zeros at the end. */
static void put_fraction(struct out *out, uint64_t value, int digits)
{
	char text[24];

	if (!value)
		return;
	for (; value % 10 == 0; value /= 10)
		digits--;
	snprintf(text, sizeof(text), ".%0*llu", digits,
		 (unsigned long long)value);
	out_text(out, text);
}

/* Writes a duration in the largest unit of which there is one. */
static void put_duration(struct out *out, uint64_t value, uint8_t how)
{
	uint64_t unit = 1;
	char text[24];
	int digits = 0;

	while ((how & 3) < THOUSANDS_MAX && value / unit >= 1000) {
		unit *= 1000;
		digits += 3;
		how++;
	}
	snprintf(text, sizeof(text), "%llu",
		 (unsigned long long)(value / unit));
	out_text(out, text);
	put_fraction(out, value % unit, digits);
	out_char(out, ' ');
	out_text(out, unit_word(how));
}

/* Returns false for a year that has no form. */
static bool put_time(struct out *out, int64_t value, uint8_t how)
{
	int digits = 3 * (THOUSANDS_MAX - (how & 3));
	int64_t second = 1, part;
	char text[40];
	struct tm tm;
	time_t t;

	for (int i = 0; i < digits; i++)
		second *= 10;
	part = value % second;
	part += part < 0 ? second : 0;
	t = (time_t)((value - part) / second);
	if (value < INT64_MIN + second || !gmtime_r(&t, &tm) ||
	    tm.tm_year > 9999 - 1900 || tm.tm_year < -1900 ||
	    !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm))
		return false;
	out_text(out, text);
	put_fraction(out, (uint64_t)part, digits);
	out_char(out, 'Z');
	return true;
}

bool unit_text_put(struct out *out, const struct field_class *class,
		   uint64_t value)
{
	bool negative = class->is_signed && (int64_t)value < 0;

	if (!class->unit)
		return false;
	if (class->unit >= TAFFRAIL_HOW_TIME_NS &&
	    (class->is_signed || value <= INT64_MAX) &&
	    put_time(out, (int64_t)value, class->unit))
		return true;
	if (negative)
		out_char(out, '-');
	put_duration(out, negative ? 0 - value : value, class->unit);
	return true;
}

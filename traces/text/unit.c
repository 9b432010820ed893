/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Durations and times for people: every digit that is recorded, and none that
 * is not.
 *
 * Invariant: the low two bits of a unit say how often it is divided by 1,000
 * from ns on; of durations and times they are the same.
 */
#include <time.h>

#include "taffrail/site.h"
#include "tracepoints/fields/shown.h"
#include "traces/text/number.h"
#include "traces/text/private.h"

#define THOUSANDS_MAX	3		/* steps from ns to s */

/* Writes at most nine digits behind a point, without zeros at the end; nothing
 * for 0. */
static void put_fraction(struct out *out, uint64_t value, int digits)
{
	if (!value)
		return;
	for (; value % 10 == 0; value /= 10)
		digits--;
	out_char(out, '.');
	out_room(out, NUMBER_U64_BYTES);
	out->p = number_digits(out->p, (uint32_t)value, digits);
}

/* Writes a time as ISO 8601 in UTC, with a Z. Returns false for a year that has
 * no form; then nothing was written. */
static bool put_time(struct out *out, int64_t value, uint8_t how)
{
	int digits = 3 * (THOUSANDS_MAX - (how & 3));
	static const char before[] = "--T::";
	int64_t second = 1, part;
	struct tm tm;
	const int *const parts[] = { &tm.tm_mon, &tm.tm_mday, &tm.tm_hour,
				     &tm.tm_min, &tm.tm_sec };
	time_t t;

	for (int i = 0; i < digits; i++)
		second *= 10;
	part = value % second;
	t = (time_t)(value / second - (part < 0));
	part += part < 0 ? second : 0;
	if (!gmtime_r(&t, &tm) || tm.tm_year > 9999 - 1900 ||
	    tm.tm_year < -1900)
		return false;
	tm.tm_mon++;
	out_room(out, 32);
	out->p = number_digits(out->p, (uint32_t)(tm.tm_year + 1900), 4);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		*out->p++ = before[i];
		out->p = number_digits(out->p, (uint32_t)*parts[i], 2);
	}
	put_fraction(out, (uint64_t)part, digits);
	out_char(out, 'Z');
	return true;
}

bool unit_text_put(struct out *out, const struct field_class *class,
		   uint64_t value)
{
	bool negative = class->is_signed && (int64_t)value < 0;
	uint8_t how = class->unit;
	bool is_time = how >= TAFFRAIL_HOW_TIME_NS;
	uint64_t unit = 1;
	int digits = 0;

	if (!how)
		return false;
	if (is_time && (class->is_signed || value <= INT64_MAX) &&
	    put_time(out, (int64_t)value, how))
		return true;
	if (negative)
		out_char(out, '-');
	value = negative ? 0 - value : value;
	/* a duration, also since 1970, in the largest unit of which there is
	 * one */
	while ((how & 3) < THOUSANDS_MAX && value / unit >= 1000) {
		unit *= 1000;
		digits += 3;
		how++;
	}
	out_room(out, NUMBER_U64_BYTES);
	out->p = number_u64(out->p, value / unit);
	put_fraction(out, value % unit, digits);
	out_char(out, ' ');
	out_text(out, unit_word(how));
	if (is_time)
		out_text(out, " since 1970");
	return true;
}

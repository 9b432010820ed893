/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Times of --begin and --end (command/reading/times.c), in zones that are set
 * here, so the machine's own has no part in it.
 */
#include "testsuite/unit/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "command/reading/look.h"

#define S		1000000000ll
#define MINUTE		(60 * S)
#define HOUR		(60 * MINUTE)
#define DAY		(24 * HOUR)
/* 2026-11-26 00:00:00 UTC */
#define MIDNIGHT	(1795651200 * S)
/* clocks of central Europe are set back at 2026-10-25 01:00:00 UTC */
#define BACK		(1792890000 * S)

static void use_zone(const char *zone)
{
	setenv("TZ", zone, 1);
	tzset();
}

struct row {
	const char *text;
	int64_t first, last;
	int64_t ns;
};

static void check_row(const struct row *row, bool utc, const char *zone)
{
	int64_t ns = -1;

	unit_equal(look_time(&ns, row->text, utc, row->first, row->last), 0,
		   "%s '%s' of %lld to %lld", zone, row->text,
		   (long long)row->first, (long long)row->last);
	unit_equal(ns, row->ns, "%s '%s' of %lld to %lld: time", zone,
		   row->text, (long long)row->first, (long long)row->last);
}

static void check_offsets(void)
{
	static const struct row rows[] = {
		{ "+0", 5, 9, 5 },
		{ "+1", 5, 9, 5 + S },
		{ "+1s", 5, 9, 5 + S },
		{ "+1.5", 5, 9, 5 + 3 * S / 2 },
		{ "+.5", 5, 9, 5 + S / 2 },
		{ "+1ms", 5, 9, 1000005 },
		{ "+731us", 5, 9, 731005 },
		{ "+1m", 5, 9, 5 + MINUTE },
		{ "+1.5min", 5, 9, 5 + 90 * S },
		{ "+.5h", 5, 9, 5 + 30 * MINUTE },
		{ "-2m", 5, 3 * MINUTE, MINUTE },
		{ "+12ns", 5, 9, 17 },
		{ "+1.5ms", 5, 9, 1500005 },
		{ "+0.000000001", 5, 9, 6 },
		/* the tenth digit is left out */
		{ "+0.0000000019", 5, 9, 6 },
		{ "+0.9ns", 5, 9, 5 },
		{ "-0", 5, 9, 9 },
		{ "-1", 5, 9, 9 - S },
		{ "-2us", 5, 9, 9 - 2000 },
		{ "-.25s", 5, 9, 9 - S / 4 },
		/* what 64 bits cannot tell */
		{ "+1", INT64_MAX - 1, INT64_MAX, INT64_MAX },
		{ "-1", INT64_MIN, INT64_MIN + 1, INT64_MIN },
		{ "+9000000000", INT64_MAX, INT64_MAX, INT64_MAX },
		{ "-9000000000", INT64_MIN, INT64_MIN, INT64_MIN },
		/* since 1970 */
		{ "0", 5, 9, 0 },
		{ "1795651200", 5, 9, MIDNIGHT },
		{ "1795651200.000000001", 5, 9, MIDNIGHT + 1 },
		{ "1795651200123456789ns", 5, 9, MIDNIGHT + 123456789 },
		{ "1795651200000ms", 5, 9, MIDNIGHT },
		{ "1795651200000000us", 5, 9, MIDNIGHT },
		{ "9000000000", 5, 9, 9000000000 * S },
		{ "9000000000.999999999", 5, 9, 9000000000 * S + 999999999 },
	};

	use_zone("UTC0");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_row(&rows[i], true, "offset");
}

static void check_dates(void)
{
	static const struct row rows[] = {
		{ "1970-01-01", 0, 0, 0 },
		{ "1970-01-01 00:00:01", 0, 0, S },
		{ "1969-12-31T23:59:59.5", 0, 0, -S / 2 },
		{ "2026-11-26", 0, 0, MIDNIGHT },
		{ "2026-11-26 00:00", 0, 0, MIDNIGHT },
		{ "2026-11-26T01:02:03", 0, 0, MIDNIGHT + 3723 * S },
		{ "2026-11-26T01:02:03.123456789Z", 0, 0,
		  MIDNIGHT + 3723 * S + 123456789 },
		{ "2026-11-26Z", 0, 0, MIDNIGHT },
		{ "2026-11-26 23:59:60", 0, 0, MIDNIGHT + DAY },
		{ "2024-02-29", 0, 0, 1709164800 * S },
		{ "2262-04-11 23:47:16.854775807", 0, 0, INT64_MAX },
		{ "2262-04-11 23:47:17", 0, 0, INT64_MAX },
		{ "9999-12-31", 0, 0, INT64_MAX },
		{ "1600-01-01", 0, 0, INT64_MIN },
		{ "0000-01-01", 0, 0, INT64_MIN },
	};

	use_zone("EST5");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_row(&rows[i], true, "date");
	check_row(&(struct row){ "2026-11-26", 0, 0, MIDNIGHT + 5 * HOUR },
		  false, "date EST");
	check_row(&(struct row){ "2026-11-26Z", 0, 0, MIDNIGHT }, false,
		  "date EST");
}

static void check_times_of_day(void)
{
	static const struct row utc[] = {
		{ "01:00", MIDNIGHT, MIDNIGHT + 2 * HOUR, MIDNIGHT + HOUR },
		{ "1:00", MIDNIGHT, MIDNIGHT + 2 * HOUR, MIDNIGHT + HOUR },
		{ "00:00:00.000000001", MIDNIGHT, MIDNIGHT + HOUR,
		  MIDNIGHT + 1 },
		/* the first event's own, in a trace of days */
		{ "00:00", MIDNIGHT, MIDNIGHT + 3 * DAY, MIDNIGHT },
		/* on the day of the first event, before it and behind */
		{ "01:00", MIDNIGHT + 2 * HOUR, MIDNIGHT + 3 * HOUR,
		  MIDNIGHT + HOUR },
		{ "23:00", MIDNIGHT, MIDNIGHT + HOUR, MIDNIGHT + 23 * HOUR },
		/* the trace goes beyond midnight */
		{ "00:30", MIDNIGHT + 23 * HOUR, MIDNIGHT + 25 * HOUR,
		  MIDNIGHT + DAY + HOUR / 2 },
		{ "02:00", MIDNIGHT + 23 * HOUR, MIDNIGHT + 25 * HOUR,
		  MIDNIGHT + 26 * HOUR },
		/* nearer to the first event than the day after to the last */
		{ "22:59", MIDNIGHT + 23 * HOUR, MIDNIGHT + 25 * HOUR,
		  MIDNIGHT + 23 * HOUR - MINUTE },
		{ "23:30", MIDNIGHT + 23 * HOUR, MIDNIGHT + 25 * HOUR,
		  MIDNIGHT + 23 * HOUR + HOUR / 2 },
		/* it ends just before midnight: the day after is not in it */
		{ "00:30", MIDNIGHT + 23 * HOUR, MIDNIGHT + DAY - 1,
		  MIDNIGHT + HOUR / 2 },
		{ "00:30", MIDNIGHT + 23 * HOUR, MIDNIGHT + DAY,
		  MIDNIGHT + DAY + HOUR / 2 },
		/* before 1970: the day is the one before */
		{ "23:00", -1, -1, -HOUR },
		{ "00:00", -1, -1, -DAY },
	};
	/* of the two hours from 2 to 3, and of the one that is skipped */
	static const struct row cet[] = {
		{ "02:30", BACK - HOUR, BACK + 2 * HOUR, BACK - HOUR / 2 },
		{ "02:30", BACK, BACK + 2 * HOUR, BACK + HOUR / 2 },
		{ "02:30", BACK - 2 * HOUR, BACK - HOUR / 4, BACK - HOUR / 2 },
		{ "01:30", BACK - HOUR, BACK + HOUR, BACK - 3 * HOUR / 2 },
		{ "03:30", BACK - HOUR, BACK + HOUR, BACK + 3 * HOUR / 2 },
		{ "2026-10-25 02:30", BACK, BACK + HOUR, BACK + HOUR / 2 },
		{ "2026-10-25 02:30Z", BACK, BACK + HOUR,
		  BACK + 3 * HOUR / 2 },
		{ "2026-11-26 01:00", 0, 0, MIDNIGHT },
		{ "2026-07-01 02:00", 0, 0, 1782864000 * S },
		{ "01:00", MIDNIGHT, MIDNIGHT + HOUR, MIDNIGHT },
	};

	use_zone("CET-1CEST,M3.5.0,M10.5.0/3");
	for (size_t i = 0; i < sizeof(utc) / sizeof(utc[0]); i++)
		check_row(&utc[i], true, "clock");
	for (size_t i = 0; i < sizeof(cet) / sizeof(cet[0]); i++)
		check_row(&cet[i], false, "clock CET");
}

static void check_refused(void)
{
	static const char *const texts[] = {
		"", " ", "+", "-", ".", "+.", "1.", "+1.", "+1..5", "+1.5.5",
		"+-1", "--1", "+1 s", "+1sec", "+1x", "+1MS", "+ms", "1e3",
		"+1e3", "+0x10", "nan", "now", "+99999999999999999999",
		"+9000000001", "9000000001", " 1", "1 ", "24:00", "12:60",
		"12:00:61", "12", "12:", ":30", "12:00:", "12:00:00.",
		"12:00:00.5Z", "12:00pm", "123:00", "12:000", "2026-13-01",
		"2026-00-01", "2026-01-00", "2026-01-32", "2026-02-30",
		"2023-02-29", "2026-11", "2026-11-26 ", "2026-11-26T",
		"2026-11-26 24:00", "2026-11-26 12", "2026-11-26x",
		"2026-11-26ZZ", "2026-11-26 12:00+01:00", "26-11-26",
		"02026-11-26", "2026/11/26", "2026-11-26  12:00",
	};
	int64_t ns;

	use_zone("UTC0");
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		bool number = !strcmp(texts[i], "12");

		unit_equal(look_time(&ns, texts[i], true, 0, 0),
			   number ? 0 : -EINVAL, "'%s'", texts[i]);
		unit_equal(look_time_valid(texts[i]), number, "'%s': valid",
			   texts[i]);
	}
	unit_check(look_time_valid("23:59:60"), "second 60");
	unit_check(look_time_valid("-10"), "from the last event");
}

int main(void)
{
	check_offsets();
	check_dates();
	check_times_of_day();
	check_refused();
	return unit_end();
}

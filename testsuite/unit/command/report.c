/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The report (command/report/): numbers and times as text, the values of a
 * field that are met most, the longest pairs, and locks.
 */
#include "testsuite/unit/unit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "command/common/counted.h"
#include "command/report/private.h"
#include "testsuite/unit/command/said.h"

#define S	1000000000ll
/* 2026-11-26 00:00:00 UTC */
#define MIDNIGHT	(1795651200 * S)

static void check_numbers(void)
{
	static const struct {
		long double value;
		const char *text;
	} rows[] = {
		{ 0, "0" },
		{ -1, "-1" },
		{ 0.5, "0.5" },
		{ 999999999999999.0L, "999999999999999" },
		{ 1e15L, "1e+15" },
		{ -1e15L, "-1e+15" },
		{ 1234567.5L, "1.23457e+06" },
		{ INFINITY, "inf" },
		{ -INFINITY, "-inf" },
		{ NAN, "nan" },
	};
	char text[64];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		report_number(text, sizeof(text), rows[i].value);
		unit_equal_string(text, rows[i].text, "number %s",
				  rows[i].text);
	}
	report_whole(text, sizeof(text), 18446744073709551615.0L);
	unit_equal_string(text, "18446744073709551615", "all digits");
	report_whole(text, sizeof(text), -9223372036854775808.0L);
	unit_equal_string(text, "-9223372036854775808", "all negative digits");
}

static void check_durations(void)
{
	static const struct {
		long double ns;
		const char *text;
	} rows[] = {
		{ 0, "0 ns" },
		{ 1, "1 ns" },
		{ 999, "999 ns" },
		{ 1000, "1.00 us" },
		{ 9994, "9.99 us" },
		{ 9996, "10.0 us" },
		{ 99949, "99.9 us" },
		{ 99951, "100 us" },
		{ 999499, "999 us" },
		{ 999501, "1.00 ms" },
		{ 1000000, "1.00 ms" },
		{ 123456789, "123 ms" },
		{ 999499999, "999 ms" },
		{ 999500001, "1.00 s" },
		{ 1000000000, "1.00 s" },
		{ 59960000000.0L, "60.0 s" },
		{ 86400e9L, "86400 s" },
		/* a field's duration may be negative */
		{ -1, "-1 ns" },
		{ -1500, "-1.50 us" },
		{ -20000000, "-20.0 ms" },
		{ -999501, "-1.00 ms" },
	};
	char text[64];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		counted_duration(text, sizeof(text), rows[i].ns);
		unit_equal_string(text, rows[i].text, "duration of %.0Lf ns",
				  rows[i].ns);
	}
}

static void check_shares(void)
{
	struct report r = { .rows = 3, .events = 5, .first = -2, .last = 6 };

	unit_check(share_of(0, 0) == 0, "share of nothing");
	unit_check(share_of(1, 4) == 25, "share");
	unit_equal((long long)rows_shown(&r, 2), 2, "less rows than allowed");
	unit_equal((long long)rows_shown(&r, 3), 3, "as many rows");
	unit_equal((long long)rows_shown(&r, 4), 3, "more rows");
	unit_equal((long long)report_span(&r), 8, "span");
	unit_check(report_rate(&r, 4) == 4e9 / 8, "rate");
	said_begin(STDOUT_FILENO);
	report_more(&r, 3, "event");
	report_more(&r, 4, "event");
	report_more(&r, 5, "process");
	unit_equal_string(said_end(),
			  "  ... and 1 event (--rows 0 prints all)\n"
			  "  ... and 2 processes (--rows 0 prints all)\n",
			  "what is not shown");
	r.rows = 0;
	unit_equal((long long)rows_shown(&r, 4), 4, "all rows");
	r.first = INT64_MIN;
	r.last = INT64_MAX;
	unit_check(report_span(&r) == UINT64_MAX, "the longest span");
	r.last = r.first;
	unit_check(report_rate(&r, 1) == 0, "rate of an instant");
	r.events = 0;
	unit_equal((long long)report_span(&r), 0, "span without events");
}

static void check_times(void)
{
	struct report r = { .events = 2, .first = MIDNIGHT + 1,
			    .last = MIDNIGHT + 72000 * S + 1 };
	int64_t found;
	char text[64], last[64];

	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	report_time(&r, r.first, text);
	unit_equal_string(text, "01:00:00.000000001", "time of day");
	report_view_time(&r, r.first, text);
	unit_equal_string(text, "01:00:00.000000001", "the same for view");
	r.last++;
	report_time(&r, r.first, text);
	unit_equal_string(text, "2026-11-26T01:00:00.000000001",
			  "of more than 20 hours");
	r.look.utc = true;
	report_time(&r, r.first, text);
	unit_equal_string(text, "2026-11-26T00:00:00.000000001", "UTC");
	r.look.utc = false;
	r.last--;
	r.look.begin = "+1";
	report_view_time(&r, r.first, text);
	unit_equal_string(text, "2026-11-26T01:00:00.000000001",
			  "of a part, for view");
	report_view_time(&r, -1, text);
	unit_equal_string(text, "1969-12-31T23:59:59.999999999Z",
			  "before 1970, for view");
	report_view_time(&r, -S, text);
	unit_equal_string(text, "1969-12-31T23:59:59.000000000Z",
			  "a second before 1970, for view");
	/* 02:30 in the second of two hours: the clock was set back */
	report_view_time(&r, 1792891800 * S + 5, text);
	unit_equal_string(text, "1792891800.000000005",
			  "the second of two hours, for view");
	unit_equal(look_time(&found, text, false, 0, 0), 0, "view takes it");
	unit_equal(found, 1792891800 * S + 5, "as the same time");
	unsetenv("TZ");
	tzset();
	r = (struct report){ .events = 1, .first = S, .last = S,
			     .look.utc = true, .look.session = "s" };
	report_view_pair(&r, &(struct long_pair){ .begin = 5 * S,
						  .end = 6 * S }, text, last);
	unit_equal_string(text, "00:00:04.999999000", "of a buffer: begin");
	unit_equal_string(last, "00:00:06.000001000", "of a buffer: end");
	r.look.session = NULL;
	report_view_pair(&r, &(struct long_pair){ .begin = 5 * S,
						  .end = 6 * S }, text, last);
	unit_equal_string(text, "00:00:05.000000000", "of a trace: begin");
	unit_equal_string(last, "00:00:06.000000000", "of a trace: end");
}

static void check_rows(void)
{
	struct histogram h = { 0 };

	for (int i = 0; i < 80; i++)
		histogram_add(&h, 5);
	histogram_add(&h, 1);
	histogram_add(&h, 4096);
	said_begin(STDOUT_FILENO);
	report_rows(&h, report_number, 1);
	unit_equal_string(said_end(),
		"           1 .. 2                     1 |@                   "
		"                  |\n"
		"           2 .. 4                     0 |                    "
		"                  |\n"
		"           4 .. 8                    80 |@@@@@@@@@@@@@@@@@@@@"
		"@@@@@@@@@@@@@@@@@@|\n"
		"         ...\n"
		"        4096 .. 8192                  1 |@                   "
		"                  |\n", "histogram");
	histogram_clear(&h);
}

static const struct field_class u8 = {
	.kind = FIELD_INTEGER, .bytes = 1, .base = 10,
};
static const struct field_class u64 = {
	.kind = FIELD_INTEGER, .bytes = 8, .base = 10,
};
static const struct field_class i32 = {
	.kind = FIELD_INTEGER, .bytes = 4, .is_signed = true, .base = 10,
};
static const struct field_class real = { .kind = FIELD_REAL, .bytes = 8 };
static const struct field_class string = { .kind = FIELD_STRING };
static const struct field_class bytes3 = {
	.kind = FIELD_ARRAY, .count = 3, .members = &u8, .nmembers = 1,
};
static const struct field_label labels[] = { { "ok", 0, 0 },
					     { "bad", 1, 9 } };
static const struct field_class enumeration = {
	.kind = FIELD_ENUM, .bytes = 1, .base = 10, .labels = labels,
	.nlabels = 2,
};

/* Counts a value, and returns its text. */
static const char *count(struct values *v, const struct field_class *class,
			 const void *at, size_t n)
{
	static char text[4 * VALUE_BYTES + 8];
	struct value *value = values_take(v, class, at, n);

	if (!value)
		return NULL;
	value->events++;
	value_text(value, text, sizeof(text));
	return text;
}

static const char *count_text(struct values *v, const char *text)
{
	return count(v, &string, text, strlen(text) + 1);
}

static void check_values(void)
{
	const struct field_class span = { .kind = i32.kind, .bytes = 4,
					  .is_signed = true, .base = 10,
					  .unit = TAFFRAIL_HOW_DURATION_MS };
	struct values v = { .max = 16 };
	const uint8_t one = 1, zero = 0, two = 20;
	const uint64_t wide = 1, most = UINT64_MAX;
	const int32_t minus = -1, plus = 1;
	const double half = 0.5, whole = 1;

	unit_equal_string(count(&v, &u8, &one, 1), "1", "a byte");
	unit_equal_string(count(&v, &u64, &wide, 8), "1",
			  "the same number, wider");
	unit_equal_string(count(&v, &i32, &plus, 4), "1",
			  "the same number, signed");
	unit_equal((long long)v.n, 1, "they are one value");
	unit_equal((long long)v.list[0].events, 3, "of three events");
	unit_equal_string(count(&v, &i32, &minus, 4), "-1", "negative");
	unit_equal_string(count(&v, &u64, &most, 8), "18446744073709551615",
			  "the same bytes, unsigned");
	unit_equal((long long)v.n, 3, "they are two values");
	unit_equal_string(count(&v, &real, &half, 8), "0.5", "real");
	unit_check(strcmp(count(&v, &real, &whole, 8), ""), "real 1");
	unit_equal((long long)v.n, 5, "it is not the integer 1");
	unit_equal_string(count(&v, &enumeration, &zero, 1), "ok", "label");
	unit_equal_string(count(&v, &enumeration, &one, 1), "bad",
			  "label of a range");
	unit_equal_string(count(&v, &enumeration, &two, 1), "20",
			  "no label has this value");
	unit_equal_string(count_text(&v, "a\"b"), "\"a\\\"b\"", "string");
	unit_equal_string(count_text(&v, ""), "\"\"", "empty string");
	unit_equal_string(count_text(&v, "it's \t?"), "\"it's \\t?\"",
			  "quotation and question marks, as view prints them");
	unit_equal_string(count(&v, &bytes3, "\1\2\377", 3), "[1, 2, 255]",
			  "array");
	unit_equal((long long)v.n, 12, "all values");
	count(&v, &span, (const uint8_t *)&plus, 4);
	unit_equal((long long)v.n, 13, "1 ms is not the number 1");
	count(&v, &span, (const uint8_t *)&plus, 4);
	unit_equal((long long)v.n, 13, "1 ms is 1 ms");
	values_sort(&v);
	unit_equal((long long)v.list[0].events, 3, "the most frequent first");
	values_free(&v);
}

/* Strings that differ only behind what is kept of them. */
static void check_long_values(void)
{
	struct values v = { .max = 16 };
	char text[VALUE_BYTES + 3], shown[4 * VALUE_BYTES + 8];

	memset(text, 'x', sizeof(text));
	text[VALUE_BYTES] = '\0';
	count_text(&v, text);
	unit_check(!v.list[0].cut, "a string that is kept wholly");
	strcpy(text + VALUE_BYTES, "a");
	count_text(&v, text);
	strcpy(text + VALUE_BYTES, "b");
	count_text(&v, text);
	count_text(&v, text);
	unit_equal((long long)v.n, 3, "each is a value");
	unit_equal((long long)v.list[2].events, 2, "and found again");
	value_text(&v.list[1], shown, sizeof(shown));
	unit_equal((long long)strlen(shown), VALUE_BYTES + 5,
		   "with dots behind what was kept");
	value_text(&v.list[1], shown, 12);
	unit_equal_string(shown, "\"xxxxxxx...", "in little room");
	values_free(&v);
}

/* More values than there is room for: the most frequent stay. */
static void check_many_values(void)
{
	struct values v = { .max = 8 }, fixed = { .max = 8, .fixed = true };
	char text[16];

	for (int i = 0; i < 8; i++)
		for (int k = 0; k <= i; k++) {
			sprintf(text, "v%d", i);
			count_text(&v, text);
			count_text(&fixed, text);
		}
	unit_equal((long long)v.n, 8, "as many as there is room for");
	unit_equal((long long)v.other_events, 0, "no others");
	count_text(&v, "new");
	unit_equal((long long)v.n, 5, "half of them, and the new one");
	unit_equal((long long)v.other_events, 1 + 2 + 3 + 4, "other events");
	unit_equal((long long)v.missed, 4, "a value may have missed so many");
	values_sort(&v);
	unit_equal((long long)v.list[0].events, 8, "the first stays");
	unit_equal((long long)v.list[3].events, 5, "the last that stays");
	count_text(&v, "v7");
	unit_equal((long long)v.n, 5, "it is found again");
	unit_equal_string(count_text(&fixed, "new"), NULL,
			  "those that came first stay");
	unit_equal_string(count_text(&fixed, "v3"), "\"v3\"",
			  "and are found");
	values_free(&v);
	values_free(&fixed);
}

/* Events of one thread, with a pair that each has a length. */
static const struct field_class vtid = {
	.kind = FIELD_INTEGER, .bytes = 4, .base = 10, .name = "vtid",
};
static const struct field_class context = {
	.kind = FIELD_STRUCT, .members = &vtid, .nmembers = 1,
};
static const struct field_class lock_members[] = {
	{ .kind = FIELD_INTEGER, .bytes = 8, .base = 16, .name = "mutex" },
	{ .kind = FIELD_INTEGER, .bytes = 4, .is_signed = true, .base = 10,
	  .name = "ret" },
};
static const struct field_class lock_fields = {
	.kind = FIELD_STRUCT, .members = lock_members, .nmembers = 2,
};
/* With the caller in the place of what the call returned. */
static const struct field_label symbols[] = {
	{ .name = "count", .from = 0x1000, .to = 0x1000 },
	{ .name = "init", .from = 77, .to = 77 },
	{ .name = "other", .from = 78, .to = 78 },
};
static const struct field_class call_members[] = {
	{ .kind = FIELD_ENUM, .bytes = 8, .base = 16, .name = "mutex",
	  .labels = symbols, .nlabels = 3 },
	{ .kind = FIELD_ENUM, .bytes = 4, .base = 16, .name = "caller",
	  .labels = symbols, .nlabels = 3 },
};
static const struct field_class call_fields = {
	.kind = FIELD_STRUCT, .members = call_members, .nmembers = 2,
};
static const struct field_class no_fields = { .kind = FIELD_STRUCT };

static struct event_class classes[] = {
	{ .name = "app:work_begin", .number = 0, .fields = &no_fields },
	{ .name = "app:work_end", .number = 1, .fields = &no_fields },
	{ .name = "pthread:mutex_lock_entry", .number = 2,
	  .fields = &lock_fields },
	{ .name = "pthread:mutex_lock_exit", .number = 3,
	  .fields = &lock_fields },
	{ .name = "pthread:mutex_unlock_entry", .number = 4,
	  .fields = &lock_fields },
	{ .name = "pthread:mutex_trylock_exit", .number = 5,
	  .fields = &lock_fields },
	{ .name = "pthread:cond_wait_entry", .number = 6,
	  .fields = &lock_fields },
	{ .name = "pthread:cond_wait_exit", .number = 7,
	  .fields = &lock_fields },
	{ .name = "pthread:mutex_locked", .number = 8,
	  .fields = &lock_fields },
	{ .name = "app:mutex_lock_entry", .number = 9,
	  .fields = &lock_fields },
	{ .name = "pthread:mutex_init_entry", .number = 10,
	  .fields = &call_fields },
	{ .name = "pthread:mutex_trylock_entry", .number = 11,
	  .fields = &call_fields },
};

#define NCLASSES	(sizeof(classes) / sizeof(classes[0]))
enum { BEGIN, END, ENTRY, EXIT, UNLOCK, TRY, WAIT, WOKEN, INIT = 10, CALL };

static struct event_class *table[NCLASSES];
static struct trace_class trace = {
	.vpid = 42, .context = &context, .events = table, .nevents = NCLASSES,
	.nclasses = NCLASSES,
};

static void make_trace(void)
{
	for (size_t i = 0; i < NCLASSES; i++)
		table[i] = &classes[i];
}

static void begin_pairs(struct report *r, uint32_t slowest)
{
	memset(r, 0, sizeof(*r));
	r->slowest.max = slowest;
	r->traces = calloc(1, sizeof(*r->traces));
	r->ntraces = 1;
	unit_equal(durations_open(r), COMMAND_DONE, "pairs, %u of them listed",
		   slowest);
}

static void feed_work(struct report *r, int number, int64_t ns)
{
	uint32_t thread = 7;
	struct trace_event event = {
		.ns = ns, .trace = &trace, .class = &classes[number],
		.context = (uint8_t *)&thread,
		.fields = (uint8_t *)&thread + 4,
		.end = (uint8_t *)&thread + 4,
	};

	pairs_feed(r->pairs, &event);
}

static void end_pairs(struct report *r)
{
	durations_free(r);
	free(r->traces);
}

static void check_pairs(void)
{
	static const int lengths[] = { 5, 1, 9, 3, 9, 7 };
	struct kind_row *rows;
	struct report r;
	int64_t now = 0;
	char text[64] = "";

	begin_pairs(&r, 3);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		feed_work(&r, BEGIN, now);
		feed_work(&r, END, now += lengths[i]);
		now += 100;
	}
	feed_work(&r, BEGIN, now);
	/* a damaged clock */
	feed_work(&r, END, now - 50);
	feed_work(&r, BEGIN, now + 1000);
	pairs_finish(r.pairs);
	longest_sort(&r.slowest);
	for (uint32_t i = 0; i < r.slowest.n; i++)
		sprintf(text + strlen(text), "%lld@%lld ",
			(long long)(r.slowest.list[i].end -
				    r.slowest.list[i].begin),
			(long long)r.slowest.list[i].begin);
	unit_equal_string(text, "9@206 9@418 7@527 ", "the longest");
	unit_equal((long long)r.open.n, 1, "one is not finished");
	unit_equal((long long)kinds_sorted(&r, &rows), 1, "kinds");
	unit_check(rows[0].key == 34, "sum");
	unit_equal((long long)durations_of(&r, rows[0].kind)->ns.count, 6,
		   "count");
	unit_equal((long long)durations_of(&r, rows[0].kind)->backwards, 1,
		   "END before BEGIN");
	free(rows);
	end_pairs(&r);
}

/* Events were lost until 200: pairs that began before it are told. */
static void check_across(void)
{
	struct kind_row *rows;
	struct report r;

	begin_pairs(&r, 10);
	r.traces[0].dated = true;
	r.traces[0].lost_until = 200;
	feed_work(&r, BEGIN, 100);
	feed_work(&r, END, 300);
	feed_work(&r, BEGIN, 199);
	feed_work(&r, END, 300);
	feed_work(&r, BEGIN, 200);
	feed_work(&r, END, 300);
	kinds_sorted(&r, &rows);
	unit_equal((long long)durations_of(&r, rows[0].kind)->across, 2,
		   "pairs across lost events");
	free(rows);
	end_pairs(&r);
}

/* Values of --by beyond those that have a row, with their share. */
static void check_groups(void)
{
	const uint8_t one = 1;
	struct report r;

	begin_pairs(&r, 0);
	r.by = "kind";
	r.events = 4;
	r.groups.max = 8;
	count(&r.groups, &u8, &one, 1);
	r.groups.other_events = 1;
	said_begin(STDOUT_FILENO);
	report_groups(&r);
	unit_check(strstr(said_end(), "           1   25.0%  of values that "
			  "came behind the first 1000\n"),
		   "values without a row: their events and share");
	values_free(&r.groups);
	end_pairs(&r);
}

struct step {
	int class;
	uint32_t thread;
	int64_t ns;
	int32_t ret;
};

/* When the trace has lost an event, or 0. */
static int64_t lost_at;

/* Feeds events of one mutex; returns the lock. */
static const struct lock *feed_locks(struct report *r, const struct step *steps,
				     size_t n)
{
	static struct report_class made[NCLASSES];
	struct lock *const *sorted;
	struct report_trace t = { .trace = &trace, .lost = lost_at != 0,
				  .dated = true, .lost_until = lost_at };
	static const struct event_class none = { .fields = &no_fields };

	memset(r, 0, sizeof(*r));
	memset(made, 0, sizeof(made));
	field_at_find(&t.vtid, &trace, &none, "vtid");
	for (size_t i = 0; i < NCLASSES; i++)
		locks_class(&made[i].lock, &trace, &classes[i]);
	for (size_t i = 0; i < n; i++) {
		uint8_t bytes[16];
		uint64_t address = 0x1000;
		struct trace_event event = {
			.ns = steps[i].ns, .trace = &trace,
			.class = &classes[steps[i].class], .context = bytes,
			.fields = bytes + 4, .end = bytes + 16,
		};

		memcpy(bytes, &steps[i].thread, 4);
		memcpy(bytes + 4, &address, 8);
		memcpy(bytes + 12, &steps[i].ret, 4);
		locks_event(r, &made[steps[i].class], &t, &event);
		t.last = event.ns;
	}
	r->traces = &t;
	locks_finish(r);
	r->traces = NULL;
	unit_equal(made[BEGIN].lock.step, LOCK_NONE, "no event of a lock");
	unit_equal(made[8].lock.step, LOCK_NONE, "nor one of a longer name");
	unit_equal(made[9].lock.step, LOCK_NONE, "nor one of another channel");
	return locks_sorted(r, &sorted) ? sorted[0] : NULL;
}

#define FEED(r, steps) feed_locks((r), (steps), sizeof(steps) / \
				  sizeof((steps)[0]))

static void check_locks(void)
{
	/* thread 2 waits from 20 to 50 for thread 1, which holds it from 10 */
	static const struct step wait[] = {
		{ ENTRY, 1, 5, 0 }, { EXIT, 1, 10, 0 }, { ENTRY, 2, 20, 0 },
		{ UNLOCK, 1, 45, 0 }, { EXIT, 2, 50, 0 }, { UNLOCK, 2, 53, 0 },
	};
	/* a lock that is taken twice is held until it was given twice */
	static const struct step twice[] = {
		{ ENTRY, 1, 0, 0 }, { EXIT, 1, 1, 0 }, { ENTRY, 1, 2, 0 },
		{ EXIT, 1, 3, 0 }, { UNLOCK, 1, 4, 0 }, { UNLOCK, 1, 11, 0 },
		{ UNLOCK, 1, 20, 0 },
	};
	static const struct step fails[] = {
		{ TRY, 1, 0, 0 }, { TRY, 2, 1, EBUSY }, { UNLOCK, 1, 4, 0 },
		{ EXIT, 2, 5, EOWNERDEAD }, { UNLOCK, 2, 6, 0 },
		{ TRY, 0, 7, 0 },
	};
	/* cond_wait() gives the mutex and takes it again, which is no wait */
	static const struct step cond[] = {
		{ ENTRY, 1, 0, 0 }, { EXIT, 1, 0, 0 }, { WAIT, 1, 10, 0 },
		{ WOKEN, 1, 100, 0 }, { UNLOCK, 1, 105, 0 },
	};
	const struct lock *lock;
	struct report r;

	lock = FEED(&r, wait);
	unit_equal((long long)lock->taken, 2, "taken");
	unit_equal((long long)lock->waited, 1, "blocked");
	unit_equal((long long)lock->wait_ns, 5 + 30, "wait");
	unit_equal((long long)lock->wait_max, 30, "longest wait");
	unit_equal((long long)lock->hold_ns, 35 + 3, "hold");
	unit_equal((long long)lock->hold_max, 35, "longest hold");
	unit_equal(lock->holders[0].vtid, 1, "the holder that others wait for");
	unit_equal((long long)lock->holders[0].ns, 25, "for so long");
	unit_equal((long long)lock->blamed_ns, 25, "all holders");
	locks_free(&r);
	lock = FEED(&r, twice);
	unit_equal((long long)lock->taken, 2, "recursion: taken");
	unit_equal((long long)lock->waited, 0, "recursion: not blocked");
	unit_equal((long long)lock->hold_ns, 10, "recursion: hold");
	locks_free(&r);
	lock = FEED(&r, fails);
	unit_equal((long long)lock->taken, 2, "trylock: taken");
	unit_equal((long long)lock->failed, 1, "trylock: failed");
	unit_equal((long long)lock->hold_ns, 4 + 1, "trylock: hold");
	unit_check(r.lockless, "an event without a thread is told");
	locks_free(&r);
	lock = FEED(&r, cond);
	unit_equal((long long)lock->wait_ns, 0, "condition: wait");
	unit_equal((long long)lock->hold_ns, 10 + 5, "condition: hold");
	locks_free(&r);
}

/* What still waits and holds at the last event, and what waited in vain. */
static void check_still(void)
{
	/* thread 1 wants the lock again, and so waits for itself */
	static const struct step still[] = {
		{ ENTRY, 1, 0, 0 }, { EXIT, 1, 1, 0 }, { ENTRY, 2, 3, 0 },
		{ ENTRY, 1, 5, 0 }, { ENTRY, 3, 10, 0 },
	};
	static const struct step vain[] = {
		{ ENTRY, 1, 0, 0 }, { EXIT, 1, 1, 0 }, { ENTRY, 2, 3, 0 },
		{ EXIT, 2, 9, ETIMEDOUT }, { UNLOCK, 1, 12, 0 },
	};
	const struct lock *lock;
	struct report r;

	lock = FEED(&r, still);
	unit_equal((long long)lock->hold_ns, 9, "held until the last event");
	unit_equal((long long)lock->wait_ns, 1 + 7 + 5, "waits, too");
	unit_equal((long long)lock->wait_max, 7, "the longest");
	unit_equal((long long)lock->nholders, 1, "one is waited for");
	unit_equal((long long)lock->holders[0].ns, 7, "by others");
	unit_check(lock->threads->depth && lock->threads->waits,
		   "the first thread holds and waits");
	locks_free(&r);
	lost_at = 4;
	lock = FEED(&r, still);
	lost_at = 0;
	unit_check(!lock->threads->depth && lock->threads->waits,
		   "after a loss: it waits, and may have given the lock");
	unit_equal((long long)lock->hold_ns, 0, "so that is not counted");
	unit_equal((long long)lock->wait_ns, 1 + 5, "nor a wait before it");
	unit_equal((long long)lock->nholders, 0, "no holder");
	locks_free(&r);
	lock = FEED(&r, vain);
	unit_check(!lock->threads, "nothing is left");
	unit_equal((long long)lock->failed, 1, "in vain");
	unit_equal((long long)lock->holders[0].ns, 6, "the holder is named");
	unit_equal((long long)lock->blamed_ns, 6, "once");
	locks_free(&r);
}

/* The calls that make, want and take a lock; `ret` is the caller. */
static void check_callers(void)
{
	static const struct step made[] = {
		{ INIT, 0, 0, 77 }, { INIT, 1, 0, 77 },
	};
	static const struct step twice[] = {
		{ INIT, 1, 0, 77 }, { CALL, 1, 5, 79 }, { EXIT, 1, 6, 0 },
		{ CALL, 2, 7, 78 }, { UNLOCK, 1, 8, 0 }, { EXIT, 2, 9, 0 },
		{ INIT, 1, 10, 78 },
	};
	/* the inner call of a holder takes nothing, and one that waited for a
	 * condition takes the mutex again by its first call */
	static const struct step again[] = {
		{ CALL, 1, 0, 77 }, { EXIT, 1, 1, 0 }, { CALL, 1, 2, 78 },
		{ EXIT, 1, 3, 0 }, { UNLOCK, 1, 4, 0 }, { WAIT, 1, 5, 0 },
		{ WOKEN, 1, 6, 0 }, { CALL, 2, 7, 78 }, { UNLOCK, 1, 8, 0 },
	};
	const struct lock *lock;
	struct report r;

	unit_check(!FEED(&r, made), "a lock that is only made is not told");
	unit_check(!r.lockless, "to make a lock takes no thread");
	locks_free(&r);
	lock = FEED(&r, twice);
	unit_equal_string(lock_place_name(&lock->init), "init", "made by");
	unit_check(lock->several, "made by others, too");
	unit_equal_string(lock_place_name(&lock->first), NULL,
			  "first wanted by a place without a name");
	unit_equal((long long)lock->first.address, 79, "which has an address");
	unit_equal_string(lock_place_name(&lock->holders[0].caller), NULL,
			  "the holder that others waited for");
	unit_equal((long long)lock->holders[0].caller.address, 79,
		   "took it there");
	locks_free(&r);
	lock = FEED(&r, again);
	unit_check(!lock->init.class, "not made in the trace");
	unit_equal_string(lock_place_name(&lock->first), "init",
			  "the first call");
	unit_equal_string(lock_place_name(&lock->holders[0].caller), "init",
			  "the call that took it");
	locks_free(&r);
}

int main(void)
{
	make_trace();
	check_numbers();
	check_durations();
	check_shares();
	check_times();
	check_rows();
	check_values();
	check_long_values();
	check_many_values();
	check_pairs();
	check_across();
	check_groups();
	check_locks();
	check_still();
	check_callers();
	return unit_end();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a timeline shows: requests with steps inside, in two threads, events
 * without a pair, and names and strings that would do harm as HTML.
 *
 *	timeline N	N requests of each thread
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <taffrail/event.h>
#include <taffrail/marker.h>

#define HOSTILE "<script>document.title='harm'<!--\"'\xc3\xa9\xf0\x9f\x98\x80"

static int requests;

static void declared(void)
{
	static const struct taffrail_event_field fields[] = {
		{ "text", TAFFRAIL_T_STRING },
	};
	struct taffrail_declared *event = taffrail_event_declare("app",
		HOSTILE, fields, 1);
	union taffrail_value value;

	if (!taffrail_event_enabled(event))
		return;
	value = taffrail_value_string("</script><script>document.title='harm'"
				      "</script>");
	taffrail_event_write(event, &value);
	value = taffrail_value_string("\xff\xfe caf\xe9 \x01\x1b[31m\n"
				      "\xe2\x80\xae rtl");
	taffrail_event_write(event, &value);
	value = taffrail_value_string("");
	taffrail_event_write(event, &value);
}

static void types(void)
{
	static const int numbers[] = { 1, -2, 3 };
	uint64_t large = UINT64_MAX;
	int64_t small = INT64_MIN;

	TAFFRAIL_EVENT(app, types, large, small, TAFFRAIL_HEX(0xbeef),
		       TAFFRAIL_BOOL(1), TAFFRAIL_ARRAY(numbers, 3),
		       "last", 0.1, 1.0f / 3);
	TAFFRAIL_EVENT(app, units, TAFFRAIL_FIELD(waited, TAFFRAIL_DURATION(
		       5200, us)), TAFFRAIL_FIELD(early, TAFFRAIL_DURATION(
		       -1234567LL, ns)), TAFFRAIL_FIELD(all, TAFFRAIL_DURATION(
		       INT64_MIN, ns)), TAFFRAIL_FIELD(at, TAFFRAIL_TIME(
		       1700000000120000000LL, ns)), TAFFRAIL_FIELD(before,
		       TAFFRAIL_TIME(-1, ms)), TAFFRAIL_FIELD(never,
		       TAFFRAIL_TIME(large, s)));
}

static void request(int id, const char *url)
{
	TAFFRAIL_EVENT(app, request_begin, id, url);
	for (int step = 0; step < 3; step++) {
		TAFFRAIL_EVENT(app, step_begin, step);
		TAFFRAIL_EVENT(app, note, id, step);
		TAFFRAIL_EVENT(app, step_end, step);
	}
	TAFFRAIL_EVENT(app, request_end, id, TAFFRAIL_FIELD(status, id % 7));
}

static void *work(void *name)
{
	prctl(PR_SET_NAME, name);
	for (int id = 0; id < requests; id++)
		request(id, id & 1 ? "/odd" : "/even");
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	requests = argc > 1 ? atoi(argv[1]) : 1;
	work("<b>first</b>&");
	pthread_create(&thread, NULL, work, "second \"\xc3\xa9\"");
	pthread_join(thread, NULL);
	TAFFRAIL_EVENT(app, hang_begin, TAFFRAIL_FIELD(why, "it hangs"));
	types();
	declared();
	/* without an end: no slices, which would not end */
	for (int i = 0; i < 100; i++)
		TAFFRAIL_EVENT(app, pulse_whose_name_is_cut_by_its_column_start,
			       i);
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pairs of events that are made here, of two processes.
 */
#include "testsuite/unit/unit.h"

#include <stdlib.h>

#include "traces/pairs/pairs.h"


static const struct field_class vtid = {
	.kind = FIELD_INTEGER, .bytes = 4, .is_signed = true, .base = 10,
	.name = "vtid",
};

static const struct field_class context = {
	.kind = FIELD_STRUCT, .members = &vtid, .nmembers = 1,
};

static const struct field_class narrow[] = {
	{ .kind = FIELD_STRING, .name = "url" },
	{ .kind = FIELD_INTEGER, .bytes = 4, .is_signed = true, .base = 10,
	  .name = "id" },
};

static const struct field_class wide[] = {
	{ .kind = FIELD_INTEGER, .bytes = 8, .base = 10, .name = "number" },
	{ .kind = FIELD_STRING, .name = "url" },
};

static const struct field_class narrow_fields = {
	.kind = FIELD_STRUCT, .members = narrow, .nmembers = 2,
};

static const struct field_class wide_fields = {
	.kind = FIELD_STRUCT, .members = wide, .nmembers = 2,
};

static const struct field_class frame = {
	.kind = FIELD_INTEGER, .bytes = 8, .base = 16, .name = "cfa",
};

static const struct field_class frame_fields = {
	.kind = FIELD_STRUCT, .members = &frame, .nmembers = 1,
};

static const struct field_class whole[] = {
	{ .kind = FIELD_INTEGER, .bytes = 8, .base = 10, .name = "duration" },
	{ .kind = FIELD_INTEGER, .bytes = 4, .base = 10, .name = "depth" },
};

static const struct field_class whole_fields = {
	.kind = FIELD_STRUCT, .members = whole, .nmembers = 2,
};

static const struct field_class no_fields = { .kind = FIELD_STRUCT };

static const char *const names[] = {
	"app:work_entry", "app:work_exit", "app:inner_entry", "app:inner_exit",
	"app:begin", "app:end", "py:function__entry", "py:function__return",
	"app:io_start", "app:io_done", "app:request", "app:reply",
	"app:sys_enter_read", "app:sys_exit_read", "app:step", "app:lone_begin",
	"app:trending", "app:weekend", "fn:f", "fn:f%return", "fn:io_start",
	"fn:io_start%return", "fn:g", "fn:g%return", "fn:whole", "fn:whole_entry",
};

#define NNAMES	(sizeof(names) / sizeof(names[0]))

static struct event_class events[2][NNAMES];
static struct event_class *tables[2][NNAMES];
static struct trace_class traces[2];
static struct pairs *pairs;
static int64_t now;
static char told[8192];
static size_t used;

static void __attribute__((format(printf, 1, 2))) put(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	used += (size_t)vsnprintf(told + used, sizeof(told) - used, format,
				  args);
	va_end(args);
}

static bool inners;		/* those of pairs are told, too */

static void finished(const struct pair *pair, const struct trace_event *event,
		     void *priv)
{
	(void)priv;
	put("%s %lld-%lld/%u", pair->kind->name, (long long)pair->begin,
	    (long long)pair->end, pair->depth);
	for (unsigned int i = 0; i < pair->kind->nkeys; i++) {
		char text[32];

		pair_key_text(pair, i, text, sizeof(text));
		put(" %s", text);
	}
	if (pair->whole || inners)
		put(" with %lld", (long long)pair->inner);
	if (pair->again)
		put(" again %lld", (long long)pair->again);
	/* a whole call may be told late */
	put("%s\n", event->ns == pair->end ||
		    (pair->whole && event->ns > pair->end) ? "" :
							     " wrong event");
}

static void unfinished(const struct pair *pair, void *priv)
{
	(void)priv;
	put("%s %lld-%lld %s\n", pair->kind->name, (long long)pair->begin,
	    (long long)pair->end, pair->fate == PAIR_OPEN ? "open" :
	    pair->fate == PAIR_LEFT ? "left" :
	    pair->fate == PAIR_ENDED ? "rule ended" :
	    pair->fate == PAIR_LEFT_OUT ? "left out" : "given up");
}

static void pair_aside(struct pair *pair, void *priv)
{
	(void)priv;
	put("%s %lld-%lld aside\n", pair->kind->name, (long long)pair->begin,
	    (long long)pair->end);
}

static void unbegun(struct pair_kind *kind, const struct trace_event *event,
		    void *priv)
{
	(void)priv;
	put("%s no begin %lld\n", kind->name, (long long)event->ns);
}

static const struct pair_calls calls = {
	.finished = finished, .unfinished = unfinished, .unbegun = unbegun,
	.aside = pair_aside,
};

static void make_traces(void)
{
	for (unsigned int t = 0; t < 2; t++) {
		traces[t].number = t;
		traces[t].vpid = 100 + t;
		traces[t].context = &context;
		traces[t].events = tables[t];
		traces[t].nevents = traces[t].nclasses = NNAMES;
		traces[t].clock.hz = 1000000000;
		for (uint32_t i = 0; i < NNAMES; i++) {
			events[t][i].name = names[i];
			events[t][i].number = i;
			events[t][i].code = i;
			events[t][i].fields = &no_fields;
			tables[t][i] = &events[t][i];
			if (!strcmp(names[i], "app:request"))
				events[t][i].fields = &narrow_fields;
			if (!strcmp(names[i], "app:reply"))
				events[t][i].fields = &wide_fields;
			if (!strncmp(names[i], "fn:", 3))
				events[t][i].fields = &frame_fields;
			if (!strncmp(names[i], "fn:whole", 8))
				events[t][i].fields = &whole_fields;
		}
	}
}

/* Feeds the event `name` of a process and thread, at the next nanosecond. */
static void feed_from(unsigned int process, int32_t thread, uint32_t cpu,
		      const char *name, int32_t id, const char *url)
{
	struct trace_event event = { .ns = ++now, .trace = &traces[process],
				     .cpu = cpu };
	uint64_t number = (uint64_t)(int64_t)id;
	uint8_t bytes[256];
	size_t n = sizeof(thread), text = strlen(url) + 1;

	for (uint32_t i = 0; i < NNAMES; i++)
		if (!strcmp(names[i], name))
			event.class = &events[process][i];
	if (!event.class)
		abort();
	memcpy(bytes, &thread, sizeof(thread));
	if (event.class->fields == &narrow_fields) {
		memcpy(bytes + n, url, text);
		memcpy(bytes + n + text, &id, sizeof(id));
		n += text + sizeof(id);
	} else if (event.class->fields == &wide_fields) {
		memcpy(bytes + n, &number, sizeof(number));
		memcpy(bytes + n + sizeof(number), url, text);
		n += sizeof(number) + text;
	} else if (event.class->fields == &frame_fields) {
		memcpy(bytes + n, &number, sizeof(number));
		n += sizeof(number);
	} else if (event.class->fields == &whole_fields) {
		/* the duration is given as the CPU, and the depth as `id` */
		number = cpu;
		memcpy(bytes + n, &number, sizeof(number));
		memcpy(bytes + n + sizeof(number), &id, sizeof(id));
		n += sizeof(number) + sizeof(id);
	}
	event.context = bytes;
	event.fields = bytes + (traces[process].context ? sizeof(thread) : 0);
	event.end = bytes + n;
	pairs_feed(pairs, &event);
}

static void feed(const char *name)
{
	feed_from(0, 7, 0, name, 0, "");
}

/* A call of a function, or a return, with the address of the frame. */
static void call_at(const char *name, int32_t cfa)
{
	feed_from(0, 7, 0, name, cfa, "");
}

static void start(const char *rule)
{
	const char *wrong = NULL;

	pairs = pairs_new(&calls);
	if (rule)
		unit_equal(pairs_add(pairs, rule, &wrong), 0, "rule %s", rule);
	now = 0;
	used = 0;
	told[0] = '\0';
}

static void stop(const char *want, const char *name)
{
	pairs_finish(pairs);
	unit_equal_string(told, want, "%s", name);
	unit_equal(pairs_error(pairs), 0, "%s: no error", name);
	pairs_free(pairs);
}

static void by_names(void)
{
	start(NULL);
	feed("app:work_entry");
	feed("app:inner_entry");
	feed("app:inner_exit");
	feed("app:work_exit");
	feed("app:begin");
	feed("py:function__entry");
	feed("app:sys_enter_read");
	feed("app:sys_exit_read");
	feed("py:function__return");
	feed("app:io_start");
	feed("app:trending");
	feed("app:weekend");
	feed("app:io_done");
	feed("app:end");
	stop("app:inner 2-3/1\napp:work 1-4/0\napp:sys_read 7-8/2\n"
	     "py:function 6-9/1\napp:io 10-13/1\napp 5-14/0\n",
	     "kinds by names");
}

static void recursion(void)
{
	start(NULL);
	for (int i = 0; i < 3; i++)
		feed("app:work_entry");
	for (int i = 0; i < 4; i++)
		feed("app:work_exit");
	stop("app:work 3-4/2\napp:work 2-5/1\napp:work 1-6/0\n"
	     "app:work no begin 7\n", "recursion");
}

/* Sets the terms of the events of "fn:g", in both processes. */
static void terms_set(uint32_t entry, uint32_t exit)
{
	for (unsigned int t = 0; t < 2; t++)
		for (uint32_t i = 0; i < NNAMES; i++) {
			if (!strcmp(names[i], "fn:g"))
				events[t][i].term = entry;
			if (!strcmp(names[i], "fn:g%return"))
				events[t][i].term = exit;
		}
}

static void terms(void)
{
	struct pair_kind *const *kinds;
	char text[128];
	size_t n;

	/* rules leave out some: the return may be of a later call */
	terms_set(TERM_NONE, TERM_NONE);
	start(NULL);
	call_at("fn:f", 900);
	call_at("fn:g", 800);
	call_at("fn:g%return", 800);
	call_at("fn:f%return", 900);
	n = pairs_kinds(pairs, &kinds);
	for (size_t i = 0; i < n; i++)
		unit_equal(pair_termless_text(kinds[i], text, sizeof(text)),
			   !strcmp(kinds[i]->name, "fn:g"), "%s has terms",
			   kinds[i]->name);
	stop("fn:g 2-3 left out\nfn:f 1-4/0\n", "without terms");
	/* the return is of a later term: of another call */
	terms_set(0, 1);
	start(NULL);
	call_at("fn:f", 900);
	call_at("fn:g", 800);
	call_at("fn:g%return", 800);
	call_at("fn:f%return", 900);
	stop("fn:g 2-3 left out\nfn:g no begin 3\nfn:f 1-4/0\n",
	     "another term");
	terms_set(1, 1);
	start(NULL);
	call_at("fn:g", 800);
	call_at("fn:g%return", 800);
	stop("fn:g 1-2/0\n", "the same term");
	terms_set(0, 0);
}

/* Sets which terms end and when, as an event says that never comes. */
static void ended_set(const char *fact)
{
	for (uint32_t i = 0; i < NNAMES; i++)
		if (!strcmp(names[i], "app:weekend"))
			events[0][i].ended = fact;
}

static void terms_ended(void)
{
	char fact[64];
	uint32_t g = 0;

	while (strcmp(names[g], "fn:g"))
		g++;
	/* those that are open, and in others with the last call in them */
	snprintf(fact, sizeof(fact), "0:5:1000,%u", g);
	ended_set(fact);
	start(NULL);
	inners = true;
	call_at("fn:g", 900);
	call_at("fn:f", 800);
	call_at("fn:g", 700);
	call_at("fn:g", 600);
	call_at("fn:f", 680);
	call_at("fn:f%return", 680);
	call_at("fn:f%return", 800);
	call_at("fn:f", 880);
	call_at("fn:f%return", 880);
	stop("fn:g 4-5 rule ended\nfn:g 3-5 rule ended\n"
	     "fn:f 5-6/2 with 0\nfn:f 2-7/1 with 1 again 1\n"
	     "fn:g 1-7 rule ended\nfn:f 8-9/0 with 0\n", "a rule that goes");
	/* a later call is another one, and so is another process's */
	start(NULL);
	feed_from(1, 1, 0, "fn:g", 900, "");
	call_at("fn:g", 900);
	now = 4;
	call_at("fn:g", 900);
	call_at("fn:g%return", 900);
	feed_from(1, 1, 0, "fn:g%return", 900, "");
	inners = false;
	stop("fn:g 2-5 rule ended\nfn:g 5-6/0 with 0\nfn:g 1-7/0 with 0\n",
	     "a rule that comes again");
	/* behind the last event; no fact that makes no sense does anything */
	ended_set("0:9:,22");
	start(NULL);
	call_at("fn:g", 900);
	stop("fn:g 1-1 open\n", "a fact without sense");
	snprintf(fact, sizeof(fact), "0:9:%u", g);
	ended_set(fact);
	start(NULL);
	call_at("fn:g", 900);
	stop("fn:g 1-9 rule ended\n", "behind the last event");
	ended_set(NULL);
}

static void functions(void)
{
	int left = 0;

	start(NULL);
	call_at("fn:f", 900);
	call_at("fn:f", 800);
	call_at("fn:f", 700);
	call_at("fn:f%return", 700);
	/* that of 800 was left by longjmp(), as this one tells */
	call_at("fn:io_start", 850);
	call_at("fn:io_start%return", 850);
	/* a tail call has the same frame */
	call_at("fn:f%return", 900);
	call_at("fn:g", 900);
	call_at("fn:g%return", 900);
	call_at("fn:g%return", 900);
	stop("fn:f 3-4/2\nfn:f 2-5 aside\nfn:io_start 5-6/2\n"
	     "fn:f 1-7/0 again 1\nfn:g 8-9/1\nfn:g no begin 10\nfn:f 2-5 left\n",
	     "functions");
	start(NULL);
	call_at("fn:f", 900);
	call_at("fn:g", 800);
	call_at("fn:f", 700);
	/* a return that is recorded alone tells, too; the call of the same
	 * frame that came last returns */
	call_at("fn:io_start%return", 800);
	call_at("fn:g", 800);
	call_at("fn:g", 800);
	call_at("fn:g%return", 800);
	/* other processes and threads have other stacks */
	feed_from(0, 8, 0, "fn:f", 950, "");
	feed_from(1, 7, 0, "fn:f", 950, "");
	call_at("fn:f%return", 900);
	stop("fn:io_start no begin 4\nfn:f 3-5 left\nfn:g 2-5 left\n"
	     "fn:g 5-6 left\nfn:g 6-7/1\nfn:f 1-10/0\nfn:f 8-10 open\n"
	     "fn:f 9-10 open\n", "functions that are left otherwise");
	start(NULL);
	/* two stacks side by side: the first return tells */
	call_at("fn:f", 900);
	call_at("fn:g", 850);
	call_at("fn:f", 1900);
	call_at("fn:g", 1850);
	call_at("fn:g%return", 850);
	call_at("fn:g", 840);
	call_at("fn:g%return", 1850);
	call_at("fn:f%return", 1900);
	call_at("fn:f", 1910);
	call_at("fn:g%return", 840);
	call_at("fn:f%return", 900);
	call_at("fn:f%return", 1910);
	stop("fn:g 2-3 aside\nfn:f 1-3 aside\nfn:g 2-5/1\nfn:g 4-7/3\n"
	     "fn:f 3-8/2\nfn:g 6-10/3\nfn:f 1-11/0\nfn:f 9-12/2\n",
	     "stacks side by side");
	start(NULL);
	/* 41 times two calls that were left: the limit is 32 */
	call_at("fn:f", 100000);
	for (int32_t i = 0; i < 40; i++) {
		call_at("fn:g", 1000 + 20 * i);
		call_at("fn:io_start", 2000 + 20 * i);
	}
	call_at("fn:f%return", 100000);
	for (const char *p = told; (p = strstr(p, " left\n")); p++)
		left++;
	unit_equal(left, 2 * (41 - 32), "calls that were left");
	pairs_finish(pairs);
	pairs_free(pairs);
	start(NULL);
	call_at("fn:f", 900 << 20);
	call_at("fn:g", 100 << 20);	/* on a stack of a coroutine */
	call_at("fn:f%return", 900 << 20);
	call_at("fn:f", 901 << 20);
	call_at("fn:g%return", 100 << 20);
	call_at("fn:f%return", 901 << 20);
	stop("fn:f 1-3/0\nfn:g 2-5/1\nfn:f 4-6/1\n", "coroutines");
	start("fn:f,fn:f%return");
	call_at("fn:f", 900);
	call_at("fn:g", 800);
	call_at("fn:f%return", 700);
	call_at("fn:g%return", 800);
	stop("fn:f,fn:f%return 1-3/0\nfn:g 2-4/1\n", "a rule of a function");
}

/* A call that ends at a time, and took so long. */
static void call_ended(int32_t thread, const char *name, int64_t end,
		       uint32_t duration, int32_t depth)
{
	now = end - 1;
	feed_from(0, thread, duration, name, depth, "");
}

/* Feeds whole calls of a thread: end, duration, depth. Returns whether two are
 * found to overlap. */
static bool whole_crossed(const int (*calls_made)[3], size_t n)
{
	struct pair_kind *const *kinds;
	char text[256] = "";
	bool told_so = false;

	start(NULL);
	for (size_t i = 0; i < n; i++)
		call_ended(7, "fn:whole", calls_made[i][0],
			   (uint32_t)calls_made[i][1], calls_made[i][2]);
	n = pairs_kinds(pairs, &kinds);
	for (size_t i = 0; i < n; i++)
		told_so |= pair_termless_text(kinds[i], text, sizeof(text));
	unit_equal(told_so, strstr(text, "overlap others") != NULL, "%s", text);
	pairs_free(pairs);
	return told_so;
}

static void whole_crossings(void)
{
	/* one coroutine's call goes on in another one's */
	static const int crossed[][3] = { { 100, 90, 1 }, { 150, 100, 2 } };
	static const int nested[][3] = { { 100, 50, 2 }, { 150, 140, 1 } };
	static const int siblings[][3] = { { 100, 50, 2 }, { 150, 40, 2 } };

	unit_equal(whole_crossed(crossed, 2), true, "calls that cross");
	unit_equal(whole_crossed(nested, 2), false, "one in another");
	unit_equal(whole_crossed(siblings, 2), false, "one behind another");
}

static void whole_calls(void)
{
	start(NULL);
	call_ended(7, "fn:whole", 10, 4, 3);
	call_ended(8, "fn:whole", 12, 6, 9);
	call_ended(7, "fn:whole_entry", 20, 5, 3);
	call_ended(7, "fn:whole", 22, 20, 2);
	/* its caller is not recorded, but the one above is */
	call_ended(7, "fn:whole", 30, 3, 3);
	call_ended(7, "fn:whole", 50, 2, 2);
	call_ended(7, "fn:whole", 60, 59, 1);
	/* by the process's clock, the inner one began before */
	call_ended(7, "fn:whole", 110, 10, 2);
	call_ended(7, "fn:whole", 111, 5, 1);
	stop("fn:whole 6-10/3 with 0\nfn:whole 6-12/9 with 0\n"
	     "fn:whole_entry 15-20/3 with 0\n"
	     "fn:whole 2-22/2 with 9 again 4\n"
	     "fn:whole 27-30/3 with 0\nfn:whole 48-50/2 with 0\n"
	     "fn:whole 1-60/1 with 25 again 25\nfn:whole 100-110/2 with 0\n"
	     "fn:whole 100-111/1 with 10 again 10\n", "whole calls");
	/* clocks that differ by some millionths: a duration of 655,360 is one
	 * of 655,320 to 655,400 */
	start(NULL);
	call_ended(7, "fn:whole", 197, 4, 2);
	call_ended(7, "fn:whole", 655560, 655360, 1);
	call_ended(7, "fn:whole", 1310916, 655360, 1);
	call_ended(7, "fn:whole", 1310930, 50, 1);
	stop("fn:whole 193-197/2 with 0\n"
	     "fn:whole 193-655560/1 with 4 again 4\n"
	     "fn:whole 655560-1310916/1 with 0\n"
	     "fn:whole 1310880-1310930/1 with 0\n", "clocks that differ");
	/* the second one's event came late; so did the sixth one's, around two;
	 * the last ones have no room, or are too late */
	start(NULL);
	call_ended(7, "fn:whole", 150, 4, 4);
	call_ended(7, "fn:whole", 340, 10, 3);
	call_ended(7, "fn:whole", 341, 250, 2);
	call_ended(7, "fn:whole", 410, 10, 4);
	call_ended(7, "fn:whole", 430, 10, 4);
	call_ended(7, "fn:whole", 500, 30, 3);
	call_ended(7, "fn:whole", 600, 29, 2);
	call_ended(7, "fn:whole", 2000000000, 100, 1);
	stop("fn:whole 146-150/4 with 0\n"
	     "fn:whole 146-156/3 with 4 again 4\n"
	     "fn:whole 91-341/2 with 10 again 10\n"
	     "fn:whole 400-410/4 with 0\nfn:whole 420-430/4 with 0\n"
	     "fn:whole 400-430/3 with 20 again 20\n"
	     "fn:whole 571-600/2 with 0\n"
	     "fn:whole 1999999900-2000000000/1 with 0\n",
	     "calls that are told late");
	/* pairs of other functions around whole calls, and in them */
	start(NULL);
	call_at("fn:f", 900);
	call_at("fn:g", 800);
	call_at("fn:g%return", 800);
	call_ended(7, "fn:whole", 10, 8, 2);
	call_ended(7, "fn:whole", 12, 1, 2);
	inners = true;
	call_at("fn:f%return", 900);
	inners = false;
	call_ended(7, "fn:whole", 20, 20, 1);
	stop("fn:g 2-3/1\nfn:whole 2-10/2 with 1\nfn:whole 11-12/2 with 0\n"
	     "fn:f 1-13/0 with 9\nfn:whole 0-20/1 with 12 again 9\n",
	     "whole calls, and pairs");
	start(NULL);
	/* more neighbours than a lane keeps, and another call before them */
	call_ended(7, "fn:whole_entry", 5, 3, 1);
	for (int i = 0; i < 9000; i++) {
		used = 0;
		call_ended(7, "fn:whole", 10 * i + 20, 2, 2);
	}
	used = 0;
	call_ended(7, "fn:whole", 100000, 99990, 1);
	stop("fn:whole 10-100000/1 with 18000 again 18000\n",
	     "many whole calls");
}

static void threads(void)
{
	start(NULL);
	feed_from(0, 1, 0, "app:work_entry", 0, "");
	feed_from(0, 2, 0, "app:work_entry", 0, "");
	feed_from(1, 1, 0, "app:work_entry", 0, "");
	feed_from(0, 1, 1, "app:work_exit", 0, "");
	feed_from(1, 1, 1, "app:work_exit", 0, "");
	feed_from(0, 2, 1, "app:work_exit", 0, "");
	feed_from(1, 2, 1, "app:work_exit", 0, "");
	stop("app:work 1-4/0\napp:work 3-5/0\napp:work 2-6/0\n"
	     "app:work no begin 7\n", "threads of two processes");
}

static void cpus(void)
{
	traces[0].context = NULL;
	start(NULL);
	feed_from(0, 0, 3, "app:work_entry", 0, "");
	feed_from(0, 0, 3, "app:work_exit", 0, "");
	feed_from(0, 0, 3, "app:lone_begin", 0, "");
	feed_from(1, 2, 3, "app:work_entry", 0, "");
	feed_from(1, 2, 3, "app:work_exit", 0, "");
	unit_equal(pairs_threadless(pairs), 2, "events without a thread");
	stop("app:work 4-5/0\n", "without vtid, no pair");
	start("app:work_entry,app:work_exit");
	feed_from(0, 0, 3, "app:work_entry", 0, "");
	feed_from(0, 0, 3, "app:work_exit", 0, "");
	unit_equal(pairs_threadless(pairs), 2, "without a thread, of a rule");
	stop("", "without vtid, no pair of a rule");
	traces[0].context = &context;
	start(NULL);
	feed_from(0, 0, 3, "app:work_entry", 0, "");
	feed_from(0, 0, 3, "app:work_exit", 0, "");
	unit_equal(pairs_threadless(pairs), 2, "thread 0 is none");
	stop("", "of thread 0, no pair");
	traces[0].context = NULL;
	start(NULL);
	pairs_by_cpu(pairs);
	feed_from(0, 0, 3, "app:work_entry", 0, "");
	feed_from(0, 0, 4, "app:work_entry", 0, "");
	feed_from(0, 0, 3, "app:work_exit", 0, "");
	feed_from(0, 0, 5, "app:work_exit", 0, "");
	stop("app:work 1-3/0\napp:work no begin 4\napp:work 2-4 open\n",
	     "without vtid, by CPU");
	traces[0].context = &context;
}

static void ends_missing(void)
{
	start(NULL);
	feed("app:begin");
	feed("app:work_entry");
	feed("app:inner_entry");
	feed("app:io_start");
	feed("app:work_exit");
	feed("app:io_done");
	feed("app:lone_begin");
	stop("app:inner 3-5 left\napp:work 2-5/1\napp:io 4-6/3\n"
	     "app 1-7 open\napp:lone 7-7 open\n", "ends that are missing");
}

/* What is begun over and over, and has no END in the traces, is no pair. */
static void ends_unknown(void)
{
	start(NULL);
	feed("app:begin");
	for (int i = 0; i < 65; i++)
		feed("app:lone_begin");
	stop("app 1-66 open\n", "begins that have no end are not told");
}

static void keys(void)
{
	start("app/request,app/reply,id=number,url");
	feed_from(0, 1, 0, "app:request", 5, "/x");
	feed_from(0, 1, 0, "app:request", -6, "/a b");
	feed_from(1, 1, 0, "app:request", 5, "/x");
	feed_from(0, 2, 0, "app:reply", 5, "/y");
	feed_from(0, 2, 0, "app:reply", 5, "/x");
	feed_from(0, 2, 0, "app:reply", -6, "/a b");
	stop("app/request,app/reply,id=number,url no begin 4\n"
	     "app/request,app/reply,id=number,url 1-5/0 5 \"/x\"\n"
	     "app/request,app/reply,id=number,url 2-6/0 -6 \"/a b\"\n"
	     "app/request,app/reply,id=number,url 3-6 open\n", "keys");
	start("request,reply,id=number,@any");
	feed_from(0, 1, 0, "app:request", 5, "/x");
	feed_from(1, 2, 0, "app:reply", 5, "");
	stop("request,reply,id=number,@any 1-2/0 5\n",
	     "keys across processes");
}

static void long_keys(void)
{
	char one[128], other[128];

	memset(one, 'x', 100);
	one[100] = '\0';
	strcpy(other, one);
	other[99] = 'y';
	start("request,reply,url");
	feed_from(0, 1, 0, "app:request", 1, one);
	feed_from(0, 1, 0, "app:request", 1, other);
	feed_from(0, 1, 0, "app:reply", 1, one);
	used = 0;
	told[0] = '\0';
	stop("request,reply,url 2-3 open\n", "keys without room");
	start("request,step,url");
	feed_from(0, 1, 0, "app:request", 1, "");
	feed("app:step");
	unit_check(true, "a key that END has not");
	stop("request,step,url 1-2 open\n", "a key that END has not");
}

static void rules(void)
{
	static const char *const wrong[] = {
		"", "a", "a,", ",b", "a,b,", "a,b,=", "a,b,c=", "a,b,=c",
		"a,b,@any", "a,b,1,2,3,4,5",
	};
	const char *why;

	start("app:step,app:step");
	for (int i = 0; i < 3; i++)
		feed("app:step");
	stop("app:step,app:step 1-2/0\napp:step,app:step 2-3/0\n",
	     "from one to the next");
	start("work_entry,work_exit");
	feed("app:work_entry");
	feed("app:inner_entry");
	feed("app:inner_exit");
	feed("app:work_exit");
	stop("app:inner 2-3/1\nwork_entry,work_exit 1-4/0\n",
	     "a rule replaces the kind of its names");
	start(NULL);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		why = NULL;
		unit_check(pairs_add(pairs, wrong[i], &why) < 0 && why,
			   "no rule: '%s'", wrong[i]);
	}
	stop("", "no rule was added");
}

/* Says that a trace is complete from a time on; 0: it has lost nothing. */
static void set_complete(unsigned int process, int64_t ns)
{
	traces[process].gaps.n = 0;
	if (ns)
		gaps_add(&traces[process].gaps, INT64_MIN, ns);
}

static void check_out(unsigned int process, uint64_t begins, uint64_t ends,
		      const char *name)
{
	struct pairs_out out = pairs_left_out(pairs, &traces[process]);

	unit_equal(out.begins, begins, "%s: begins left out", name);
	unit_equal(out.ends, ends, "%s: ends left out", name);
}

/* Events before the fifth nanosecond may be missing, of one process. */
static void partial(void)
{
	set_complete(0, 5);
	start(NULL);
	feed("app:begin");
	feed_from(1, 7, 0, "app:begin", 0, "");
	feed("app:end");
	feed("app:begin");
	feed("app:begin");
	feed_from(1, 7, 0, "app:end", 0, "");
	feed("app:end");
	feed("app:end");
	feed("app:begin");
	check_out(0, 2, 1, "partial");
	check_out(1, 0, 0, "partial: the other process");
	stop("app 2-6/0\napp 5-7/0\napp no begin 8\napp 9-9 open\n",
	     "pairs begin where all is there");
	start("app:step,app:step");
	for (int i = 0; i < 7; i++)
		feed("app:step");
	check_out(0, 4, 0, "steps");
	stop("app:step,app:step 5-6/0\napp:step,app:step 6-7/0\n",
	     "steps begin where all is there");
	set_complete(0, 0);
}

/* A gap that is met later: what was open then is not known any more. */
static void gaps(void)
{
	start(NULL);
	feed("app:begin");
	feed("app:work_entry");
	feed("app:begin");
	feed("app:inner_entry");
	feed("app:inner_exit");
	set_complete(0, 7);
	feed("app:end");
	feed("app:begin");
	feed("app:end");
	feed("app:end");
	feed("app:work_entry");
	feed("app:work_exit");
	check_out(0, 2, 1, "gaps");
	pairs_finish(pairs);
	check_out(0, 3, 1, "gaps: at the end");
	stop("app:inner 4-5/3\napp 7-8/3\napp 3-9 left out\n"
	     "app 1-9 left out\napp no begin 9\napp:work 10-11/1\n"
	     "app:work 2-11 left out\n", "gaps");
	set_complete(0, 0);
}

/* A gap that is known before the events in front of it are read, because the
 * reader skips what is not wanted. What is before it, and behind it, is
 * whole. */
static void gaps_ahead(void)
{
	start(NULL);
	gaps_add(&traces[0].gaps, 5, 9);
	feed("app:begin");
	feed("app:work_entry");
	feed("app:begin");
	feed("app:end");
	feed("app:end");
	feed("app:begin");
	feed_from(1, 7, 0, "app:begin", 0, "");
	feed("app:work_exit");
	feed("app:begin");
	feed("app:end");
	feed_from(1, 7, 0, "app:end", 0, "");
	check_out(0, 1, 1, "gaps ahead");
	stop("app 3-4/2\napp 1-5/0\napp 9-10/1\napp 7-11/0\n"
	     "app:work 2-11 left out\n", "gaps ahead");
	set_complete(0, 0);
}

/* Many gaps: the earliest become one. */
static void many_gaps(void)
{
	struct gaps *gaps = &traces[0].gaps;
	int64_t end;

	for (int64_t i = 20; i >= 0; i -= 2)
		gaps_add(gaps, 10 * i, 10 * i + 5);
	unit_equal(gaps->n, GAPS_MAX, "many gaps");
	unit_check(gaps_meet(gaps, 7, 7), "the earliest are one");
	unit_check(!gaps_meet(gaps, 190, 200) && gaps_meet(gaps, 190, 201),
		   "the latest are as they were");
	gaps_add(gaps, 161, 183);
	unit_equal(gaps->n, GAPS_MAX - 1, "an overlap is one gap");
	unit_check(gaps_meet(gaps, 170, 171) && !gaps_meet(gaps, 185, 185),
		   "what it has");
	unit_check(gaps_end(gaps, INT64_MIN, INT64_MAX, &end) && end == 205,
		   "the end of the last");
	unit_check(gaps_end(gaps, INT64_MIN, 200, &end) && end == 185,
		   "the end of the last in a window");
	unit_check(!gaps_end(gaps, 205, 300, &end), "a window behind all");
	set_complete(0, 0);
}

/* Keys that are compared across processes need both to be complete; a process
 * without such events does not matter. */
static void partial_across(void)
{
	struct pair_kind *const *kinds;

	start("request,reply,id=number,@any");
	pairs_meet(pairs, &traces[0]);
	pairs_meet(pairs, &traces[1]);
	feed_from(0, 1, 0, "app:request", 1, "");
	feed_from(0, 1, 0, "app:request", 2, "");
	set_complete(1, 4);
	feed_from(0, 1, 0, "app:reply", 1, "");
	feed_from(0, 1, 0, "app:request", 3, "");
	feed_from(0, 1, 0, "app:reply", 3, "");
	stop("request,reply,id=number,@any 4-5/0 3\n"
	     "request,reply,id=number,@any 1-5 left out\n"
	     "request,reply,id=number,@any 2-5 left out\n",
	     "a gap that another process meets later");
	start("request,reply,id=number,@any");
	feed_from(0, 1, 0, "app:request", 1, "");
	feed_from(0, 1, 0, "app:reply", 1, "");
	feed_from(0, 1, 0, "app:request", 2, "");
	pairs_meet(pairs, &traces[1]);
	feed_from(0, 1, 0, "app:request", 3, "");
	feed_from(1, 1, 0, "app:reply", 2, "");
	feed_from(0, 1, 0, "app:reply", 3, "");
	stop("request,reply,id=number,@any 1-2/0 1\n"
	     "request,reply,id=number,@any 3-5 left out\n"
	     "request,reply,id=number,@any no begin 5\n"
	     "request,reply,id=number,@any 4-6/0 3\n",
	     "a process that is met later");
	start("request,reply,id=number,@any");
	pairs_meet(pairs, &traces[0]);
	pairs_meet(pairs, &traces[1]);
	for (int32_t i = 1; i < 6; i++)
		feed_from(0, 1, 0, "app:request", i, "");
	feed_from(1, 1, 0, "app:reply", 4, "");
	pairs_kinds(pairs, &kinds);
	unit_equal(kinds[0]->begins_out, 3, "both are known: left out");
	stop("request,reply,id=number,@any 4-6/0 4\n"
	     "request,reply,id=number,@any 5-6 open\n",
	     "both processes are known at first");
	for (uint32_t i = 0; i < NNAMES; i++)
		if (!strcmp(names[i], "app:request") ||
		    !strcmp(names[i], "app:reply"))
			tables[1][i] = NULL;
	start("request,reply,id=number,@any");
	pairs_meet(pairs, &traces[0]);
	pairs_meet(pairs, &traces[1]);
	feed_from(0, 1, 0, "app:request", 1, "");
	feed_from(0, 1, 0, "app:reply", 1, "");
	stop("request,reply,id=number,@any 1-2/0 1\n",
	     "a process without such events");
	set_complete(1, 0);
	make_traces();
}

/* More open pairs than are kept, threads and keys that come and go. */
static void many(void)
{
	struct pair_kind *const *kinds;
	size_t n;

	start("request,reply,id=number");
	for (int32_t i = 0; i < 300000; i++) {
		used = 0;
		feed_from(0, i, 0, "app:request", i, "");
	}
	used = 0;
	told[0] = '\0';
	feed_from(0, 1, 0, "app:reply", 299999, "");
	feed_from(0, 1, 0, "app:reply", 0, "");
	unit_equal_string(told, "request,reply,id=number 300000-300001/0 299999"
			  "\nrequest,reply,id=number no begin 300002\n",
			  "the newest are kept");
	n = pairs_kinds(pairs, &kinds);
	unit_check(n && kinds[0]->given, "kinds: the rule first");
	unit_equal(kinds[0]->open, PAIRS_OPEN_MAX - 1,
		   "as many as there may be");
	unit_equal(kinds[0]->given_up, 300000 - PAIRS_OPEN_MAX, "given up");
	unit_equal(pairs_given_up(pairs), 300000 - PAIRS_OPEN_MAX,
		   "given up of all kinds");
	unit_equal(kinds[0]->unfinished, 0, "none is unfinished so far");
	unit_equal(kinds[0]->unbegun, 1, "the end of one has no begin");
	for (int32_t i = 0; i < 300000; i++) {
		used = 0;
		feed_from(0, i, 0, "app:work_entry", 0, "");
		feed_from(0, i, 0, "app:work_exit", 0, "");
	}
	used = 0;
	told[0] = '\0';
	feed_from(0, 1, 0, "app:reply", 299998, "");
	unit_equal_string(told, "request,reply,id=number 299999-900003/0 299998"
			  "\n", "threads that come and go do not matter");
	for (int32_t i = 0; i < 300000; i++) {
		used = 0;
		feed("app:lone_begin");
	}
	used = 0;
	told[0] = '\0';
	feed_from(0, 1, 0, "app:reply", 299997, "");
	unit_equal_string(told, "request,reply,id=number "
			  "299998-1200004/0 299997\n",
			  "nor begins that have no end");
	pairs_free(pairs);
}

int main(void)
{
	make_traces();
	by_names();
	recursion();
	functions();
	terms();
	terms_ended();
	whole_calls();
	whole_crossings();
	threads();
	cpus();
	ends_missing();
	ends_unknown();
	keys();
	long_keys();
	rules();
	partial();
	gaps();
	gaps_ahead();
	many_gaps();
	partial_across();
	many();
	return unit_end();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A probe library: writes an event when the time between two markers is longer
 * than a limit, with the stack of the thread that took so long.
 *
 *	taffrail load PID watchdog
 *	taffrail connect PID app/request watchdog:begin limit=100ms --enable
 *	taffrail connect PID app/reply watchdog:end limit=100ms --enable
 *	taffrail record -p PID -e watchdog/slow
 */
#include <execinfo.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <taffrail/clock.h>
#include <taffrail/marker.h>
#include <taffrail/probe-library.h>

#include "callbacks/shipped/pairs-private.h"
#include "callbacks/shipped/value-private.h"

#define DEPTH		64
#define NAME_BYTES	64

/* The state that begin and end of one name share. */
struct watch {
	struct watch *next;
	char name[NAME_BYTES];
	char by[NAME_BYTES];	/* a field of the end, or "" */
	uint64_t limit;		/* of the clock */
	int uses;
	uint64_t ends;
	uint64_t late;
	struct pairs pairs;
};

static struct watch *watches;

/* The callback of the first marker of a pair. */
static void begin(const struct taffrail_event *event, void *priv)
{
	pairs_begin(&((struct watch *)priv)->pairs, taffrail_event_time(event));
}

/* The callback of the second marker: writes the event if the time was too long.
 * No other thread's pair is looked at. */
static void end(const struct taffrail_event *event, void *priv)
{
	struct watch *w = priv;
	uint64_t took, ns;
	void *stack[DEPTH];
	int n;
	char by[VALUE_BYTES];

	if (!pairs_end(&w->pairs, taffrail_event_time(event), &took))
		return;
	__atomic_fetch_add(&w->ends, 1, __ATOMIC_RELAXED);
	if (took <= w->limit)
		return;
	__atomic_fetch_add(&w->late, 1, __ATOMIC_RELAXED);
	/* the stack of the thread that took so long, and the value of a
	 * field of the end */
	n = backtrace(stack, DEPTH);
	ns = pairs_ns(took);
	value_text(event, *w->by ? taffrail_field(event, w->by) : -1, by);
	TAFFRAIL_EVENT(watchdog, slow, TAFFRAIL_STR(w->name), ns,
		       TAFFRAIL_ARRAY((uint64_t *)stack, n), TAFFRAIL_STR(by));
}

/* Reads "100ms", in units of the clock. Returns 0 when it is no time. */
static uint64_t limit_read(const char *text)
{
	static const struct {
		const char *unit;
		double seconds;
	} units[] = { { "ns", 1e-9 }, { "us", 1e-6 }, { "ms", 1e-3 },
		      { "s", 1 } };
	char *unit;
	double n = text ? strtod(text, &unit) : 0;

	for (size_t i = 0; n > 0 && i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(unit, units[i].unit))
			return (uint64_t)(n * units[i].seconds *
					  (double)taffrail_clock_hz());
	return 0;
}

/* Returns 1, with the reason as the answer. */
static int call_refuse(struct taffrail_call *call, const char *why)
{
	taffrail_call_printf(call, "%s\n", why);
	return 1;
}

/* Finds the pair of that name, or makes it. Begin and end are connected apart,
 * and must agree. */
static int open_watch(struct taffrail_call *call, void **priv)
{
	uint64_t limit = limit_read(taffrail_call_value(call, "limit"));
	const char *name = taffrail_call_value(call, "name") ?: "pair";
	const char *by = taffrail_call_value(call, "by");
	struct watch *w = watches;
	void *stack[1];

	for (int i = 0; i < taffrail_call_words(call); i++) {
		const char *word = taffrail_call_word(call, i);

		if (strncmp(word, "limit=", 6) && strncmp(word, "name=", 5) &&
		    strncmp(word, "by=", 3))
			return call_refuse(call,
					   "the settings are limit=, by= and "
					   "name=");
	}
	while (w && strcmp(w->name, name))
		w = w->next;
	if (strlen(name) >= NAME_BYTES || (by && strlen(by) >= NAME_BYTES))
		return call_refuse(call, "a name has at most 63 characters");
	if (!limit)
		return call_refuse(call, "say how long: limit=100ms (ns, us, "
					 "ms, s)");
	if (w && w->limit != limit)
		return call_refuse(call, "begin and end of a name have one "
					 "limit=");
	if (w && by && strcmp(w->by, by))
		return call_refuse(call, "begin and end of a name have one "
					 "by=");
	if (!w) {
		w = calloc(1, sizeof(*w));
		if (!w)
			return call_refuse(call, "no memory");
		/* the first call of backtrace() loads a library */
		backtrace(stack, 1);
		strcpy(w->name, name);
		strcpy(w->by, by ?: "");
		w->limit = limit;
		w->next = watches;
		watches = w;
	}
	w->uses++;
	*priv = w;
	return 0;
}

/* Frees the pair with the last connection. No thread is in a callback of it
 * then. */
static void close_watch(void *priv)
{
	struct watch **link = &watches;
	struct watch *w = priv;

	if (--w->uses)
		return;
	while (*link != w)
		link = &(*link)->next;
	*link = w->next;
	free(w);
}

/* `taffrail call PID watchdog:print`. */
static int print(struct taffrail_call *call)
{
	const struct watch *w;

	for (w = watches; w; w = w->next)
		taffrail_call_printf(call, "%s: %" PRIu64 " pairs, %" PRIu64
				     " of them too long\n", w->name, w->ends,
				     w->late);
	return !watches &&
	       call_refuse(call, "nothing is connected to this library");
}

TAFFRAIL_PROBE_LIBRARY(watchdog);
TAFFRAIL_PROBE_CALLBACK_WITH(begin, TAFFRAIL_PROBE_SIGNAL, open_watch,
			     close_watch);
TAFFRAIL_PROBE_CALLBACK_WITH(end, 0, open_watch, close_watch);
TAFFRAIL_PROBE_CALL(print);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A probe library: histograms of a field's values, or of the times between two
 * markers, for each value of another field.
 *
 *	taffrail load PID histogram
 *	taffrail connect PID app/reply histogram:value field=ms by=url --enable
 *	taffrail call PID histogram:print
 *
 * It is an example, too: it uses the public headers alone.
 *
 * A hit adds 1 to a counter of the CPU that it is on. Keys are put into a table
 * by one compare-and-swap, and stay there. Nothing is locked, so the callbacks
 * are async-signal-safe.
 */
#include "probes/shipped/histogram-private.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SPINS		1000

static struct histogram *histograms;

struct histogram *histogram_find(const char *name)
{
	struct histogram *h = histograms;

	while (h && strcmp(h->name, name))
		h = h->next;
	return h;
}

struct histogram *histogram_next(const struct histogram *h)
{
	return h ? h->next : histograms;
}

/* Returns the counters of this CPU, which the first hit on it makes; NULL
 * without memory. */
static struct counts *counts_of(struct histogram *h)
{
	unsigned int cpu = (unsigned int)sched_getcpu();
	struct counts **at = &h->cpus[cpu % CPUS];
	/* order: HISTOGRAM_COUNTS acquire */
	struct counts *mine = __atomic_load_n(at, __ATOMIC_ACQUIRE);
	struct counts *none = NULL;

	if (mine)
		return mine;
	mine = mmap(NULL, sizeof(*mine), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mine == MAP_FAILED)
		return NULL;
	/* order: HISTOGRAM_COUNTS both */
	if (__atomic_compare_exchange_n(at, &none, mine, 0, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return mine;
	munmap(mine, sizeof(*mine));
	return none;
}

/* Returns 1 when the key is this text, 0 when it is another; -1 when the thread
 * that writes it does not go on: it may be the one that this handler has
 * interrupted. */
static int key_matches(const struct key *key, const char *text)
{
	int i;

	for (i = 0; i < SPINS; i++)
		/* order: HISTOGRAM_KEY acquire */
		if (__atomic_load_n(&key->state, __ATOMIC_ACQUIRE) == KEY_WHOLE)
			return !strcmp(key->text, text);
	return -1;
}

/* Returns the number of a key: that of all others when the table is full. */
static int key_number(struct histogram *h, const char *text)
{
	uint32_t hash = 5381;
	const char *c;
	uint32_t i;

	for (c = text; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	for (i = 0; i < KEY_OTHERS; i++) {
		struct key *key = &h->keys[(hash + i) % KEY_OTHERS];
		uint32_t none = KEY_FREE;
		int is;

		/* order: HISTOGRAM_KEY both */
		if (__atomic_load_n(&key->state, __ATOMIC_RELAXED) ==
			    KEY_FREE &&
		    __atomic_compare_exchange_n(&key->state, &none, KEY_WRITTEN,
						0, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED)) {
			strcpy(key->text, text);
			/* order: HISTOGRAM_KEY release */
			__atomic_store_n(&key->state, KEY_WHOLE,
					 __ATOMIC_RELEASE);
			return (int)(key - h->keys);
		}
		is = key_matches(key, text);
		if (is)
			return is > 0 ? (int)(key - h->keys) : KEY_OTHERS;
	}
	return KEY_OTHERS;
}

/* Returns the bucket of a value. */
static int bucket_of(const struct histogram *h, int64_t value)
{
	uint64_t steps;

	if (!h->step)
		return value < 0 ? 0 :
		       value     ? 65 - __builtin_clzll((uint64_t)value) :
				   1;
	if (value < h->least)
		return 0;
	/* the distance may be more than an int64_t holds */
	steps = ((uint64_t)value - (uint64_t)h->least) / (uint64_t)h->step;
	return steps < LINEAR ? (int)steps + 1 : LINEAR + 1;
}

static void value_count(struct histogram *h, const struct taffrail_event *event,
			int64_t value)
{
	struct counts *counts = counts_of(h);
	char text[VALUE_BYTES];
	int key;

	if (!counts) {
		__atomic_fetch_add(&h->lacking, 1, __ATOMIC_RELAXED);
		return;
	}
	value_text(event, *h->by ? taffrail_field(event, h->by) : -1, text);
	key = key_number(h, text);
	__atomic_fetch_add(&counts->buckets[key][bucket_of(h, value)], 1,
			   __ATOMIC_RELAXED);
	__atomic_fetch_add(&counts->sums[key], (uint64_t)value,
			   __ATOMIC_RELAXED);
}

static void value(const struct taffrail_event *event, void *priv)
{
	struct histogram *h = priv;
	int field = taffrail_field(event, h->field);
	int64_t i64;
	double d;

	if (taffrail_field_i64(event, field, &i64))
		value_count(h, event, i64);
	else if (taffrail_field_double(event, field, &d) && d > -9e18 &&
		 d < 9e18)
		value_count(h, event, (int64_t)d);
	else
		__atomic_fetch_add(&h->lacking, 1, __ATOMIC_RELAXED);
}

static void begin(const struct taffrail_event *event, void *priv)
{
	struct histogram *h = priv;

	if (!pairs_begin(&h->pairs, taffrail_event_time(event)))
		__atomic_fetch_add(&h->unpaired, 1, __ATOMIC_RELAXED);
}

static void end(const struct taffrail_event *event, void *priv)
{
	struct histogram *h = priv;
	uint64_t took;

	if (pairs_end(&h->pairs, taffrail_event_time(event), &took))
		value_count(h, event, (int64_t)pairs_ns(took));
	else
		__atomic_fetch_add(&h->unpaired, 1, __ATOMIC_RELAXED);
}

static int call_refuse(struct taffrail_call *call, const char *why)
{
	taffrail_call_printf(call, "%s\n", why);
	return 1;
}

/* Copies a setting. Returns 0 when it is too long. */
static int setting_copy(struct taffrail_call *call, const char *name,
			char to[NAME_BYTES])
{
	const char *from = taffrail_call_value(call, name);

	if (!from)
		return 1;
	if (strlen(from) >= NAME_BYTES)
		return 0;
	strcpy(to, from);
	return 1;
}

/* Returns 0 when it is no number, or one that has more than 64 bits. */
static int number_read(const char *text, int64_t *number)
{
	char *rest;

	errno = 0;
	*number = strtoll(text, &rest, 10);
	return *text && !*rest && !errno;
}

/* Reads the settings into a new histogram. Returns 0, or 1 after the reason. */
static int settings_read(struct taffrail_call *call, struct histogram *h,
			 int by_field)
{
	static const char *const known[] = { "field=", "by=", "step=", "least=",
					     "name=" };
	const char *step = taffrail_call_value(call, "step");
	const char *least = taffrail_call_value(call, "least");
	size_t k;
	int i;

	for (i = 0; i < taffrail_call_words(call); i++) {
		const char *word = taffrail_call_word(call, i);

		for (k = 0; k < sizeof(known) / sizeof(*known); k++)
			if (!strncmp(word, known[k], strlen(known[k])))
				break;
		if (k == sizeof(known) / sizeof(*known))
			return call_refuse(call, "the settings are field=, "
						 "by=, step=, least= and "
						 "name=");
	}
	if (!setting_copy(call, "field", h->field) ||
	    !setting_copy(call, "by", h->by))
		return call_refuse(call, "a name has at most 63 characters");
	if (by_field && !*h->field)
		return call_refuse(call, "say which field: field=NAME");
	if (step && (!number_read(step, &h->step) || h->step <= 0))
		return call_refuse(call, "step= is a number above 0");
	if (least && (!number_read(least, &h->least) || !h->step))
		return call_refuse(call, "least= is a number, and goes with "
					 "step=");
	return 0;
}

/* Finds the histogram of the name, or makes it. */
static int open_histogram(struct taffrail_call *call, void **priv,
			  int by_field, const char *usual)
{
	const char *name = taffrail_call_value(call, "name");
	struct histogram *h = histogram_find(name ? name : usual);

	if (!h) {
		h = calloc(1, sizeof(*h));
		if (!h)
			return call_refuse(call, "no memory");
		strcpy(h->name, usual);
		if (!setting_copy(call, "name", h->name) ||
		    settings_read(call, h, by_field)) {
			free(h);
			return call_refuse(call, "");
		}
		h->times = !by_field;
		h->next = histograms;
		histograms = h;
	} else if (h->times != !by_field) {
		return call_refuse(call, "a histogram of that name has other "
				    "values: give this one a name=");
	}
	h->uses++;
	*priv = h;
	return 0;
}

static int value_connect(struct taffrail_call *call, void **priv)
{
	const char *field = taffrail_call_value(call, "field");

	return open_histogram(call, priv, 1,
			      field && strlen(field) < NAME_BYTES ? field :
								    "value");
}

static int pair_connect(struct taffrail_call *call, void **priv)
{
	return open_histogram(call, priv, 0, "ns");
}

static void histogram_release(void *priv)
{
	struct histogram **link = &histograms;
	struct histogram *h = priv;
	int i;

	if (--h->uses)
		return;
	while (*link != h)
		link = &(*link)->next;
	*link = h->next;
	for (i = 0; i < CPUS; i++)
		if (h->cpus[i])
			munmap(h->cpus[i], sizeof(*h->cpus[i]));
	free(h);
}

TAFFRAIL_PROBE_LIBRARY(histogram);
TAFFRAIL_PROBE_CALLBACK_WITH(value, TAFFRAIL_PROBE_SIGNAL, value_connect,
			     histogram_release);
TAFFRAIL_PROBE_CALLBACK_WITH(begin, TAFFRAIL_PROBE_SIGNAL, pair_connect,
			     histogram_release);
TAFFRAIL_PROBE_CALLBACK_WITH(end, TAFFRAIL_PROBE_SIGNAL, pair_connect,
			     histogram_release);

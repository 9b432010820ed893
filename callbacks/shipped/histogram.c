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
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <taffrail/probe-library.h>

#include "callbacks/shipped/pairs-private.h"
#include "callbacks/shipped/value-private.h"

#define SPINS		1000
#define BAR		52
#define LABEL		40
#define KEYS		256
#define KEY_OTHERS	(KEYS - 1)	/* where no other is free */
#define LINEAR		100		/* buckets of equal width */
#define BUCKETS		(LINEAR + 2)
#define CPUS		1024
#define NAME_BYTES	64

enum key_state { KEY_FREE = 0, KEY_WRITTEN, KEY_WHOLE };

/* A value of the field `by`. */
struct key {
	uint32_t state;			/* enum key_state */
	char text[VALUE_BYTES];
};

/* The counters of one CPU. Powers of two: below 0, 0, 1, 2 to 3, 4 to 7 ...
 * Equal widths: below `least`, LINEAR buckets, above. */
struct counts {
	uint64_t buckets[KEYS][BUCKETS];
	uint64_t sums[KEYS];
};

struct histogram {
	struct histogram *next;
	char name[NAME_BYTES];
	char field[NAME_BYTES];
	char by[NAME_BYTES];
	int64_t step;			/* 0: powers of two */
	int64_t least;
	int uses;			/* connections */
	int times;			/* between begin and end, in ns */
	uint64_t unpaired;		/* ends without a begin, and begins
					 * for which there was no place */
	uint64_t lacking;		/* hits without the field, or memory */
	struct key keys[KEYS];
	struct counts *cpus[CPUS];
	struct pairs pairs;
};

static struct histogram *histograms;

/* Returns the histogram of that name, or NULL. Requests alone change the list,
 * one at a time. */
static struct histogram *histogram_find(const char *name)
{
	struct histogram *h = histograms;

	while (h && strcmp(h->name, name))
		h = h->next;
	return h;
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
	for (int i = 0; i < SPINS; i++)
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

	for (c = text; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	for (uint32_t i = 0; i < KEY_OTHERS; i++) {
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
		       value     ? 65 - __builtin_clzll((uint64_t)value) : 1;
	if (value < h->least)
		return 0;
	/* the distance may be more than an int64_t holds */
	steps = ((uint64_t)value - (uint64_t)h->least) / (uint64_t)h->step;
	return steps < LINEAR ? (int)steps + 1 : LINEAR + 1;
}

/* Counts a value for the key of the event. */
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

/* The callback of one marker: counts the values of `field`. */
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

/* The callback of the first marker of a pair. */
static void begin(const struct taffrail_event *event, void *priv)
{
	struct histogram *h = priv;

	if (!pairs_begin(&h->pairs, taffrail_event_time(event)))
		__atomic_fetch_add(&h->unpaired, 1, __ATOMIC_RELAXED);
}

/* The callback of the second marker of a pair: counts the time since the
 * first. */
static void end(const struct taffrail_event *event, void *priv)
{
	struct histogram *h = priv;
	uint64_t took;

	if (pairs_end(&h->pairs, taffrail_event_time(event), &took))
		value_count(h, event, (int64_t)pairs_ns(took));
	else
		__atomic_fetch_add(&h->unpaired, 1, __ATOMIC_RELAXED);
}

/* Returns 1, with the reason as the answer. */
static int call_refuse(struct taffrail_call *call, const char *why)
{
	taffrail_call_printf(call, "%s\n", why);
	return 1;
}

/* Copies a setting. Returns false when it is too long. */
static bool setting_copy(struct taffrail_call *call, const char *name,
			 char to[NAME_BYTES])
{
	const char *from = taffrail_call_value(call, name);

	if (!from)
		return true;
	if (strlen(from) >= NAME_BYTES)
		return false;
	strcpy(to, from);
	return true;
}

/* Returns false when it is no number, or one that has more than 64 bits. */
static bool number_read(const char *text, int64_t *number)
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

	for (int i = 0; i < taffrail_call_words(call); i++) {
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

/* A histogram of a field is named after the field unless it has a name. */
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

/* Frees the histogram with the last connection. No thread is in a callback of
 * it then. */
static void histogram_release(void *priv)
{
	struct histogram **link = &histograms;
	struct histogram *h = priv;

	if (--h->uses)
		return;
	while (*link != h)
		link = &(*link)->next;
	*link = h->next;
	for (int i = 0; i < CPUS; i++)
		if (h->cpus[i])
			munmap(h->cpus[i], sizeof(*h->cpus[i]));
	free(h);
}

/* Writes 4096 as "4K". */
static void power_text(char *text, size_t room, int power)
{
	static const char units[] = " KMGTPE";

	if (power < 10)
		snprintf(text, room, "%d", 1 << power);
	else
		snprintf(text, room, "%d%c", 1 << power % 10,
			 units[power / 10]);
}

/* Writes "[4K, 8K)", or the labels of the three buckets below. */
static void label_power(int bucket, char text[LABEL])
{
	char from[16], to[16];

	if (bucket < 3) {
		strcpy(text, bucket == 0 ? "(..., 0)" :
			     bucket == 1 ? "[0]" :
					   "[1]");
		return;
	}
	power_text(from, sizeof(from), bucket - 2);
	power_text(to, sizeof(to), bucket - 1);
	snprintf(text, LABEL, "[%s, %s)", from, to);
}

/* Writes "[from, to)"; the first and the last bucket are open. */
static void label_linear(const struct histogram *h, int bucket,
			 char text[LABEL])
{
	int64_t from = (int64_t)((uint64_t)h->least +
				 (uint64_t)(bucket - 1) * (uint64_t)h->step);
	int64_t to;

	if (!bucket)
		snprintf(text, LABEL, "(..., %" PRId64 ")", h->least);
	else if (bucket == LINEAR + 1 ||
		 __builtin_add_overflow(from, h->step, &to))
		snprintf(text, LABEL, "[%" PRId64 ", ...)", from);
	else
		snprintf(text, LABEL, "[%" PRId64 ", %" PRId64 ")", from, to);
}

/* Prints the buckets from the first to the last that has counted. */
static void print_buckets(struct taffrail_call *call, const struct histogram *h,
			  const uint64_t buckets[BUCKETS])
{
	char label[LABEL], bar[BAR + 1];
	uint64_t most = 0;
	int first = BUCKETS, last = -1;

	for (int i = 0; i < BUCKETS; i++) {
		if (!buckets[i])
			continue;
		first = i < first ? i : first;
		last = i;
		most = buckets[i] > most ? buckets[i] : most;
	}
	for (int i = first; i <= last; i++) {
		size_t n = (size_t)((double)buckets[i] * BAR / (double)most);

		if (h->step)
			label_linear(h, i, label);
		else
			label_power(i, label);
		memset(bar, '@', n);
		bar[n] = '\0';
		taffrail_call_printf(call, "%-20s %10" PRIu64 " |%-*s|\n",
				     label, buckets[i], BAR, bar);
	}
}

/* Prints the counts of all CPUs for one key, if there are any. */
static void print_key(struct taffrail_call *call, const struct histogram *h,
		      int key)
{
	uint64_t buckets[BUCKETS] = { 0 };
	char text[VALUE_BYTES];
	uint64_t n = 0, sum = 0;
	char *c;

	for (int cpu = 0; cpu < CPUS; cpu++) {
		/* order: HISTOGRAM_COUNTS acquire */
		const struct counts *counts =
			__atomic_load_n(&h->cpus[cpu], __ATOMIC_ACQUIRE);

		if (!counts)
			continue;
		for (int i = 0; i < BUCKETS; i++)
			buckets[i] += __atomic_load_n(&counts->buckets[key][i],
						      __ATOMIC_RELAXED);
		sum += __atomic_load_n(&counts->sums[key], __ATOMIC_RELAXED);
	}
	for (int i = 0; i < BUCKETS; i++)
		n += buckets[i];
	if (!n)
		return;
	/* control characters would move a terminal's cursor */
	strcpy(text, *h->keys[key].text ? h->keys[key].text : "(none)");
	for (c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	if (*h->by && key == KEY_OTHERS)
		taffrail_call_printf(call, "%s, all other %s", h->name, h->by);
	else if (*h->by)
		taffrail_call_printf(call, "%s, %s %s", h->name, h->by, text);
	else
		taffrail_call_printf(call, "%s", h->name);
	taffrail_call_printf(call, ": count %" PRIu64 ", average %" PRId64
			     ", sum %" PRId64 "\n", n,
			     (int64_t)sum / (int64_t)n, (int64_t)sum);
	print_buckets(call, h, buckets);
}

/* Prints a histogram while hits go on: each counter is read once. */
static void print_one(struct taffrail_call *call, struct histogram *h)
{
	for (int key = 0; key < KEYS; key++)
		/* order: HISTOGRAM_KEY acquire */
		if (key == KEY_OTHERS ||
		    __atomic_load_n(&h->keys[key].state, __ATOMIC_ACQUIRE) ==
			    KEY_WHOLE)
			print_key(call, h, key);
	if (h->unpaired)
		taffrail_call_printf(call, "%s: %" PRIu64 " ends without a "
				     "begin in their thread\n", h->name,
				     h->unpaired);
	if (h->lacking)
		taffrail_call_printf(call, "%s: %" PRIu64 " hits have no "
				     "number '%s'\n", h->name, h->lacking,
				     h->field);
}

/* Calls `each` for the histogram that the request names, or for all. */
static int for_each(struct taffrail_call *call,
		    void (*each)(struct taffrail_call *call,
				 struct histogram *h))
{
	const char *name = taffrail_call_word(call, 0);
	struct histogram *h = NULL;

	if (name) {
		h = histogram_find(name);
		if (h)
			each(call, h);
		else
			taffrail_call_printf(call, "no histogram '%s'\n", name);
		return !h;
	}
	if (!histograms) {
		taffrail_call_printf(call, "nothing is connected to this "
				     "library\n");
		return 1;
	}
	for (h = histograms; h; h = h->next)
		each(call, h);
	return 0;
}

/* `taffrail call PID histogram:print`. */
static int print(struct taffrail_call *call)
{
	return for_each(call, print_one);
}

/* Hits of this moment may count before or after. */
static void reset_one(struct taffrail_call *call, struct histogram *h)
{
	for (int cpu = 0; cpu < CPUS; cpu++) {
		/* order: HISTOGRAM_COUNTS acquire */
		struct counts *c = __atomic_load_n(&h->cpus[cpu],
						   __ATOMIC_ACQUIRE);

		for (int key = 0; c && key < KEYS; key++) {
			__atomic_store_n(&c->sums[key], 0, __ATOMIC_RELAXED);
			for (int i = 0; i < BUCKETS; i++)
				__atomic_store_n(&c->buckets[key][i], 0,
						 __ATOMIC_RELAXED);
		}
	}
	__atomic_store_n(&h->unpaired, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&h->lacking, 0, __ATOMIC_RELAXED);
}

/* `taffrail call PID histogram:reset`. */
static int reset(struct taffrail_call *call)
{
	return for_each(call, reset_one);
}

TAFFRAIL_PROBE_LIBRARY(histogram);
TAFFRAIL_PROBE_CALLBACK_WITH(value, TAFFRAIL_PROBE_SIGNAL, value_connect,
			     histogram_release);
TAFFRAIL_PROBE_CALLBACK_WITH(begin, TAFFRAIL_PROBE_SIGNAL, pair_connect,
			     histogram_release);
TAFFRAIL_PROBE_CALLBACK_WITH(end, TAFFRAIL_PROBE_SIGNAL, pair_connect,
			     histogram_release);
TAFFRAIL_PROBE_CALL(print);
TAFFRAIL_PROBE_CALL(reset);

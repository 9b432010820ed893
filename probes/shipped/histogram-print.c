/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions of the probe library `histogram` for `taffrail call`.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "probes/shipped/histogram-private.h"

#define BAR	52
#define LABEL	40

/* Adds up the counts of all CPUs. */
static void counts_sum(const struct histogram *h, int key,
		       uint64_t buckets[BUCKETS], int64_t *sum)
{
	uint64_t all = 0;
	int cpu;
	int i;

	memset(buckets, 0, BUCKETS * sizeof(*buckets));
	for (cpu = 0; cpu < CPUS; cpu++) {
		/* order: HISTOGRAM_COUNTS acquire */
		const struct counts *c = __atomic_load_n(&h->cpus[cpu],
							 __ATOMIC_ACQUIRE);

		if (!c)
			continue;
		for (i = 0; i < BUCKETS; i++)
			buckets[i] += __atomic_load_n(&c->buckets[key][i],
						      __ATOMIC_RELAXED);
		all += __atomic_load_n(&c->sums[key], __ATOMIC_RELAXED);
	}
	*sum = (int64_t)all;
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
	int i;

	for (i = 0; i < BUCKETS; i++) {
		if (!buckets[i])
			continue;
		first = i < first ? i : first;
		last = i;
		most = buckets[i] > most ? buckets[i] : most;
	}
	for (i = first; i <= last; i++) {
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

/* Copies a key's text. Control characters become '?': they would move a
 * terminal's cursor. */
static const char *key_text(const struct key *key, char text[VALUE_BYTES])
{
	char *c;

	strcpy(text, *key->text ? key->text : "(none)");
	for (c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	return text;
}

static void print_key(struct taffrail_call *call, const struct histogram *h,
		      int key)
{
	uint64_t buckets[BUCKETS];
	char text[VALUE_BYTES];
	uint64_t n = 0;
	int64_t sum;
	int i;

	counts_sum(h, key, buckets, &sum);
	for (i = 0; i < BUCKETS; i++)
		n += buckets[i];
	if (!n)
		return;
	if (*h->by && key == KEY_OTHERS)
		taffrail_call_printf(call, "%s, all other %s", h->name, h->by);
	else if (*h->by)
		taffrail_call_printf(call, "%s, %s %s", h->name, h->by,
				     key_text(&h->keys[key], text));
	else
		taffrail_call_printf(call, "%s", h->name);
	taffrail_call_printf(call, ": count %" PRIu64 ", average %" PRId64
			     ", sum %" PRId64 "\n", n, sum / (int64_t)n, sum);
	print_buckets(call, h, buckets);
}

static void print_one(struct taffrail_call *call, const struct histogram *h)
{
	int key;

	for (key = 0; key < KEYS; key++)
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
	if (!histogram_next(NULL)) {
		taffrail_call_printf(call, "nothing is connected to this "
				     "library\n");
		return 1;
	}
	while ((h = histogram_next(h)))
		each(call, h);
	return 0;
}

static void print_call(struct taffrail_call *call, struct histogram *h)
{
	print_one(call, h);
}

static int print(struct taffrail_call *call)
{
	return for_each(call, print_call);
}

/* Hits of this moment may count before or after. */
static void reset_one(struct taffrail_call *call, struct histogram *h)
{
	int cpu, key, i;

	(void)call;
	for (cpu = 0; cpu < CPUS; cpu++) {
		/* order: HISTOGRAM_COUNTS acquire */
		struct counts *c = __atomic_load_n(&h->cpus[cpu],
						   __ATOMIC_ACQUIRE);

		for (key = 0; c && key < KEYS; key++) {
			__atomic_store_n(&c->sums[key], 0, __ATOMIC_RELAXED);
			for (i = 0; i < BUCKETS; i++)
				__atomic_store_n(&c->buckets[key][i], 0,
						 __ATOMIC_RELAXED);
		}
	}
	__atomic_store_n(&h->unpaired, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&h->lacking, 0, __ATOMIC_RELAXED);
}

static int reset(struct taffrail_call *call)
{
	return for_each(call, reset_one);
}

TAFFRAIL_PROBE_CALL(print);
TAFFRAIL_PROBE_CALL(reset);

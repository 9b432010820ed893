/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The report as one JSON object; docs/looking.md describes it. Times and
 * durations are nanoseconds.
 *
 * Invariant: the names of members are a contract with the user's programs. A
 * member that is new goes behind the others of its object.
 */
#include <stdio.h>
#include <stdlib.h>

#include "command/common/json.h"
#include "command/report/private.h"
#include "base/base.h"

/* A value's text: each byte that is kept may become four, and there are quotes
 * and dots. */
#define NAME_BYTES	(4 * VALUE_BYTES + 8)

/* Writes the end of a row. An integer of up to 2^64 has all digits, which
 * json_real() would round. */
static void put_end(struct json *json, const struct histogram *h,
		    const char *key, long double end)
{
	if (histogram_whole(h))
		json_wide(json, key, (wide_int)end);
	else
		json_real(json, key, end);
}

/* Writes count, sum, extremes, quantiles and the histogram of some numbers into
 * an object that is open. Without numbers there is the count alone, so that no
 * reader takes 0 for a number that was met. */
static void put_numbers(struct json *json, struct histogram *h)
{
	long double from, to;
	unsigned int at = 0;
	uint64_t count;

	json_number(json, "count", h->count);
	if (h->nans)
		json_number(json, "nan", h->nans);
	if (!h->count)
		return;
	if (histogram_whole(h))
		json_wide(json, "sum", h->whole);
	else
		json_real(json, "sum", h->sum);
	json_real(json, "min", h->min);
	for (unsigned int i = HISTOGRAM_P50; i <= HISTOGRAM_P999; i++)
		json_real(json, histogram_word(i), histogram_figure(h, i));
	json_real(json, "max", h->max);
	json_open(json, "histogram", '[');
	while (histogram_row(h, &at, &from, &to, &count)) {
		json_open(json, NULL, '{');
		put_end(json, h, "from", from);
		put_end(json, h, "to", to);
		json_number(json, "count", count);
		json_close(json, '}');
	}
	json_close(json, ']');
	json_real(json, "mean", histogram_figure(h, HISTOGRAM_MEAN));
}

/* Writes a row for each value that has numbers of a kind or field. */
static void put_cells(struct json *json, const struct report *r, const void *of,
		      uint64_t cellless)
{
	struct cell_row *rows;
	size_t n = cells_sorted(r, of, &rows);
	char name[NAME_BYTES];

	json_open(json, "by", '[');
	for (size_t i = 0; i < n; i++) {
		value_text(rows[i].value, name, sizeof(name));
		json_open(json, NULL, '{');
		json_string(json, "value", name);
		put_numbers(json, &rows[i].cell->numbers);
		json_close(json, '}');
	}
	json_close(json, ']');
	json_number(json, "other", cellless);
	free(rows);
}

/* Writes the two members that every row of events has. */
static void put_counts(struct json *json, uint64_t events, uint64_t bytes)
{
	json_number(json, "events", events);
	json_number(json, "bytes", bytes);
}

/* Writes the events of pairs that were left out, for events before them are
 * missing. */
static void put_out(struct json *json, struct pairs_out out)
{
	json_number(json, "begins_left_out", out.begins);
	json_number(json, "ends_left_out", out.ends);
}

/* Writes a row for each process, and for shared buffers that lost events.
 * Where events are missing, it says from when on they are complete, and how
 * much was left out before that. */
static void put_processes(struct json *json, const struct report *r)
{
	int64_t from;

	json_open(json, "processes", '[');
	for (size_t i = 0; i < r->ntraces; i++) {
		const struct report_trace *t = &r->traces[i];

		if (!report_has_process(t))
			continue;
		json_open(json, NULL, '{');
		if (t->trace->vpid >= 0)
			json_real(json, "pid", (long double)t->trace->vpid);
		json_string(json, "name", t->trace->procname);
		json_string(json, "host", t->trace->hostname);
		json_string(json, "trace", t->trace->path);
		put_counts(json, t->events, t->bytes);
		if (!t->trace->carrier || !report_losses(r, t->trace)->lost)
			json_number(json, "lost", t->lost);
		if (look_partial(&r->look, t->trace, &from)) {
			json_real(json, "complete_from", (long double)from);
			put_out(json, pairs_left_out(r->pairs, t->trace));
		}
		json_close(json, '}');
	}
	json_close(json, ']');
}

/* Writes a row for each kind of pairs; with --by, a list of rows in each: the
 * durations for each value. */
static void put_pairs(struct json *json, struct report *r)
{
	static const char *const lanes[] = {
		[PAIR_OF_THREAD] = "thread", [PAIR_OF_CPU] = "cpu",
		[PAIR_OF_KEYS] = "key",
	};
	struct kind_row *rows;
	size_t n = kinds_sorted(r, &rows);

	json_open(json, "pairs", '[');
	for (size_t i = 0; i < n; i++) {
		const struct pair_kind *kind = rows[i].kind;
		struct durations *d = durations_of(r, kind);

		json_open(json, NULL, '{');
		json_string(json, "name", kind->name);
		json_string(json, "begin", kind->begin ? kind->begin : "");
		json_string(json, "end", kind->end ? kind->end : "");
		if (d->ns.count)
			json_string(json, "lane", d->mixed ? "mixed" :
						  lanes[d->lane_kind]);
		json_number(json, "unfinished", kind->unfinished);
		json_number(json, "given_up", kind->given_up);
		json_number(json, "unbegun", kind->unbegun);
		put_out(json, (struct pairs_out){ kind->begins_out,
						  kind->ends_out });
		json_number(json, "keyless", kind->keyless);
		json_number(json, "threadless", kind->threadless);
		json_number(json, "backwards", d->backwards);
		json_number(json, "across_lost", d->across);
		put_numbers(json, &d->ns);
		if (kind->frames)
			json_number(json, "self", (uint64_t)d->self);
		if (kind->frames)
			json_number(json, "total", (uint64_t)d->total);
		if (r->by)
			put_cells(json, r, kind, d->cellless);
		json_close(json, '}');
	}
	json_close(json, ']');
	free(rows);
}

/* Writes a list of pairs, the longest first. The times of "view_begin" and
 * "view_end" are as view takes them. */
static void put_long(struct json *json, const struct report *r,
		     const char *key, struct longest *l)
{
	char begin[64], end[64];

	longest_sort(l);
	json_open(json, key, '[');
	for (uint32_t i = 0; i < l->n; i++) {
		const struct long_pair *p = &l->list[i];

		report_view_pair(r, p, begin, end);
		json_open(json, NULL, '{');
		json_string(json, "name", p->kind->name);
		json_real(json, "begin", (long double)p->begin);
		json_real(json, "end", (long double)p->end);
		json_real(json, "length", (long double)(p->end - p->begin));
		json_string(json, "view_begin", begin);
		json_string(json, "view_end", end);
		json_real(json, "pid", (long double)p->trace->vpid);
		if (p->vtid >= 0)
			json_real(json, "vtid", (long double)p->vtid);
		json_number(json, "cpu", p->cpu);
		if (p->kind->nkeys)
			json_string(json, "key", p->keys);
		if (p->across)
			json_bool(json, "across_lost", true);
		json_close(json, '}');
	}
	json_close(json, ']');
}

/* Writes a row for each value, with the bytes of its events where that is
 * wanted. Two values may have one text, where both are cut. */
static void put_values(struct json *json, const char *key,
		       const struct values *v, bool bytes)
{
	char name[NAME_BYTES];

	json_open(json, key, '[');
	for (uint32_t i = 0; i < v->n; i++) {
		value_text(&v->list[i], name, sizeof(name));
		json_open(json, NULL, '{');
		json_string(json, "value", name);
		if (bytes)
			put_counts(json, v->list[i].events, v->list[i].bytes);
		else
			json_number(json, "events", v->list[i].events);
		json_close(json, '}');
	}
	json_close(json, ']');
}

/* Writes an address and its name, where they are known. */
static void put_place(struct json *json, const char *key,
		      const struct lock_place *place)
{
	const char *name = lock_place_name(place);

	if (!place->class)
		return;
	json_open(json, key, '{');
	json_number(json, "address", place->address);
	if (name)
		json_string(json, "name", name);
	json_close(json, '}');
}

/* Writes a thread that still holds a lock or waits for it. */
static void put_still(struct json *json, const struct lock_thread *thread,
		      const char *key, int64_t since, const char *call,
		      const struct lock_place *place)
{
	json_open(json, NULL, '{');
	json_number(json, "vtid", thread->vtid);
	json_real(json, key, (long double)since);
	put_place(json, call, place);
	json_close(json, '}');
}

/* Writes a lock, with at most HOLDERS_MAX threads for whom others waited
 * most. */
static void put_lock(struct json *json, const struct lock *lock)
{
	const struct lock_place self = { lock->address, lock->class };
	const char *name = lock_place_name(&self);

	json_open(json, NULL, '{');
	json_string(json, "kind", lock->kind);
	json_number(json, "address", lock->address);
	if (name)
		json_string(json, "name", name);
	put_place(json, "initialised_by", &lock->init);
	if (lock->several)
		json_bool(json, "several", true);
	put_place(json, "first_locked_by", &lock->first);
	json_real(json, "pid", (long double)lock->trace->vpid);
	json_number(json, "taken", lock->taken);
	json_number(json, "blocked", lock->waited);
	json_number(json, "failed", lock->failed);
	json_number(json, "wait", lock->wait_ns);
	json_number(json, "wait_max", lock->wait_max);
	json_number(json, "hold", lock->hold_ns);
	json_number(json, "hold_max", lock->hold_max);
	json_open(json, "holders", '[');
	for (uint32_t i = 0; i < min_u64(HOLDERS_MAX, lock->nholders); i++) {
		json_open(json, NULL, '{');
		json_number(json, "vtid", lock->holders[i].vtid);
		json_number(json, "others_waited", lock->holders[i].ns);
		put_place(json, "taken_by", &lock->holders[i].caller);
		json_close(json, '}');
	}
	json_close(json, ']');
	json_open(json, "still", '[');
	for (const struct lock_thread *t = lock->threads; t; t = t->next) {
		if (t->depth)
			put_still(json, t, "holds_since", t->held_since,
				  "taken_by", &t->caller);
		if (t->waits)
			put_still(json, t, "waits_since", t->waits_since,
				  "called_by", &t->waits_by);
	}
	json_close(json, ']');
	json_close(json, '}');
}

void report_json(struct report *r)
{
	struct json json = { .file = stdout };
	struct lock *const *locks;
	size_t nlocks = locks_sorted(r, &locks);

	json_open(&json, NULL, '{');
	put_counts(&json, r->events, r->bytes);
	json_number(&json, "lost", r->look.losses);
	if (r->events) {
		json_real(&json, "begin", (long double)r->first);
		json_real(&json, "end", (long double)r->last);
		json_real(&json, "rate", report_rate(r, r->events));
	}
	json_bool(&json, "interrupted", r->stopped);
	put_processes(&json, r);
	json_open(&json, "names", '[');
	for (size_t i = 0; i < r->nnames; i++) {
		json_open(&json, NULL, '{');
		json_string(&json, "name", r->names[i].name);
		put_counts(&json, r->names[i].events, r->names[i].bytes);
		json_real(&json, "rate", report_rate(r, r->names[i].events));
		json_close(&json, '}');
	}
	json_close(&json, ']');
	if (r->by) {
		json_string(&json, "by", r->by);
		put_values(&json, "groups", &r->groups, true);
		json_number(&json, "other", r->groups.other_events);
	}
	/* but for what --by asks for, all members are there, if empty */
	put_pairs(&json, r);
	put_long(&json, r, "slowest", &r->slowest);
	put_long(&json, r, "unfinished", &r->open);
	json_open(&json, "fields", '[');
	for (struct field_use *use = r->uses; use; use = use->next) {
		json_open(&json, NULL, '{');
		json_string(&json, "name", use->name);
		if (use->event)
			json_string(&json, "event", use->event);
		if (use->number) {
			put_numbers(&json, &use->numbers);
			if (r->by)
				put_cells(&json, r, use, use->cellless);
		} else {
			put_values(&json, "values", &use->values, false);
			json_number(&json, "other", use->values.other_events);
			json_number(&json, "missed", use->values.missed);
		}
		json_close(&json, '}');
	}
	json_close(&json, ']');
	json_open(&json, "locks", '[');
	for (size_t i = 0; i < nlocks; i++)
		put_lock(&json, locks[i]);
	json_close(&json, ']');
	json_number(&json, "locks_left_out", r->locks_out);
	look_apart_json(&json, r->pairs);
	json_close(&json, '}');
	json_end(&json);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The head: the page's facts about all chunks, and names. See head_write() for
 * the order; times are ns from the page's first event.
 *
 * Invariant: the head is the last block, for only then all names and all chunks
 * are known. A change of the order needs another HEAD_VERSION, and page/data.js
 * reads it.
 */
#include <time.h>

#include "command/timeline/private.h"

#define HEAD_VERSION	3
/* No zone changes the clocks twice in this time. */
#define ZONE_STEP_S	(6 * 3600)

/* Puts a number of which all bytes are needed, in little endian. */
static void put_i64(struct bytes *b, int64_t v)
{
	bytes_put(b, &v, sizeof(v));
}

/* Returns how many seconds the clock on the wall is ahead of UTC, with the
 * zone's leap seconds, if it has them: view prints them, so the page does.
 * Returns 0 for a time that has no date. */
static int64_t zone_at(const struct timeline *t, int64_t second)
{
	time_t at = (time_t)second;
	int64_t years, days;
	struct tm tm;

	if (!(t->look.utc ? gmtime_r(&at, &tm) : localtime_r(&at, &tm)))
		return 0;
	years = tm.tm_year + 1899;
	days = 365 * years + years / 4 - years / 100 + years / 400 - 719162 +
	       tm.tm_yday;
	return days * 86400 + tm.tm_hour * 3600 + tm.tm_min * 60 + tm.tm_sec -
	       second;
}

/* Writes a number of rows, and the rows, which were written before. */
static void put_noted(struct bytes *b, size_t n, const struct bytes *noted)
{
	bytes_number(b, n);
	bytes_put(b, noted->p, noted->n);
	b->failed |= noted->failed;
}

/* Puts the seconds since 1970 from which on another zone holds, and how far it
 * is ahead of UTC. Times before 1970 have no date. */
static void put_zones(struct bytes *b, const struct timeline *t)
{
	int64_t at = t->first > 0 ? t->first / NS_PER_S : 0;
	int64_t last = t->last / NS_PER_S, zone = zone_at(t, at);
	struct bytes changes = { 0 };
	uint64_t n = 1;

	put_i64(&changes, at);
	bytes_signed(&changes, zone);
	while (at < last) {
		int64_t next = at + ZONE_STEP_S < last ? at + ZONE_STEP_S :
							 last;

		if (zone_at(t, next) == zone) {
			at = next;
			continue;
		}
		/* the first second of the new zone is behind `at`, up to next
		 */
		while (next - at > 1) {
			int64_t middle = at + (next - at) / 2;

			if (zone_at(t, middle) == zone)
				at = middle;
			else
				next = middle;
		}
		zone = zone_at(t, next);
		put_i64(&changes, next);
		bytes_signed(&changes, zone);
		n++;
		at = next;
	}
	put_noted(b, n, &changes);
	bytes_free(&changes);
}

/* Writes the kinds of pairs, and how long their pairs took: in all, 99 % of
 * them, and the longest. */
static void put_kinds(struct bytes *b, const struct timeline *t)
{
	struct pair_kind *const *kinds;
	size_t n = pairs_kinds(t->pairs, &kinds);

	bytes_number(b, n);
	for (size_t i = 0; i < n; i++) {
		const struct pair_kind *kind = kinds[i];
		struct page_kind *own = kind->priv;
		wide_int ns = own ? own->ns.whole : 0;
		bool drawn = kind->end || !kind->endless;

		bytes_number(b, kind->number);
		bytes_text(b, kind->name);
		bytes_text(b, kind->begin ? kind->begin : "");
		bytes_text(b, kind->end ? kind->end : "");
		bytes_number(b, kind->finished - (own ? own->backwards : 0));
		bytes_number(b, drawn ? kind->unfinished : 0);
		bytes_number(b, (uint64_t)(ns / NS_PER_S));
		bytes_number(b, (uint64_t)(ns % NS_PER_S));
		for (int f = HISTOGRAM_P99; f <= HISTOGRAM_MAX; f++)
			if (f != HISTOGRAM_P999)
				bytes_number(b, !own ? 0 : (uint64_t)
					     histogram_figure(&own->ns, f));
	}
}

/* Writes pairs: events by number, times since the first event of the page,
 * which may be negative where the clock went back. */
static void put_pairs(struct bytes *b, const struct timeline *t,
		      const struct page_pair *pairs, size_t n)
{
	bytes_number(b, n);
	for (size_t i = 0; i < n; i++) {
		const struct page_pair *pair = &pairs[i];

		bytes_number(b, pair->begin);
		bytes_number(b, pair->end);
		bytes_signed(b, pair->from - t->first);
		bytes_signed(b, pair->to - t->first);
		bytes_number(b, pair->lane);
		bytes_number(b, pair->kind);
		bytes_number(b, pair->fate);
	}
}

void head_write(struct timeline *t)
{
	static const struct field_class none = { .kind = FIELD_STRUCT };
	struct bytes *b = &t->raw;
	bool dense = t->events > t->each;

	b->n = 0;
	bytes_number(b, HEAD_VERSION);
	put_i64(b, t->first);
	bytes_number(b, (uint64_t)(t->last - t->first));
	put_zones(b, t);
	bytes_number(b, t->events);
	bytes_number(b, t->each);
	bytes_number(b, (size_t)t->npaths);
	for (int i = 0; i < t->npaths; i++)
		bytes_text(b, t->paths[i]);
	bytes_number(b, t->nprocesses);
	for (size_t i = 0; i < t->nprocesses; i++) {
		bytes_text(b, t->processes[i]->trace->hostname);
		bytes_text(b, t->processes[i]->trace->procname);
		bytes_text(b, t->processes[i]->trace->path);
		bytes_signed(b, t->processes[i]->pid);
	}
	/* contexts, by the number of the trace, which a lane refers to */
	bytes_number(b, t->ntraces);
	for (size_t i = 0; i < t->ntraces; i++)
		describe_field(b, t->traces[i] && t->traces[i]->contexts.fields
				  ? t->traces[i]->contexts.fields : &none);
	bytes_number(b, t->nlanes);
	for (size_t i = 0; i < t->nlanes; i++) {
		const struct page_lane *lane = t->lanes[i];

		bytes_number(b, lane->process);
		bytes_number(b, lane->contexts->number);
		bytes_number(b, lane->is_cpu);
		bytes_signed(b, lane->id);
		bytes_text(b, lane->name);
		bytes_number(b, lane->events);
		bytes_number(b, (uint64_t)(lane->first - t->first));
		bytes_number(b, (uint64_t)(lane->last - t->first));
	}
	/* classes as they were described when they were met */
	bytes_number(b, t->nclasses);
	for (size_t i = 0; i < t->nclasses; i++) {
		bytes_put(b, t->classes[i]->described.p,
			  t->classes[i]->described.n);
		bytes_number(b, t->classes[i]->events);
	}
	put_kinds(b, t);
	put_noted(b, t->nblocks, &t->blocks);
	put_pairs(b, t, t->long_pairs, t->nlong_pairs);
	put_pairs(b, t, t->longest, dense ? t->nlongest : 0);
	put_noted(b, t->nlosses, &t->losses);
	put_noted(b, t->nproblems, &t->problems);
	put_noted(b, t->nnotes, &t->notes);
	/* lanes have a density in pages that cannot show all events at once */
	bytes_number(b, t->width);
	density_put(b, &t->density);
	bytes_number(b, dense);
	for (size_t i = 0; dense && i < t->nlanes; i++)
		density_put(b, &t->lanes[i]->density);
	t->no_memory |= !page_block(&t->page, b, "head");
}

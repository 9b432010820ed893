/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One frequency and one offset for all traces of a directory, from the
 * anchors of all their processes and our own.
 *
 * What must stay true here: two traces of one directory and one kind of clock
 * always get the same numbers, so that their order is that of the clock.
 */
#include <string.h>

#include "buffers/base.h"
#include "buffers/clock.h"
#include "command/trace.h"

#define NS_PER_S	1000000000ull
#define HZ_MIN		1000000ull
#define HZ_MAX		100000000000ull
#define SPAN_MIN_NS	50000000ull	/* shorter: the agent's estimate */

void trace_set_anchor(struct trace_set *set, uint32_t kind,
		      const struct clock_anchor *anchor)
{
	uint32_t row = kind - 1;

	if (row >= TRACE_KINDS)
		return;
	/* the last place is for the newest */
	if (set->nanchors[row] == TRACE_ANCHORS_MAX)
		set->nanchors[row]--;
	set->anchors[row][set->nanchors[row]++] = *anchor;
}

/* How well two anchors fix a slope: span over doubt; 0 for nonsense. */
static double weight(const struct clock_anchor *a, const struct clock_anchor *b)
{
	double doubt = (double)a->uncertainty_ns + (double)b->uncertainty_ns;

	if (a->clock >= b->clock || a->monotonic_ns >= b->monotonic_ns)
		return 0;
	return (double)(b->monotonic_ns - a->monotonic_ns) / (doubt + 1);
}

static const struct clock_anchor *best_pair(const struct clock_anchor *anchors,
					    int n,
					    const struct clock_anchor **from)
{
	const struct clock_anchor *to = NULL;
	double best = 0;
	int i;
	int j;

	for (i = 0; i < n; i++) {
		for (j = 0; j < n; j++) {
			double w = weight(&anchors[i], &anchors[j]);

			if (w <= best)
				continue;
			best = w;
			*from = &anchors[i];
			to = &anchors[j];
		}
	}
	return to;
}

/* The offset that makes `anchor` come out exactly. */
static void pin(struct metadata_clock *clock, const struct clock_anchor *anchor)
{
	__int128 cycles = (__int128)anchor->realtime_ns * clock->hz / NS_PER_S -
			  anchor->clock;
	__int128 hz = clock->hz;

	clock->offset_s = (int64_t)(cycles / hz);
	if (cycles % hz < 0)
		clock->offset_s--;
	clock->offset = (uint64_t)(((cycles % hz) + hz) % hz);
}

void trace_set_clock(const struct trace_set *set,
		     const struct process_page *process,
		     struct metadata_clock *clock)
{
	uint32_t row = process->clock_kind - 1;
	const struct clock_anchor *from = NULL;
	const struct clock_anchor *to = NULL;
	const struct clock_anchor *any;

	memset(clock, 0, sizeof(*clock));
	clock->hz = process->clock_hz;
	if (process->clock_kind != CLOCK_KIND_TSC)
		clock->hz = NS_PER_S;
	any = row < TRACE_KINDS && set->nanchors[row] ? set->anchors[row]
						      : &process->start;
	if (process->clock_kind == CLOCK_KIND_TSC)
		to = best_pair(set->anchors[row], set->nanchors[row], &from);
	if (to && to->monotonic_ns - from->monotonic_ns >= SPAN_MIN_NS) {
		clock->hz = (uint64_t)((unsigned __int128)(to->clock -
							   from->clock) *
				       NS_PER_S /
				       (to->monotonic_ns - from->monotonic_ns));
		any = to->uncertainty_ns < from->uncertainty_ns ? to : from;
	} else if (process->clock_kind == CLOCK_KIND_TSC &&
		   set->ntraces > 1) {
		clock->hz = set->traces[0]->process.clock_hz;
	}
	if (clock->hz < HZ_MIN || clock->hz > HZ_MAX)
		clock->hz = NS_PER_S;
	pin(clock, any);
}

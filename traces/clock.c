/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Computes one frequency and one offset for all traces of a directory, from the
 * anchors of their processes and the command's own.
 *
 * Invariants:
 *  - traces of one directory, one kind of clock and one boot id always get the
 *    same numbers, so their events are ordered as the clock orders them;
 *  - processes may lie about their anchors. Own anchors of the same machine and
 *    boot bound the frequency by their doubt; anchors of processes can only
 *    choose within those bounds, and never move the pinned point. Without own
 *    anchors, the line that most anchors agree on counts.
 */
#include <string.h>

#include "buffers/reader/reader.h"
#include "traces/private.h"

#define NS_PER_S	1000000000ull
#define HZ_MIN		1000000ull
#define HZ_MAX		100000000000ull
#define SPAN_MIN_NS	50000000ull	/* shorter: use the agent's estimate */
#define OWN_SPAN_MIN_NS	100000ull	/* shorter: tells no rate */
#define DOUBT_MIN_NS	20.0		/* no clock is more certain */
#define DRIFT_MAX	1e-4		/* of a clock's rate, between anchors */

/* The anchors that a clock is fitted to: own ones first, then processes'. */
struct fit {
	const struct clock_anchor *anchors[2 + TRACE_ANCHORS_MAX];
	int n;
	int nown;
	double hz_least;
	double hz_most;
};

/* A line through two anchors, which states a rate. */
struct line {
	const struct clock_anchor *from;
	const struct clock_anchor *to;
	int agree;			/* anchors that lie on it */
	double weight;
};

void trace_set_own_anchor(struct trace_set *set, uint32_t kind,
			  const struct clock_anchor *anchor)
{
	uint32_t row = kind - 1;

	if (row >= TRACE_KINDS)
		return;
	set->own[row][set->nown[row] ? 1 : 0] = *anchor;
	if (set->nown[row] < 2)
		set->nown[row]++;
}

/*
 * Adds an anchor, unless the same one is there: each image of a process states
 * it. In a full row it replaces the one with the greatest doubt, but neither
 * the oldest nor the newest: they tell the rate best.
 */
static void add_anchor(struct trace_anchors *anchors,
		       const struct clock_anchor *anchor,
		       const uint8_t *boot_id)
{
	int i, oldest = 0, newest = 0, at = -1;

	for (i = 0; i < anchors->n; i++) {
		const struct clock_anchor *other = &anchors->row[i].at;

		if (!memcmp(other, anchor, sizeof(*anchor)) &&
		    !memcmp(anchors->row[i].boot_id, boot_id, 16))
			return;
		if (other->clock < anchors->row[oldest].at.clock)
			oldest = i;
		if (other->clock > anchors->row[newest].at.clock)
			newest = i;
	}
	for (i = 0; i < anchors->n; i++)
		if (i != oldest && i != newest &&
		    (at < 0 || anchors->row[i].at.uncertainty_ns >
			       anchors->row[at].at.uncertainty_ns))
			at = i;
	if (anchors->n < TRACE_ANCHORS_MAX)
		at = anchors->n++;
	anchors->row[at].at = *anchor;
	memcpy(anchors->row[at].boot_id, boot_id, 16);
}

void trace_set_anchors(struct trace_set *set,
		       const struct process_page *process)
{
	struct clock_anchor anchors[1 + PROCESS_ANCHORS];
	uint32_t row = process->clock_kind - 1;
	int n;

	if (row >= TRACE_KINDS)
		return;
	n = process_anchors(process, anchors);
	while (n--)
		add_anchor(&set->anchors[row], &anchors[n], process->boot_id);
}

/* Returns the greater of two numbers. */
static double greater_of(double a, double b)
{
	return a > b ? a : b;
}

/* Returns by how many nanoseconds two anchors may be wrong together. */
static double anchors_doubt(const struct clock_anchor *a,
			    const struct clock_anchor *b)
{
	return greater_of((double)a->uncertainty_ns, DOUBT_MIN_NS) +
	       greater_of((double)b->uncertainty_ns, DOUBT_MIN_NS);
}

/* Returns the nanoseconds from one anchor to another; negative, if the second
 * one is earlier. */
static double anchors_span(const struct clock_anchor *a,
			   const struct clock_anchor *b)
{
	return (double)(int64_t)(b->monotonic_ns - a->monotonic_ns);
}

/* Returns the rate between two anchors; 0 unless the second is later by both
 * clocks. */
static double anchors_slope(const struct clock_anchor *a,
			    const struct clock_anchor *b)
{
	if (a->clock >= b->clock || a->monotonic_ns >= b->monotonic_ns)
		return 0;
	return (double)(b->clock - a->clock) / anchors_span(a, b) * NS_PER_S;
}

/* Sets the bounds of the frequency, by the two own anchors. */
static void fit_bound(struct fit *fit)
{
	double hz = 0;
	double slack = 0;

	fit->hz_least = (double)HZ_MIN;
	fit->hz_most = (double)HZ_MAX;
	if (fit->nown < 2 || anchors_span(fit->anchors[0], fit->anchors[1]) <
				     (double)OWN_SPAN_MIN_NS)
		return;
	/* each anchor may be off by its doubt, in either direction */
	hz = anchors_slope(fit->anchors[0], fit->anchors[1]);
	slack = anchors_doubt(fit->anchors[0], fit->anchors[1]) /
		anchors_span(fit->anchors[0], fit->anchors[1]);
	if (hz < (double)HZ_MIN || slack >= 1)
		return;
	fit->hz_least = hz * (1 - slack);
	fit->hz_most = hz * (1 + slack);
}

/* Counts the anchors that agree with a line. Returns 0 if there are own
 * anchors: they decide alone. */
static int line_agree(const struct fit *fit, const struct line *line, double hz)
{
	int agree = 0;

	for (int i = 0; !fit->nown && i < fit->n; i++) {
		const struct clock_anchor *one = fit->anchors[i];
		double cycles = (double)(int64_t)(one->clock -
						  line->from->clock);
		double away = anchors_span(line->from, one);
		double off = cycles / hz * NS_PER_S - away;
		double most = anchors_doubt(line->from, line->to) +
			      (double)one->uncertainty_ns +
			      greater_of(away, -away) * DRIFT_MAX;

		agree += greater_of(off, -off) <= most;
	}
	return agree;
}

/* Finds the line through two anchors that most anchors agree with; of equal
 * ones, the line with the greatest span over doubt. */
static void fit_line(const struct fit *fit, struct line *best)
{
	memset(best, 0, sizeof(*best));
	for (int i = 0; i < fit->n; i++) {
		for (int j = 0; j < fit->n; j++) {
			struct line line = { fit->anchors[i], fit->anchors[j],
					     0, 0 };
			double hz = anchors_slope(line.from, line.to);

			if (hz < fit->hz_least || hz > fit->hz_most)
				continue;
			line.weight = anchors_span(line.from, line.to) /
				      anchors_doubt(line.from, line.to);
			line.agree = line_agree(fit, &line, hz);
			if (line.agree > best->agree ||
			    (line.agree == best->agree &&
			     line.weight > best->weight))
				*best = line;
		}
	}
}

const struct process_page *trace_process(const struct trace *trace)
{
	return trace->process ? trace->process :
				trace->set->typical[trace->clock_kind - 1];
}

/* Returns the estimate of the first process with this clock, within bounds. All
 * processes of the clock get this one, so their events stay in order. */
static double hz_estimate(const struct trace_set *set, const struct fit *fit,
			  const struct process_page *process)
{
	double hz = (double)process->clock_hz;

	for (size_t i = 0; i < set->ntraces; i++) {
		const struct process_page *first;

		first = trace_process(set->traces[i]);
		if (first->clock_kind == process->clock_kind &&
		    !memcmp(first->boot_id, process->boot_id, 16)) {
			hz = (double)first->clock_hz;
			break;
		}
	}
	if (hz > fit->hz_most)
		return fit->hz_most;
	return greater_of(hz, fit->hz_least);
}

void trace_set_clock(const struct trace_set *set,
		     const struct process_page *process,
		     struct metadata_clock *clock)
{
	const struct trace_anchors *anchors;
	uint32_t row = process->clock_kind - 1;
	const struct clock_anchor *point = &process->start, *b;
	struct line line = { 0 };
	struct fit fit = { 0 };
	__int128 cycles, hz;

	memset(clock, 0, sizeof(*clock));
	clock->hz = NS_PER_S;
	if (row < TRACE_KINDS) {
		/* own anchors first: they decide alone if there are any */
		anchors = &set->anchors[row];
		if (!memcmp(set->boot_id, process->boot_id,
			    sizeof(set->boot_id)))
			fit.nown = set->nown[row];
		for (int i = 0; i < fit.nown; i++)
			fit.anchors[fit.n++] = &set->own[row][i];
		for (int i = 0; i < anchors->n; i++)
			if (!memcmp(anchors->row[i].boot_id, process->boot_id,
				    16))
				fit.anchors[fit.n++] = &anchors->row[i].at;
	}
	if (process->clock_kind == CLOCK_KIND_TSC) {
		fit_bound(&fit);
		fit_line(&fit, &line);
		if (line.to && anchors_span(line.from,
					    line.to) >= (double)SPAN_MIN_NS)
			clock->hz = (uint64_t)anchors_slope(line.from, line.to);
		else
			clock->hz = (uint64_t)hz_estimate(set, &fit, process);
	}
	/* the anchor to pin: the own one with less doubt; else the better one
	 * of the line; else any */
	b = NULL;
	if (fit.nown == 2) {
		point = fit.anchors[0];
		b = fit.anchors[1];
	} else if (fit.nown || !line.to) {
		point = fit.n ? fit.anchors[0] : point;
	} else {
		point = line.from;
		b = line.to;
	}
	if (b && b->uncertainty_ns < point->uncertainty_ns)
		point = b;
	/* the offset with which the clock gives that anchor's exact time */
	hz = clock->hz;
	cycles = (__int128)point->realtime_ns * hz / NS_PER_S - point->clock;
	clock->offset_s = (int64_t)(cycles / hz);
	if (cycles % hz < 0)
		clock->offset_s--;
	clock->offset = (uint64_t)(((cycles % hz) + hz) % hz);
}

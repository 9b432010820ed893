/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The times in which events of a trace are missing: they were overwritten,
 * taken by a recorder, or removed. An event may lack the event that it belongs
 * to if that one is in a gap. Other events of the same time may be there.
 *
 * Invariant: no two gaps of a list overlap, and the list is in the order of
 * time.
 */
#ifndef TRACES_GAPS_GAPS_H
#define TRACES_GAPS_GAPS_H

#include <stdbool.h>
#include <stdint.h>

#define GAPS_MAX	8

/* A time in which events are missing, without both ends. */
struct gap {
	int64_t from;			/* ns; INT64_MIN: from the begin on */
	int64_t to;
};

/* The gaps of one trace. */
struct gaps {
	uint32_t n;
	struct gap list[GAPS_MAX + 1];	/* the last is free */
};

/* Counts the gaps that were added, of all lists. One thread reads traces. */
extern unsigned int gaps_added;

/* Adds a gap. Those that it overlaps become one with it; of more than GAPS_MAX,
 * the earliest two become one, with the time between them. */
void gaps_add(struct gaps *gaps, int64_t from, int64_t to);

/* Returns whether a gap has a time between two others, which may be one. The
 * ends of a gap do not belong to it. */
static inline bool gaps_meet(const struct gaps *gaps, int64_t from, int64_t to)
{
	for (uint32_t i = 0; i < gaps->n; i++)
		if (gaps->list[i].from < to && from < gaps->list[i].to)
			return true;
	return false;
}

/* Returns whether a gap reaches into a window of time, and sets *ns to the end
 * of the last one that does. */
static inline bool gaps_end(const struct gaps *gaps, int64_t begin, int64_t end,
			    int64_t *ns)
{
	uint32_t i = gaps->n;

	while (i && gaps->list[i - 1].from >= end)
		i--;
	if (!i || gaps->list[i - 1].to <= begin)
		return false;
	*ns = gaps->list[i - 1].to;
	return true;
}

#endif

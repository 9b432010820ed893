/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A list of the times in which events are not there.
 */
#include "traces/gaps/gaps.h"

#include <string.h>

unsigned int gaps_added;

/* Removes a gap, and keeps the order of the others. */
static void remove_gap(struct gaps *gaps, uint32_t at)
{
	gaps->n--;
	memmove(&gaps->list[at], &gaps->list[at + 1],
		(gaps->n - at) * sizeof(struct gap));
}

void gaps_add(struct gaps *gaps, int64_t from, int64_t to)
{
	struct gap new = { from, to };
	uint32_t at = 0;

	while (at < gaps->n && gaps->list[at].to <= new.from)
		at++;
	while (at < gaps->n && gaps->list[at].from < new.to) {
		if (gaps->list[at].from < new.from)
			new.from = gaps->list[at].from;
		if (gaps->list[at].to > new.to)
			new.to = gaps->list[at].to;
		remove_gap(gaps, at);
	}
	memmove(&gaps->list[at + 1], &gaps->list[at],
		(gaps->n - at) * sizeof(struct gap));
	gaps->list[at] = new;
	gaps->n++;
	if (gaps->n > GAPS_MAX) {
		gaps->list[0].to = gaps->list[1].to;
		remove_gap(gaps, 1);
	}
	gaps_added++;
}

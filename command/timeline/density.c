/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How many events each part of the time has, of each lane and of all.
 *
 * The parts become twice as wide when an event comes behind the last one, so
 * the end of the traces need not be known, and memory does not depend on how
 * long they are.
 *
 * Invariant: all densities have parts of one width, 1 << t->width ns; a lane's
 * may have fewer bins, each of 1 << fold parts.
 */
#include <stdlib.h>

#include "command/timeline/private.h"

/* Makes the parts twice as wide. The number of bins stays, and the upper half
 * of them is empty again. */
static void fold_bins(struct density *density)
{
	uint32_t n = DENSITY_BINS >> density->fold, *bins = density->bins;

	for (uint32_t i = 0; bins && i < n / 2; i++)
		bins[i] = bins[2 * i] + bins[2 * i + 1];
	if (bins)
		memset(bins + n / 2, 0, n / 2 * sizeof(*bins));
}

/* Counts an event in a part of the time. The bins are made with the first event
 * of the lane. */
static void count_event(struct timeline *t, struct density *density,
			uint64_t bin)
{
	if (!density->bins)
		density->bins = calloc(DENSITY_BINS >> density->fold,
				       sizeof(*density->bins));
	if (density->bins)
		density->bins[bin >> density->fold]++;
	else
		t->no_memory = true;
}

void density_add(struct timeline *t, struct page_lane *lane, int64_t ns)
{
	uint64_t at = (uint64_t)ns - (uint64_t)t->first;

	while (at >> t->width >= DENSITY_BINS) {
		t->width++;
		fold_bins(&t->density);
		for (size_t i = 0; i < t->nlanes; i++)
			fold_bins(&t->lanes[i]->density);
	}
	/* very many lanes share the memory that a few have */
	lane->density.fold = lane->number < 256 ? 0 :
			     lane->number < 4096 ? 3 : 6;
	count_event(t, &t->density, at >> t->width);
	count_event(t, &lane->density, at >> t->width);
}

void density_put(struct bytes *b, const struct density *density)
{
	uint32_t n = DENSITY_BINS >> density->fold;

	while (density->bins && n && !density->bins[n - 1])
		n--;
	bytes_number(b, density->fold);
	bytes_number(b, density->bins ? n : 0);
	for (uint32_t i = 0; density->bins && i < n; i++)
		bytes_number(b, density->bins[i]);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Buckets are the first bits of a number as a double: sign and exponent choose
 * the power of two, and the first seven bits of the fraction the bucket in it.
 *
 *	63   62       52 51         45 44           0
 *	sign | exponent | bucket      | not kept
 *
 * An octave is sign and exponent, the first 12 bits. The order of numbers is
 * another than that of octaves: negative numbers run from the largest octave
 * down, and come first.
 *
 * Invariant: a number is either in exact[] or in a bucket, and from the first
 * bucket on in none but buckets.
 */
#include "traces/pairs/histogram.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OCTAVES		4096u		/* of both signs */
#define POSITIVE	2048u		/* of one sign */
#define BUCKET_SHIFT	45
#define INTEGER_END	9223372036854775808.0L	/* 2^63 */
#define WHOLE_END	18446744073709551616.0L	/* 2^64 */

/* Returns the double that has these bits. */
static double double_of(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Returns the number's first bits as a double: the rest is cut off. */
static uint64_t first_bits(long double value)
{
	double near = (double)value;
	bool away = value < 0 ? near < value : near > value;
	uint64_t bits;

	memcpy(&bits, &near, sizeof(bits));
	/* there is one zero */
	bits = near == 0 ? 0 : bits;
	/* an integer of 64 bits has more than a double holds, which is rounded
	 * then; the double before it, nearer to 0, has the bits before */
	return bits - away;
}

/* Returns the buckets of an octave, or NULL if no number is in it. */
static uint64_t *octave_at(const struct histogram *h, unsigned int octave)
{
	uint64_t **group = h->octaves[octave / 64];

	return group ? group[octave % 64] : NULL;
}

/* Counts a number in its bucket. The buckets of a power of two are made with
 * the first number in them. Returns 0 or -ENOMEM. */
static int add_bucket(struct histogram *h, long double value)
{
	uint64_t bits = first_bits(value);
	unsigned int octave = (unsigned int)(bits >> 52);
	uint64_t **group = h->octaves[octave / 64];

	if (!group)
		group = h->octaves[octave / 64] = calloc(64, sizeof(*group));
	if (group && !group[octave % 64])
		group[octave % 64] = calloc(HISTOGRAM_BUCKETS,
					    sizeof(uint64_t));
	if (!group || !group[octave % 64])
		return -ENOMEM;
	group[octave % 64][bits >> BUCKET_SHIFT & (HISTOGRAM_BUCKETS - 1)]++;
	return 0;
}

int histogram_add(struct histogram *h, long double value)
{
	uint32_t room = h->room ? 2 * h->room : 8;
	long double *more;
	int ret = 0;

	if (isnan(value)) {
		h->nans++;
		return 0;
	}
	if (h->count == HISTOGRAM_EXACT && !h->bucketed) {
		for (uint64_t i = 0; i < h->count && !ret; i++)
			ret = add_bucket(h, h->exact[i]);
		free(h->exact);
		h->exact = NULL;
		h->bucketed = true;
	}
	if (!ret && h->bucketed)
		ret = add_bucket(h, value);
	if (ret)
		return ret;
	if (!h->bucketed) {
		if (h->count == h->room) {
			more = realloc(h->exact, room * sizeof(*more));
			if (!more)
				return -ENOMEM;
			h->exact = more;
			h->room = room;
		}
		h->exact[h->count] = value;
		h->sorted = false;
	}
	if (!h->count || value < h->min)
		h->min = value;
	if (!h->count || value > h->max)
		h->max = value;
	h->fractions |= value > -INTEGER_END && value < INTEGER_END &&
			value != (long double)(int64_t)value;
	h->sum += value;
	/* the exact sum has room for 2^63 integers of 64 bits */
	if (value <= -WHOLE_END || value >= WHOLE_END)
		h->beyond = true;
	else if (histogram_whole(h))
		h->whole += value < 0 ? -(wide_int)(uint64_t)-value :
					(wide_int)(uint64_t)value;
	h->count++;
	return 0;
}

/* Sorts numbers, the least first. There is no NaN among them. */
static int count_compare(const void *a, const void *b)
{
	long double left = *(const long double *)a;
	long double right = *(const long double *)b;

	return (left > right) - (left < right);
}

/* Returns the octave that comes at a place in the order of numbers. */
static unsigned int octave_in_order(unsigned int place)
{
	return place < POSITIVE ? OCTAVES - 1 - place : place - POSITIVE;
}

/* Returns the number that stands for a bucket: the middle, but no fraction
 * where all numbers are integers, and none beyond the least and the greatest
 * number. */
static long double bucket_middle(const struct histogram *h, unsigned int octave,
			  unsigned int bucket)
{
	uint64_t bits = (uint64_t)octave << 52 |
			(uint64_t)bucket << BUCKET_SHIFT;
	double low = double_of(bits);
	double high = double_of(bits + (1ull << BUCKET_SHIFT));
	long double value;

	if (isinf(low) || !bits || isinf(high))
		return low;
	value = ((long double)low + high) / 2;
	if (!h->fractions && fabs(high - low) <= 1)
		value = low;
	if (!h->fractions && value > -INTEGER_END && value < INTEGER_END)
		value = (long double)(int64_t)value;
	return value < h->min ? h->min : value > h->max ? h->max : value;
}

long double histogram_quantile(struct histogram *h, double q)
{
	long double exact = (long double)q * (long double)h->count;
	uint64_t rank;

	if (!h->count)
		return 0;
	/* q is inexact: 0.999 of 1000 is rank 999, not 1000 */
	rank = (uint64_t)exact;
	rank += exact - (long double)rank > 1e-9L;
	if (rank < 1)
		rank = 1;
	if (rank >= h->count)
		return h->max;
	if (!h->bucketed) {
		if (!h->sorted)
			qsort(h->exact, h->count, sizeof(*h->exact),
			      count_compare);
		h->sorted = true;
		return h->exact[rank - 1];
	}
	if (rank == 1)
		return h->min;
	for (unsigned int i = 0; i < OCTAVES; i++) {
		unsigned int octave = octave_in_order(i);
		const uint64_t *buckets = octave_at(h, octave);

		for (unsigned int b = 0; buckets && b < HISTOGRAM_BUCKETS;
		     b++) {
			unsigned int bucket = octave < POSITIVE ?
				b : HISTOGRAM_BUCKETS - 1 - b;

			if (rank <= buckets[bucket])
				return bucket_middle(h, octave, bucket);
			rank -= buckets[bucket];
		}
	}
	return h->max;
}

/* A row for each figure; those that are no quantile have 0. */
static const struct {
	const char *word;
	double q;
} figures[HISTOGRAM_FIGURES] = {
	[HISTOGRAM_COUNT] = { "count", 0 },
	[HISTOGRAM_SUM] = { "sum", 0 },
	[HISTOGRAM_MIN] = { "min", 0 },
	[HISTOGRAM_MEAN] = { "mean", 0 },
	[HISTOGRAM_P50] = { "p50", 0.5 },
	[HISTOGRAM_P90] = { "p90", 0.9 },
	[HISTOGRAM_P99] = { "p99", 0.99 },
	[HISTOGRAM_P999] = { "p99.9", 0.999 },
	[HISTOGRAM_MAX] = { "max", 0 },
};

const char *histogram_word(unsigned int figure)
{
	return figure < HISTOGRAM_FIGURES ? figures[figure].word : NULL;
}

long double histogram_figure(struct histogram *h, enum histogram_figure figure)
{
	long double sum = histogram_whole(h) ? (long double)h->whole : h->sum;

	switch (figure) {
	case HISTOGRAM_COUNT:
		return h->count;
	case HISTOGRAM_SUM:
		return sum;
	case HISTOGRAM_MIN:
		return h->min;
	case HISTOGRAM_MEAN:
		return h->count ? sum / (long double)h->count : 0;
	case HISTOGRAM_MAX:
		return h->max;
	default:
		return histogram_quantile(h, figures[figure].q);
	}
}

bool histogram_row(struct histogram *h, unsigned int *at, long double *from,
		   long double *to, uint64_t *count)
{
	unsigned int octave, next = h->bucketed ? *at : OCTAVES;
	long double low, high;
	uint64_t bits;

	for (*count = 0; next < OCTAVES; next++) {
		const uint64_t *buckets = octave_at(h, octave_in_order(next));

		for (unsigned int b = 0; buckets && b < HISTOGRAM_BUCKETS; b++)
			*count += buckets[b];
		if (*count)
			break;
	}
	for (uint64_t i = 0; !h->bucketed && i < h->count; i++) {
		unsigned int place;

		/* the inverse of octave_in_order() */
		octave = (unsigned int)(first_bits(h->exact[i]) >> 52);
		place = octave < POSITIVE ? POSITIVE + octave :
					    OCTAVES - 1 - octave;
		if (place >= *at && place < next) {
			next = place;
			*count = 0;
		}
		*count += place == next;
	}
	if (next == OCTAVES)
		return false;
	octave = octave_in_order(next);
	bits = (uint64_t)(octave % POSITIVE) << 52;
	low = double_of(bits);
	high = double_of(bits + (1ull << 52));
	if (!bits && !h->fractions)
		high = 1;
	else if (isinf(low))
		high = low;
	*from = octave < POSITIVE ? low : -high;
	*to = octave < POSITIVE ? high : -low;
	*at = next + 1;
	return true;
}

void histogram_clear(struct histogram *h)
{
	for (unsigned int i = 0; i < 64; i++) {
		for (unsigned int k = 0; h->octaves[i] && k < 64; k++)
			free(h->octaves[i][k]);
		free(h->octaves[i]);
	}
	free(h->exact);
	*h = (struct histogram){ 0 };
}

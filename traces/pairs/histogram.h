/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A distribution of numbers: count, sum, minimum and maximum, which are exact
 * (the sum of numbers that are not all integers is rounded), and quantiles.
 *
 * Quantiles are exact up to HISTOGRAM_EXACT numbers. Of more, each power of two
 * has 128 buckets of the same width, and a quantile is the middle of a bucket:
 * it is at most 1/256 (0.4 %) away from the number it stands for. Integers
 * below 256 have buckets of their own. Memory is 1 KiB for each power of two
 * that is met, and at most 6 KiB more.
 *
 * Numbers are integers of 64 bits, of either sign, or doubles; long double
 * holds both. A number's bucket and power of two are found by cutting off
 * digits, never by rounding: 2^60 - 1 is below 2^60.
 */
#ifndef TRACES_PAIRS_HISTOGRAM_H
#define TRACES_PAIRS_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HISTOGRAM_EXACT		256u
#define HISTOGRAM_BUCKETS	128u	/* of a power of two */

__extension__ typedef __int128 wide_int;

/* All zero: empty. */
struct histogram {
	uint64_t count;			/* without `nans` */
	uint64_t nans;			/* NaNs */
	long double sum;
	wide_int whole;			/* the sum, if histogram_whole() */
	long double min;
	long double max;
	/* private */
	long double *exact;		/* until there are too many */
	uint32_t room;			/* of exact[] */
	bool sorted;
	bool bucketed;
	bool fractions;			/* not all are integers */
	bool beyond;			/* some have more than 64 bits */
	uint64_t **octaves[64];		/* by sign and exponent of a double */
};

/* Adds a number. Returns 0 or -ENOMEM. */
int histogram_add(struct histogram *h, long double value);

/* Returns whether all numbers are integers of 64 bits, of which `whole` is the
 * exact sum. */
static inline bool histogram_whole(const struct histogram *h)
{
	return !h->fractions && !h->beyond;
}

/* Returns the quantile q, from 0 to 1: the smallest number that is not below
 * this part of all numbers ("nearest rank"). Returns 0 if there is none. */
long double histogram_quantile(struct histogram *h, double q);

/* The numbers that describe a distribution. */
enum histogram_figure {
	HISTOGRAM_COUNT, HISTOGRAM_SUM, HISTOGRAM_MIN, HISTOGRAM_MEAN,
	HISTOGRAM_P50, HISTOGRAM_P90, HISTOGRAM_P99, HISTOGRAM_P999,
	HISTOGRAM_MAX, HISTOGRAM_FIGURES,
};

/* Returns the word for a figure in tables and options: "p50"; NULL behind the
 * last. */
const char *histogram_word(unsigned int figure);

/* Returns a figure. Without numbers, each is 0. */
long double histogram_figure(struct histogram *h, enum histogram_figure figure);

/*
 * Takes the next power of two that has numbers, from the lowest on; *at is 0 at
 * first. Sets the least and the first greater number of the row: 0 and 1 for
 * integers that are 0; 4 and 8; -8 and -4, where -4 is not of the row below it
 * but of this one. Returns false at the end.
 */
bool histogram_row(struct histogram *h, unsigned int *at, long double *from,
		   long double *to, uint64_t *count);

/* Gives the memory back, and empties it. An empty one may be cleared. */
void histogram_clear(struct histogram *h);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Distributions against a sorted list of the same numbers.
 */
#include "testsuite/unit/unit.h"

#include <math.h>
#include <stdlib.h>

#include "traces/pairs/histogram.h"

#define NUMBERS	20000u

static const double quantiles[] = { 0, 0.01, 0.5, 0.9, 0.99, 0.999, 1 };

static long double durations(void)
{
	return (long double)(unit_random() >> (24 + unit_random() % 40));
}

static long double small(void)
{
	return (long double)(unit_random() % 200);
}

static long double both_signs(void)
{
	return (long double)((int64_t)unit_random() >>
			     (1 + unit_random() % 60));
}

static long double fractions(void)
{
	return ldexpl((long double)(int64_t)unit_random(),
		      -(int)(unit_random() % 200));
}

static long double huge(void)
{
	return (long double)unit_random();
}

/* What is beside powers of two: a double rounds 2^60 - 1 up. */
static long double edges(void)
{
	uint64_t power = 1ull << unit_random() % 64;

	return (long double)(power - 1 + unit_random() % 3);
}

static long double below_zero(void)
{
	return -edges();
}

static int compare(const void *a, const void *b)
{
	long double left = *(const long double *)a;
	long double right = *(const long double *)b;

	return (left > right) - (left < right);
}

/* The number of which at least the part q is not greater. */
static long double nearest_rank(const long double *sorted, size_t n, double q)
{
	for (size_t i = 0; i < n; i++)
		if ((long double)(i + 1) + 1e-9L >= (long double)q *
						    (long double)n)
			return sorted[i];
	return sorted[n - 1];
}

static bool near(long double got, long double want, bool exact)
{
	long double error = got - want;

	if (exact)
		return error == 0;
	return (error < 0 ? -error : error) <=
	       (want < 0 ? -want : want) / 256;
}

/* Each power of two has as many numbers as the list has. */
static bool rows_right(struct histogram *h, const long double *sorted, size_t n)
{
	unsigned int at = 0;
	long double from, to, before = -INFINITY;
	uint64_t count, sum = 0;

	while (histogram_row(h, &at, &from, &to, &count)) {
		uint64_t found = 0;

		for (size_t i = 0; i < n; i++)
			found += from < 0 ?
				 sorted[i] > from && sorted[i] <= to :
				 sorted[i] >= from && sorted[i] < to;
		if (found != count || from < before || from >= to)
			return false;
		before = to;
		sum += count;
	}
	return sum == n;
}

static void check(const char *name, long double (*next)(void), size_t n,
		  bool exact)
{
	struct histogram h = { 0 };
	long double *list = calloc(n, sizeof(*list));
	long double sum = 0;
	wide_int whole = 0;
	bool added = true, good = true;

	for (size_t i = 0; i < n; i++) {
		list[i] = next();
		sum += list[i];
		if (list[i] > -0x1p64L && list[i] < 0x1p64L)
			whole += (wide_int)list[i];
		added &= !histogram_add(&h, list[i]);
	}
	qsort(list, n, sizeof(*list), compare);
	unit_check(added && h.count == n && h.sum == sum && h.min == list[0] &&
		   h.max == list[n - 1], "%s: count, sum, min, max", name);
	unit_check(!histogram_whole(&h) || h.whole == whole,
		   "%s: the exact sum", name);
	for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++) {
		long double got = histogram_quantile(&h, quantiles[i]);
		long double want = nearest_rank(list, n, quantiles[i]);

		if (near(got, want, exact || i == 0))
			continue;
		good = false;
		printf("# %g: %Lg, not %Lg\n", quantiles[i], got, want);
	}
	unit_check(good, "%s: quantiles", name);
	unit_check(rows_right(&h, list, n), "%s: rows", name);
	histogram_clear(&h);
	unit_equal(h.count, 0, "%s: empty again", name);
	free(list);
}

static long double one(void)
{
	return 7;
}

static void odd_ones(void)
{
	struct histogram h = { 0 };
	unsigned int at = 0;
	long double from, to;
	uint64_t count;

	unit_equal(histogram_quantile(&h, 0.5), 0, "none: no quantile");
	unit_check(!histogram_row(&h, &at, &from, &to, &count), "none: no row");
	histogram_add(&h, NAN);
	histogram_add(&h, -0.0L);
	histogram_add(&h, INFINITY);
	histogram_add(&h, -INFINITY);
	unit_equal(h.nans, 1, "what is no number is counted apart");
	unit_equal(h.count, 3, "infinities are numbers");
	unit_check(histogram_quantile(&h, 0.5) == 0, "between them");
	for (unsigned int i = 0; i < 2 * HISTOGRAM_EXACT; i++)
		histogram_add(&h, i & 1 ? INFINITY : -INFINITY);
	unit_check(histogram_quantile(&h, 0.25) == -INFINITY &&
		   histogram_quantile(&h, 0.75) == INFINITY,
		   "many infinities");
	histogram_clear(&h);
}

static void check_figures(void)
{
	struct histogram h = { 0 };
	unsigned int n = 0;

	while (histogram_word(n))
		n++;
	unit_equal(n, HISTOGRAM_FIGURES, "each figure has a word");
	unit_equal_string(histogram_word(HISTOGRAM_P999), "p99.9", "its own");
	for (unsigned int i = 0; i < n; i++)
		unit_check(histogram_figure(&h, i) == 0, "none: %s",
			   histogram_word(i));
	histogram_add(&h, UINT64_MAX);
	histogram_add(&h, 2);
	histogram_add(&h, 1);
	unit_check(histogram_figure(&h, HISTOGRAM_COUNT) == 3, "count");
	unit_check(histogram_figure(&h, HISTOGRAM_SUM) ==
		   18446744073709551618.0L, "a sum of more than 64 bits");
	unit_check(histogram_figure(&h, HISTOGRAM_MIN) == 1, "minimum");
	unit_check(histogram_figure(&h, HISTOGRAM_MEAN) ==
		   6148914691236517206.0L, "mean");
	unit_check(histogram_figure(&h, HISTOGRAM_P50) == 2, "median");
	unit_check(histogram_figure(&h, HISTOGRAM_P90) == UINT64_MAX,
		   "another quantile");
	unit_check(histogram_figure(&h, HISTOGRAM_MAX) == UINT64_MAX,
		   "maximum");
	histogram_add(&h, -0.5L);
	unit_check(histogram_figure(&h, HISTOGRAM_MIN) == -0.5L,
		   "minimum of fractions");
	histogram_clear(&h);
}

int main(void)
{
	check("one", one, 1, true);
	check("few durations", durations, HISTOGRAM_EXACT, true);
	check("one more than is kept", durations, HISTOGRAM_EXACT + 1, false);
	check("durations", durations, NUMBERS, false);
	check("small integers", small, NUMBERS, true);
	check("both signs", both_signs, NUMBERS, false);
	check("few fractions", fractions, 100, true);
	check("fractions", fractions, NUMBERS, false);
	check("64 bits", huge, NUMBERS, false);
	check("the same", one, NUMBERS, true);
	check("few edges", edges, HISTOGRAM_EXACT, true);
	check("edges", edges, NUMBERS, false);
	check("few edges below zero", below_zero, HISTOGRAM_EXACT, true);
	check("edges below zero", below_zero, NUMBERS, false);
	odd_ones();
	check_figures();
	return unit_end();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What every fuzz target includes: its options, its numbers, its inputs.
 *
 *	target [-n INPUTS] [-s SEED]
 *
 * The same seed gives the same inputs, everywhere. A target prints one PASS
 * or FAIL line; sanitizers find what it cannot see.
 */
#ifndef TESTSUITE_FUZZ_H
#define TESTSUITE_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fuzz {
	const char *name;
	uint64_t inputs;
	uint64_t done;
	uint64_t accepted;
	uint64_t failures;
	uint64_t state;
};

static inline void fuzz_open(struct fuzz *fuzz, const char *name, int argc,
			     char **argv)
{
	int i;

	*fuzz = (struct fuzz){ .name = name, .inputs = 20000,
			       .state = 88172645463325252ull };
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	for (i = 1; i + 1 < argc; i += 2) {
		uint64_t number = strtoull(argv[i + 1], NULL, 0);

		if (strcmp(argv[i], "-n") == 0)
			fuzz->inputs = number;
		else
			fuzz->state ^= number * 0x9e3779b97f4a7c15ull;
	}
}

/* The next number, less than `limit`. */
static inline uint64_t fuzz_less(struct fuzz *fuzz, uint64_t limit)
{
	fuzz->state ^= fuzz->state << 13;
	fuzz->state ^= fuzz->state >> 7;
	fuzz->state ^= fuzz->state << 17;
	return (fuzz->state * 0x2545f4914f6cdd1dull >> 16) % limit;
}

/* A number of any size, often at a limit of some width. */
static inline uint64_t fuzz_number(struct fuzz *fuzz)
{
	uint64_t bit = 1ull << fuzz_less(fuzz, 64);

	switch (fuzz_less(fuzz, 4)) {
	case 0:
		return bit + fuzz_less(fuzz, 3) - 1;
	case 1:
		return 0 - bit + fuzz_less(fuzz, 3) - 1;
	case 2:
		return fuzz_less(fuzz, 20);
	default:
		return fuzz_less(fuzz, UINT64_MAX) >> fuzz_less(fuzz, 64);
	}
}

/* Changes some bytes, and moves or doubles others. The length stays. */
static inline void fuzz_mutate(struct fuzz *fuzz, uint8_t *p, size_t n)
{
	uint64_t times = 1 + fuzz_less(fuzz, 4);

	while (n > 1 && times--) {
		size_t from = fuzz_less(fuzz, n), to = fuzz_less(fuzz, n);
		size_t longest = n - (from > to ? from : to);

		switch (fuzz_less(fuzz, 3)) {
		case 0:
			p[to] = (uint8_t)fuzz_less(fuzz, 256);
			break;
		case 1:
			p[to] ^= (uint8_t)(1u << fuzz_less(fuzz, 8));
			break;
		default:
			memmove(p + to, p + from,
				1 + fuzz_less(fuzz, longest));
		}
	}
}

/* Returns a copy of exactly n bytes, so a sanitizer sees each access beyond. */
static inline void *fuzz_copy(const void *p, size_t n)
{
	void *copy = malloc(n ? n : 1);

	if (!copy)
		abort();
	memcpy(copy, p, n);
	return copy;
}

/* What a target finds wrong; the first few are shown. */
static inline void fuzz_fail(struct fuzz *fuzz, const char *what,
			     const void *input, size_t n)
{
	const uint8_t *p = input;
	size_t i;

	if (fuzz->failures++ > 4)
		return;
	printf("# input %llu: %s:", (unsigned long long)fuzz->done, what);
	for (i = 0; i < n; i++)
		printf(" %02x", p[i]);
	printf("\n");
}

/* The result of main(). `least` is the part of the inputs, in a thousand, that
 * must have been accepted: fewer would test little. */
static inline int fuzz_end(struct fuzz *fuzz, uint64_t least)
{
	int ok = !fuzz->failures &&
		 fuzz->accepted * 1000 >= fuzz->inputs * least;

	printf("# %llu of %llu accepted, %llu wrong\n",
	       (unsigned long long)fuzz->accepted,
	       (unsigned long long)fuzz->inputs,
	       (unsigned long long)fuzz->failures);
	printf("%s: fuzz %s\n", ok ? "PASS" : "FAIL", fuzz->name);
	return 0;
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Results of a test program, as testsuite/lib/check.exp relays them.
 */
#ifndef RESULTS_H
#define RESULTS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline int check(const char *name, int good)
{
	printf("%s: %s\n", good ? "PASS" : "FAIL", name);
	fflush(stdout);
	return good;
}

static inline int check_equal(const char *name, long got, long want)
{
	int good = check(name, got == want);

	if (!good)
		printf("# got %ld, not %ld\n", got, want);
	return good;
}

static inline int check_string(const char *name, const char *got,
			       const char *want)
{
	int good = check(name, !strcmp(got, want));

	if (!good)
		printf("# got \"%s\", not \"%s\"\n", got, want);
	return good;
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events whose lengths are negative or larger than any memory, also of a text
 * without a NUL at the end of the memory, and whose pointers are NULL. */
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "harm.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LARGE_BYTES	(1 << 20)
#define PAGE_BYTES	4096

static const long lengths[] = {
	5, 0, -1, -2, -4, INT_MAX, 1l << 31, UINT_MAX, 1l << 32, 1l << 40,
	1l << 62, -(1l << 62), LONG_MAX, LONG_MIN,
};

static void all_hit(const void *p, long n)
{
	lttng_ust_tracepoint(harm, text, p, n);
	lttng_ust_tracepoint(harm, texts, p, n);
	lttng_ust_tracepoint(harm, bytes, p, n);
	lttng_ust_tracepoint(harm, numbers, p, n);
	lttng_ust_tracepoint(harm, mixed, p, n);
}

int main(void)
{
	static const char some[64] = "hello";
	char *large = malloc(LARGE_BYTES);
	char *end = mmap(NULL, 2 * PAGE_BYTES, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int i;

	if (!large || end == MAP_FAILED)
		return 1;
	memset(end, 'a', PAGE_BYTES);
	end += PAGE_BYTES;
	munmap(end, PAGE_BYTES);
	memset(large, 'a', LARGE_BYTES);
	large[LARGE_BYTES - 1] = '\0';
	for (i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		all_hit(some, lengths[i]);
		all_hit(NULL, lengths[i]);
		if (lengths[i] <= 5 || lengths[i] > LARGE_BYTES)
			lttng_ust_tracepoint(harm, text, end - 5, lengths[i]);
	}
	lttng_ust_tracepoint(harm, fixed, some);
	lttng_ust_tracepoint(harm, fixed, NULL);
	lttng_ust_tracepoint(harm, fixed, large);
	lttng_ust_tracepoint(harm, text, large, LARGE_BYTES);
	lttng_ust_tracepoint(harm, bytes, large, LARGE_BYTES);
	/* behind the NUL the trace has zeros */
	large[7] = '\0';
	lttng_ust_tracepoint(harm, texts, large, 600);
	lttng_ust_tracepoint(harm, texts, large, 5000);
	lttng_ust_tracepoint(harm, plain, 1);
	puts("right");
	return 0;
}

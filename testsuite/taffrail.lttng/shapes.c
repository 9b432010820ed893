/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events of LTTng-UST that the agent has functions of their own for, and
 * others. The header is this file, too.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER shapes
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "shapes.c"

#if !defined(LTTNG_SHAPES) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#ifndef LTTNG_SHAPES
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#endif
#define LTTNG_SHAPES

#include <lttng/tracepoint.h>
#include <stdbool.h>
#include <stdint.h>

LTTNG_UST_TRACEPOINT_EVENT(shapes, number,
	LTTNG_UST_TP_ARGS(int, a),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int16_t, a, a)))

LTTNG_UST_TRACEPOINT_EVENT(shapes, numbers,
	LTTNG_UST_TP_ARGS(int64_t, a, uint64_t, b),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int64_t, a, a)
		lttng_ust_field_integer(uint64_t, b, b)))

LTTNG_UST_TRACEPOINT_EVENT(shapes, mixed,
	LTTNG_UST_TP_ARGS(int64_t, a, int, b),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int64_t, a, a)
		lttng_ust_field_integer(int, b, b)))

LTTNG_UST_TRACEPOINT_EVENT(shapes, text,
	LTTNG_UST_TP_ARGS(const char *, s),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_string(s, s)))

LTTNG_UST_TRACEPOINT_EVENT(shapes, both,
	LTTNG_UST_TP_ARGS(int, a, const char *, s),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int, a, a)
		lttng_ust_field_string(s, s)))

/* macros have replaced the names before the compiler gets them */
LTTNG_UST_TRACEPOINT_EVENT(shapes, named,
	LTTNG_UST_TP_ARGS(int, a),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int, true, a)
		lttng_ust_field_integer(int, false, a + 1)
		lttng_ust_field_integer(int, NULL, a + 2)))

#endif

#include <lttng/tracepoint-event.h>

#ifndef LTTNG_SHAPES_MAIN
#define LTTNG_SHAPES_MAIN
#include <string.h>
#include <sys/mman.h>

#define PAGE	4096
#define LONG	5000

int main(void)
{
	char *page = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *end = page + 2 * PAGE;
	int i;

	if (page == MAP_FAILED || mprotect(end, PAGE, PROT_NONE))
		return 1;
	memset(page, 'x', 2 * PAGE - 1);
	lttng_ust_tracepoint(shapes, number, -2);
	lttng_ust_tracepoint(shapes, numbers, -3, ~0ul);
	lttng_ust_tracepoint(shapes, mixed, -4, -5);
	lttng_ust_tracepoint(shapes, text, NULL);
	lttng_ust_tracepoint(shapes, text, "text");
	lttng_ust_tracepoint(shapes, named, 5);
	lttng_ust_tracepoint(shapes, both, 1, NULL);
	lttng_ust_tracepoint(shapes, both, 2, "");
	lttng_ust_tracepoint(shapes, both, 3, "fifteen letters");
	lttng_ust_tracepoint(shapes, both, 4, "sixteen letters.");
	/* in the last bytes of a page, and across one */
	lttng_ust_tracepoint(shapes, both, 5, end - 4);
	lttng_ust_tracepoint(shapes, both, 6, end - LONG - 1);
	for (i = 0; i < 8000; i++)
		lttng_ust_tracepoint(shapes, both, 7, "many");
	return 0;
}
#endif

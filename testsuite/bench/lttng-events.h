/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The same events for LTTng-UST 2.13, in the form its headers ask for. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER taffrail_bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "testsuite/bench/lttng-events.h"

#if !defined(BENCH_LTTNG_EVENTS_H) || \
	defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_LTTNG_EVENTS_H

#include <lttng/tracepoint.h>
#include <stdint.h>

LTTNG_UST_TRACEPOINT_EVENT_CLASS(taffrail_bench, number,
	LTTNG_UST_TP_ARGS(uint64_t, v),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, v, v)))

LTTNG_UST_TRACEPOINT_EVENT_CLASS(taffrail_bench, number_string,
	LTTNG_UST_TP_ARGS(int, v, const char *, s),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, v, v)
			    lttng_ust_field_string(s, s)))

/* for LTTng's session */
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(taffrail_bench, number, taffrail_bench,
	u64, LTTNG_UST_TP_ARGS(uint64_t, v))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(taffrail_bench, number_string,
	taffrail_bench, int_string,
	LTTNG_UST_TP_ARGS(int, v, const char *, s))

/* for Taffrail's */
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(taffrail_bench, number, taffrail_bench,
	beside_u64, LTTNG_UST_TP_ARGS(uint64_t, v))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(taffrail_bench, number_string,
	taffrail_bench, beside_int_string,
	LTTNG_UST_TP_ARGS(int, v, const char *, s))

/* for a tracer that does next to nothing */
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(taffrail_bench, number, taffrail_bench,
	least_u64, LTTNG_UST_TP_ARGS(uint64_t, v))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(taffrail_bench, number_string,
	taffrail_bench, least_int_string,
	LTTNG_UST_TP_ARGS(int, v, const char *, s))

/* for none */
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(taffrail_bench, number, taffrail_bench,
	off, LTTNG_UST_TP_ARGS(uint64_t, v))

#endif

#include <lttng/tracepoint-event.h>

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A provider whose fields are hard to record, and which has an event that calls
 * a function of the program while LTTng is in the event. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER harm
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "harm.h"

#if !defined(LTTNG_HARM_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define LTTNG_HARM_H

#include <lttng/tracepoint.h>

#ifndef HARM_CALL
#define HARM_CALL
typedef int harm_call(void);
#endif

LTTNG_UST_TRACEPOINT_EVENT(harm, inside,
	LTTNG_UST_TP_ARGS(harm_call *, call),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int, result, call())))

LTTNG_UST_TRACEPOINT_EVENT(harm, plain,
	LTTNG_UST_TP_ARGS(int, x),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int, x, x)))

LTTNG_UST_TRACEPOINT_EVENT(harm, text,
	LTTNG_UST_TP_ARGS(const char *, s, long, n),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_sequence_text(char, text, s, unsigned int, n)))

LTTNG_UST_TRACEPOINT_EVENT(harm, texts,
	LTTNG_UST_TP_ARGS(const char *, s, long, n),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int, x, 7)
		lttng_ust_field_sequence_text(char, one, s, unsigned long, n)
		lttng_ust_field_string(string, s)
		lttng_ust_field_sequence_text(char, two, s, unsigned long, n)))

LTTNG_UST_TRACEPOINT_EVENT(harm, bytes,
	LTTNG_UST_TP_ARGS(const char *, s, long, n),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_sequence(char, bytes, s, unsigned int, n)))

LTTNG_UST_TRACEPOINT_EVENT(harm, numbers,
	LTTNG_UST_TP_ARGS(const long *, v, long, n),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_sequence(long, numbers, v, unsigned int, n)))

LTTNG_UST_TRACEPOINT_EVENT(harm, mixed,
	LTTNG_UST_TP_ARGS(const int *, v, long, n),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int, x, 7)
		lttng_ust_field_sequence(int, one, v, unsigned int, n)
		lttng_ust_field_sequence(short, two, (const short *)v,
					 unsigned int, n)))

LTTNG_UST_TRACEPOINT_EVENT(harm, fixed,
	LTTNG_UST_TP_ARGS(const void *, p),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_array(int, numbers, (const int *)p, 4)
		lttng_ust_field_array_text(char, text, (const char *)p, 4)
		lttng_ust_field_string(string, (const char *)p)))

#endif

#include <lttng/tracepoint-event.h>

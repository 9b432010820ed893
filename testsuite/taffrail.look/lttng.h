/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events of LTTng-UST 2.13, with most of its types. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER foreign
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "lttng.h"

#if !defined(LOOK_LTTNG_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define LOOK_LTTNG_H

#include <lttng/tracepoint.h>
#include <stdint.h>

LTTNG_UST_TRACEPOINT_ENUM(foreign, color,
	LTTNG_UST_TP_ENUM_VALUES(
		lttng_ust_field_enum_value("RED", 0)
		lttng_ust_field_enum_range("MANY", 1, 5)
		lttng_ust_field_enum_value("THREE", 3)))

LTTNG_UST_TRACEPOINT_EVENT(foreign, types,
	LTTNG_UST_TP_ARGS(int, i, const char *, s, const int *, pair),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int, number, i)
		lttng_ust_field_integer_hex(int8_t, hex, i)
		lttng_ust_field_integer_nowrite(int, hidden, i)
		lttng_ust_field_string(text, s)
		lttng_ust_field_float(double, third, i / 3.0)
		lttng_ust_field_float(float, small, i / 7.0f)
		lttng_ust_field_enum(foreign, color, int, color, i % 7)
		lttng_ust_field_sequence(uint8_t, bytes, s, unsigned int,
					 (unsigned int)i % 4)
		lttng_ust_field_sequence_text(char, part, s, uint8_t,
					      (uint8_t)(i % 4))
		lttng_ust_field_array(int, pair, pair, 2)))

LTTNG_UST_TRACEPOINT_EVENT(foreign, step,
	LTTNG_UST_TP_ARGS(int, i),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, step, i)))

#endif

#include <lttng/tracepoint-event.h>

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A provider of LTTng-UST 2.13 events: every macro for a field. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER every
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "every.h"

#if !defined(LTTNG_EVERY_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define LTTNG_EVERY_H

#include <lttng/tracepoint.h>
#include <stdint.h>

LTTNG_UST_TRACEPOINT_ENUM(every, state,
	LTTNG_UST_TP_ENUM_VALUES(
		lttng_ust_field_enum_value("IDLE", 0)
		lttng_ust_field_enum_range("BUSY, really", 1, 9)
		lttng_ust_field_enum_value("neg", -5)
		lttng_ust_field_enum_auto("after")))

LTTNG_UST_TRACEPOINT_EVENT(every, integers,
	LTTNG_UST_TP_ARGS(int, a, uint64_t, b),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int, i, a)
		lttng_ust_field_integer(int8_t, i8, a)
		lttng_ust_field_integer(uint8_t, u8, b)
		lttng_ust_field_integer(int16_t, i16, a)
		lttng_ust_field_integer(uint16_t, u16, b)
		lttng_ust_field_integer_nowrite(int, hidden, a)
		lttng_ust_field_integer(uint32_t, u32, b)
		lttng_ust_field_integer(uint64_t, u64, b)
		lttng_ust_field_integer(int64_t, i64, a)
		lttng_ust_field_integer_hex(uint64_t, hex, b)
		lttng_ust_field_integer_network(uint16_t, port, 0x5000)
		lttng_ust_field_integer_network_hex(uint32_t, ip, 0x0100007f)))

LTTNG_UST_TRACEPOINT_EVENT(every, floats,
	LTTNG_UST_TP_ARGS(float, f, double, d),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_float(float, f, f)
		lttng_ust_field_float_nowrite(double, hidden, d)
		lttng_ust_field_float(double, d, d)))

LTTNG_UST_TRACEPOINT_EVENT(every, arrays,
	LTTNG_UST_TP_ARGS(const int *, v, const char *, t, const uint16_t *, n),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_array(int, plain, v, 3)
		lttng_ust_field_array_hex(int, hex, v, 2)
		lttng_ust_field_array_network(uint16_t, net, n, 2)
		lttng_ust_field_array_network_hex(uint16_t, nethex, n, 2)
		lttng_ust_field_array_nowrite(int, hidden, v, 3)
		lttng_ust_field_array_text(char, text, t, 8)
		lttng_ust_field_array(char, raw, t, 3)))

LTTNG_UST_TRACEPOINT_EVENT(every, sequences,
	LTTNG_UST_TP_ARGS(const int *, v, size_t, n, const char *, t, size_t,
			  tn, const uint16_t *, w),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_sequence(int, plain, v, size_t, n)
		lttng_ust_field_sequence_hex(uint8_t, hex, t, uint8_t, tn)
		lttng_ust_field_sequence_nowrite(int, hidden, v, size_t, n)
		lttng_ust_field_sequence_network(uint16_t, net, w, unsigned int,
						 2)
		lttng_ust_field_sequence_text(char, text, t, uint16_t, tn)))

LTTNG_UST_TRACEPOINT_EVENT(every, strings,
	LTTNG_UST_TP_ARGS(const char *, s, const char *, none),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_string(s, s)
		lttng_ust_field_string_nowrite(hidden, s)
		lttng_ust_field_string(none, none)
		lttng_ust_field_unused(none)))

LTTNG_UST_TRACEPOINT_EVENT(every, enums,
	LTTNG_UST_TP_ARGS(int, e),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_enum(every, state, int, e, e)
		lttng_ust_field_enum_nowrite(every, state, int, hidden, e)
		lttng_ust_field_enum(every, state, unsigned char, byte, 7)))

LTTNG_UST_TRACEPOINT_EVENT(every, nothing,
	LTTNG_UST_TP_ARGS(),
	LTTNG_UST_TP_FIELDS())

LTTNG_UST_TRACEPOINT_EVENT_CLASS(every, pair,
	LTTNG_UST_TP_ARGS(int, x, const char *, s),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int, x, x)
		lttng_ust_field_string(s, s)))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(every, pair, every, one,
	LTTNG_UST_TP_ARGS(int, x, const char *, s))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(every, pair, every, other,
	LTTNG_UST_TP_ARGS(int, x, const char *, s))
LTTNG_UST_TRACEPOINT_LOGLEVEL(every, one, LTTNG_UST_TRACEPOINT_LOGLEVEL_WARNING)
LTTNG_UST_TRACEPOINT_MODEL_EMF_URI(every, one, "http://example.org/one")

#define EVERY_FOUR(l)							\
	lttng_ust_field_integer(int, l##1, x)				\
	lttng_ust_field_integer(int, l##2, x)				\
	lttng_ust_field_integer(int, l##3, x)				\
	lttng_ust_field_integer(int, l##4, x)

LTTNG_UST_TRACEPOINT_EVENT(every, crowd,
	LTTNG_UST_TP_ARGS(int, x),
	LTTNG_UST_TP_FIELDS(
		EVERY_FOUR(a) EVERY_FOUR(b) EVERY_FOUR(c) EVERY_FOUR(d)
		EVERY_FOUR(e)))

#endif

#include <lttng/tracepoint-event.h>

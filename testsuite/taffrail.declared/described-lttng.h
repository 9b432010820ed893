/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The events foreign/... of described.c as events of LTTng-UST 2.13. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER foreign
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "described-lttng.h"

#if !defined(DESCRIBED_LTTNG_H) ||					\
	defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define DESCRIBED_LTTNG_H

#include <lttng/tracepoint.h>
#include <stdint.h>

LTTNG_UST_TRACEPOINT_ENUM(foreign, state,
	LTTNG_UST_TP_ENUM_VALUES(
		lttng_ust_field_enum_value("IDLE", 0)
		lttng_ust_field_enum_range("BUSY", 1, 9)
		lttng_ust_field_enum_value("neg", -5)
		lttng_ust_field_enum_auto("after")
		lttng_ust_field_enum_value("THREE", 3)
		lttng_ust_field_enum_value("with blank, comma", 20)
		lttng_ust_field_enum_range("say \"hi\"", 30, 40)))

LTTNG_UST_TRACEPOINT_ENUM(foreign, wide,
	LTTNG_UST_TP_ENUM_VALUES(
		lttng_ust_field_enum_range("TOP", 0x8000000000000000ull,
					   0xffffffffffffffffull)
		lttng_ust_field_enum_range("LOW", 0, 9)
		lttng_ust_field_enum_range("MID", 10, 0x7fffffffffffffffll)))

LTTNG_UST_TRACEPOINT_ENUM(foreign, sides,
	LTTNG_UST_TP_ENUM_VALUES(
		lttng_ust_field_enum_range("TOP", 10, 0x7fffffffffffffffll)
		lttng_ust_field_enum_range("LOW", -0x7fffffffffffffffll - 1, -1)
		lttng_ust_field_enum_range("MID", 0, 9)))

LTTNG_UST_TRACEPOINT_EVENT(foreign, arrays,
	LTTNG_UST_TP_ARGS(const int *, v, const uint8_t *, n, const char *, t),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_array(int, arr, v, 3)
		lttng_ust_field_array_hex(int, arrx, v, 2)
		lttng_ust_field_array_network(uint16_t, arrn, n, 2)
		lttng_ust_field_array_network_hex(uint32_t, arrh, n, 2)
		lttng_ust_field_array_text(char, txt, t, 8)
		lttng_ust_field_array(char, raw, t, 3)
		lttng_ust_field_integer(int, after, 7)))

LTTNG_UST_TRACEPOINT_EVENT(foreign, sequences,
	LTTNG_UST_TP_ARGS(const int *, v, const uint8_t *, n, const char *, t,
			  const char *, s),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_sequence(int, sq, v, size_t, 3)
		lttng_ust_field_sequence_hex(uint8_t, sb, t, uint8_t, 5)
		lttng_ust_field_sequence_network(int16_t, sn, n, unsigned int,
						 4)
		lttng_ust_field_sequence_text(char, st, s, uint16_t, 5)
		lttng_ust_field_sequence_text(char, none, s, uint8_t, 0)
		lttng_ust_field_sequence_text(uint8_t, full, t, uint64_t, 5)))

LTTNG_UST_TRACEPOINT_EVENT(foreign, enums,
	LTTNG_UST_TP_ARGS(int, e, uint64_t, wide),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_enum(foreign, state, int, e, e)
		lttng_ust_field_enum(foreign, state, unsigned char, ec, e)
		lttng_ust_field_enum(foreign, wide, uint64_t, eu, wide)
		lttng_ust_field_enum(foreign, sides, int64_t, es, wide)))

#endif

#include <lttng/tracepoint-event.h>

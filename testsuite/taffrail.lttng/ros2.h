/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events of ROS 2 by the names and fields that ros2_tracing gives them, with
 * the macros that LTTng-UST had before 2.13. */
#undef TRACEPOINT_PROVIDER
#define TRACEPOINT_PROVIDER ros2
#undef TRACEPOINT_INCLUDE
#define TRACEPOINT_INCLUDE "ros2.h"

#if !defined(LTTNG_ROS2_H) || defined(TRACEPOINT_HEADER_MULTI_READ)
#define LTTNG_ROS2_H

#include <lttng/tracepoint.h>
#include <stdbool.h>

TRACEPOINT_EVENT(ros2, rcl_init,
	TP_ARGS(const void *, context),
	TP_FIELDS(
		ctf_integer_hex(const void *, context_handle, context)
		ctf_string(version, "4.1.1")))

TRACEPOINT_EVENT(ros2, rclcpp_callback_register,
	TP_ARGS(const void *, callback_arg, const char *, symbol_arg),
	TP_FIELDS(
		ctf_integer_hex(const void *, callback, callback_arg)
		ctf_string(symbol, symbol_arg)))

TRACEPOINT_EVENT(ros2, rclcpp_publish,
	TP_ARGS(const void *, message_arg),
	TP_FIELDS(
		ctf_integer_hex(const void *, message, message_arg)))

TRACEPOINT_EVENT(ros2, callback_start,
	TP_ARGS(const void *, callback_arg, bool, is_intra_process_arg),
	TP_FIELDS(
		ctf_integer_hex(const void *, callback, callback_arg)
		ctf_integer(int, is_intra_process,
			    is_intra_process_arg ? 1 : 0)))

TRACEPOINT_EVENT(ros2, callback_end,
	TP_ARGS(const void *, callback_arg),
	TP_FIELDS(
		ctf_integer_hex(const void *, callback, callback_arg)))

#endif

#include <lttng/tracepoint-event.h>

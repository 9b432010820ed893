/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The provider of ros2.h, with the functions that a node calls, as ROS 2 has
 * them in libtracetools. */
#define TRACEPOINT_CREATE_PROBES
#define TRACEPOINT_DEFINE
#include "ros2.h"

void ros_trace_rcl_init(const void *context)
{
	tracepoint(ros2, rcl_init, context);
}

void ros_trace_rclcpp_callback_register(const void *callback,
					const char *symbol)
{
	tracepoint(ros2, rclcpp_callback_register, callback, symbol);
}

void ros_trace_rclcpp_publish(const void *message)
{
	tracepoint(ros2, rclcpp_publish, message);
}

void ros_trace_callback_start(const void *callback, bool is_intra_process)
{
	tracepoint(ros2, callback_start, callback, is_intra_process);
}

void ros_trace_callback_end(const void *callback)
{
	tracepoint(ros2, callback_end, callback);
}

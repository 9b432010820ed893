/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Traces that other tracers wrote, through libbabeltrace2. Facts: the library's
 * headers, version 2.0.4; the library keeps their meaning while its name ends
 * in .so.0.
 *
 * Invariant: nothing is linked to the library. Each function is a pointer in
 * `bt`, which foreign_load() sets.
 */
#ifndef TRACES_FOREIGN_LIBRARY_PRIVATE_H
#define TRACES_FOREIGN_LIBRARY_PRIVATE_H

#include <babeltrace2/babeltrace.h>

#include "traces/read/source.h"

/* The functions that are used: X(the library's name without "bt_"), or
 * Y(a shorter name, that of the library). */
#define FOREIGN_FUNCTIONS(X, Y)						\
	X(clock_snapshot_get_ns_from_origin)				\
	X(clock_snapshot_get_value)					\
	X(current_thread_take_error)					\
	X(error_borrow_cause_by_index)					\
	X(error_cause_get_message)					\
	X(error_get_cause_count)					\
	X(error_release)						\
	X(event_borrow_class_const)					\
	X(event_borrow_common_context_field_const)			\
	X(event_borrow_packet_const)					\
	X(event_borrow_payload_field_const)				\
	X(event_borrow_specific_context_field_const)			\
	X(event_borrow_stream_const)					\
	X(event_class_get_log_level)					\
	X(event_class_get_name)						\
	X(field_array_get_length)					\
	X(field_class_array_static_get_length)				\
	X(field_class_enumeration_get_mapping_count)			\
	X(field_class_enumeration_mapping_get_label)			\
	X(field_class_get_type)						\
	X(field_class_integer_get_field_value_range)			\
	X(field_class_integer_get_preferred_display_base)		\
	X(field_class_structure_get_member_count)			\
	X(field_class_structure_member_get_name)			\
	X(field_class_variant_get_option_count)				\
	X(field_class_variant_option_get_name)				\
	X(field_integer_signed_get_value)				\
	X(field_integer_unsigned_get_value)				\
	X(field_real_double_precision_get_value)			\
	X(field_real_single_precision_get_value)			\
	X(field_string_get_length)					\
	X(field_string_get_value)					\
	X(field_variant_get_selected_option_index)			\
	X(graph_add_filter_component)					\
	X(graph_add_simple_sink_component)				\
	X(graph_add_source_component)					\
	X(graph_connect_ports)						\
	X(graph_create)							\
	X(graph_put_ref)						\
	X(graph_run_once)						\
	X(integer_range_set_get_range_count)				\
	X(integer_range_signed_get_lower)				\
	X(integer_range_signed_get_upper)				\
	X(integer_range_unsigned_get_lower)				\
	X(integer_range_unsigned_get_upper)				\
	X(message_event_borrow_event_const)				\
	X(message_get_type)						\
	X(message_iterator_next)					\
	X(message_put_ref)						\
	X(message_stream_beginning_borrow_stream_const)			\
	X(packet_borrow_context_field_const)				\
	X(plugin_find)							\
	X(query_executor_create)					\
	X(query_executor_put_ref)					\
	X(query_executor_query)						\
	X(stream_borrow_class_const)					\
	X(stream_borrow_trace_const)					\
	X(stream_class_get_event_class_count)				\
	X(stream_get_id)						\
	X(stream_get_name)						\
	X(trace_borrow_class_const)					\
	X(trace_class_get_stream_class_count)				\
	X(trace_get_uuid)						\
	X(value_array_append_string_element)				\
	X(value_get_type)						\
	X(value_integer_signed_get)					\
	X(value_map_borrow_entry_value_const)				\
	X(value_map_create)						\
	X(value_map_insert_empty_array_entry)				\
	X(value_map_insert_string_entry)				\
	X(value_put_ref)						\
	X(value_string_get)						\
	Y(class_element, field_class_array_borrow_element_field_class_const) \
	Y(class_member, field_class_structure_borrow_member_by_index_const) \
	Y(class_option, field_class_variant_borrow_option_by_index_const) \
	Y(enum_signed_mapping,						\
	  field_class_enumeration_signed_borrow_mapping_by_index_const)	\
	Y(enum_signed_ranges,						\
	  field_class_enumeration_signed_mapping_borrow_ranges_const)	\
	Y(enum_unsigned_mapping,					\
	  field_class_enumeration_unsigned_borrow_mapping_by_index_const) \
	Y(enum_unsigned_ranges,						\
	  field_class_enumeration_unsigned_mapping_borrow_ranges_const)	\
	Y(event_class_payload, event_class_borrow_payload_field_class_const) \
	Y(event_class_specific,						\
	  event_class_borrow_specific_context_field_class_const)	\
	Y(event_time, message_event_borrow_default_clock_snapshot_const) \
	Y(field_element, field_array_borrow_element_field_by_index_const) \
	Y(field_member, field_structure_borrow_member_field_by_index_const) \
	Y(field_option, field_variant_borrow_selected_option_field_const) \
	Y(filter_input, component_filter_borrow_input_port_by_index_const) \
	Y(filter_output, component_filter_borrow_output_port_by_index_const) \
	Y(lost_events_begin,						\
    message_discarded_events_borrow_beginning_default_clock_snapshot_const) \
	Y(lost_events_count, message_discarded_events_get_count)	\
	Y(lost_events_end,						\
	  message_discarded_events_borrow_end_default_clock_snapshot_const) \
	Y(lost_events_have_times,					\
	  stream_class_discarded_events_have_default_clock_snapshots)	\
	Y(lost_events_stream, message_discarded_events_borrow_stream_const) \
	Y(lost_packets_begin,						\
    message_discarded_packets_borrow_beginning_default_clock_snapshot_const) \
	Y(lost_packets_count, message_discarded_packets_get_count)	\
	Y(lost_packets_end,						\
	  message_discarded_packets_borrow_end_default_clock_snapshot_const) \
	Y(lost_packets_have_times,					\
	  stream_class_discarded_packets_have_default_clock_snapshots)	\
	Y(lost_packets_stream, message_discarded_packets_borrow_stream_const) \
	Y(member_class, field_class_structure_member_borrow_field_class_const) \
	Y(option_class, field_class_variant_option_borrow_field_class_const) \
	Y(plugin_filter, plugin_borrow_filter_component_class_by_name_const) \
	Y(plugin_source, plugin_borrow_source_component_class_by_name_const) \
	Y(signed_range, integer_range_set_signed_borrow_range_by_index_const) \
	Y(sink_input, component_sink_borrow_input_port_by_index_const)	\
	Y(source_output, component_source_borrow_output_port_by_index_const) \
	Y(source_outputs, component_source_get_output_port_count)	\
	Y(stream_class_clock, stream_class_borrow_default_clock_class_const) \
	Y(stream_class_common,						\
	  stream_class_borrow_event_common_context_field_class_const)	\
	Y(stream_class_event, stream_class_borrow_event_class_by_index_const) \
	Y(stream_class_packet,						\
	  stream_class_borrow_packet_context_field_class_const)		\
	Y(trace_class_stream, trace_class_borrow_stream_class_by_index_const) \
	Y(trace_environment,						\
	  trace_borrow_environment_entry_value_by_name_const)		\
	Y(unsigned_range,						\
	  integer_range_set_unsigned_borrow_range_by_index_const)

#define FOREIGN_POINTER(name)		__typeof__(bt_##name) *name;
#define FOREIGN_SHORT(name, function)	__typeof__(bt_##function) *name;

/* The library: a pointer for each function, and the classes of components. All
 * NULL until foreign_load(). */
struct foreign_library {
	FOREIGN_FUNCTIONS(FOREIGN_POINTER, FOREIGN_SHORT)
	const bt_component_class_source *ctf;	/* reads directories */
	const bt_component_class_filter *muxer;	/* orders events */
};

extern struct foreign_library bt;

/* Loads the library once. Returns NULL, or why that is not possible: a sentence
 * that stays, the same at each call. */
const char *foreign_load(void);

/* Takes the library's error of this thread, and copies the first cause; without
 * one, words that say so. The library has none then. */
void foreign_error(char *text, size_t room);

/*
 * Describes the streams of a class: their trace, and their events, in `events`
 * by the class's index, or NULL where one cannot be described, which is told.
 * Returns 0 or -ENOMEM. `cpu` is the index of a packet's cpu_id, or -1.
 */
int foreign_class(struct reader *reader, struct trace_class *trace,
		  const bt_trace *from, const bt_stream_class *class,
		  const char *path, int64_t *cpu);

/* Bytes that grow. */
struct foreign_bytes {
	uint8_t *at;
	size_t used;
	size_t room;
};

#endif

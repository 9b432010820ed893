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

/* The functions that are used: a name, and the library's without "bt_". */
#define FOREIGN_FUNCTIONS(X)						\
	X(class_element, field_class_array_borrow_element_field_class_const) \
	X(class_member, field_class_structure_borrow_member_by_index_const) \
	X(class_option, field_class_variant_borrow_option_by_index_const) \
	X(clock_snapshot_get_ns_from_origin,				\
	  clock_snapshot_get_ns_from_origin)				\
	X(clock_snapshot_get_value, clock_snapshot_get_value)		\
	X(current_thread_take_error, current_thread_take_error)		\
	X(enum_signed_mapping,						\
	  field_class_enumeration_signed_borrow_mapping_by_index_const)	\
	X(enum_signed_ranges,						\
	  field_class_enumeration_signed_mapping_borrow_ranges_const)	\
	X(enum_unsigned_mapping,					\
	  field_class_enumeration_unsigned_borrow_mapping_by_index_const) \
	X(enum_unsigned_ranges,						\
	  field_class_enumeration_unsigned_mapping_borrow_ranges_const)	\
	X(error_borrow_cause_by_index, error_borrow_cause_by_index)	\
	X(error_cause_get_message, error_cause_get_message)		\
	X(error_get_cause_count, error_get_cause_count)			\
	X(error_release, error_release)					\
	X(event_borrow_class_const, event_borrow_class_const)		\
	X(event_borrow_common_context_field_const,			\
	  event_borrow_common_context_field_const)			\
	X(event_borrow_packet_const, event_borrow_packet_const)		\
	X(event_borrow_payload_field_const, event_borrow_payload_field_const) \
	X(event_borrow_specific_context_field_const,			\
	  event_borrow_specific_context_field_const)			\
	X(event_borrow_stream_const, event_borrow_stream_const)		\
	X(event_class_get_log_level, event_class_get_log_level)		\
	X(event_class_get_name, event_class_get_name)			\
	X(event_class_payload, event_class_borrow_payload_field_class_const) \
	X(event_class_specific,						\
	  event_class_borrow_specific_context_field_class_const)	\
	X(event_time, message_event_borrow_default_clock_snapshot_const) \
	X(field_array_get_length, field_array_get_length)		\
	X(field_class_array_static_get_length,				\
	  field_class_array_static_get_length)				\
	X(field_class_enumeration_get_mapping_count,			\
	  field_class_enumeration_get_mapping_count)			\
	X(field_class_enumeration_mapping_get_label,			\
	  field_class_enumeration_mapping_get_label)			\
	X(field_class_get_type, field_class_get_type)			\
	X(field_class_integer_get_field_value_range,			\
	  field_class_integer_get_field_value_range)			\
	X(field_class_integer_get_preferred_display_base,		\
	  field_class_integer_get_preferred_display_base)		\
	X(field_class_structure_get_member_count,			\
	  field_class_structure_get_member_count)			\
	X(field_class_structure_member_get_name,			\
	  field_class_structure_member_get_name)			\
	X(field_class_variant_get_option_count,				\
	  field_class_variant_get_option_count)				\
	X(field_class_variant_option_get_name,				\
	  field_class_variant_option_get_name)				\
	X(field_element, field_array_borrow_element_field_by_index_const) \
	X(field_integer_signed_get_value, field_integer_signed_get_value) \
	X(field_integer_unsigned_get_value, field_integer_unsigned_get_value) \
	X(field_member, field_structure_borrow_member_field_by_index_const) \
	X(field_option, field_variant_borrow_selected_option_field_const) \
	X(field_real_double_precision_get_value,			\
	  field_real_double_precision_get_value)			\
	X(field_real_single_precision_get_value,			\
	  field_real_single_precision_get_value)			\
	X(field_string_get_length, field_string_get_length)		\
	X(field_string_get_value, field_string_get_value)		\
	X(field_variant_get_selected_option_index,			\
	  field_variant_get_selected_option_index)			\
	X(filter_input, component_filter_borrow_input_port_by_index_const) \
	X(filter_output, component_filter_borrow_output_port_by_index_const) \
	X(graph_add_filter_component, graph_add_filter_component)	\
	X(graph_add_simple_sink_component, graph_add_simple_sink_component) \
	X(graph_add_source_component, graph_add_source_component)	\
	X(graph_connect_ports, graph_connect_ports)			\
	X(graph_create, graph_create)					\
	X(graph_put_ref, graph_put_ref)					\
	X(graph_run_once, graph_run_once)				\
	X(integer_range_set_get_range_count,				\
	  integer_range_set_get_range_count)				\
	X(integer_range_signed_get_lower, integer_range_signed_get_lower) \
	X(integer_range_signed_get_upper, integer_range_signed_get_upper) \
	X(integer_range_unsigned_get_lower, integer_range_unsigned_get_lower) \
	X(integer_range_unsigned_get_upper, integer_range_unsigned_get_upper) \
	X(lost_events_begin,						\
    message_discarded_events_borrow_beginning_default_clock_snapshot_const) \
	X(lost_events_count, message_discarded_events_get_count)	\
	X(lost_events_end,						\
    message_discarded_events_borrow_end_default_clock_snapshot_const) \
	X(lost_events_have_times,					\
	  stream_class_discarded_events_have_default_clock_snapshots)	\
	X(lost_events_stream, message_discarded_events_borrow_stream_const) \
	X(lost_packets_begin,						\
    message_discarded_packets_borrow_beginning_default_clock_snapshot_const) \
	X(lost_packets_count, message_discarded_packets_get_count)	\
	X(lost_packets_end,						\
    message_discarded_packets_borrow_end_default_clock_snapshot_const) \
	X(lost_packets_have_times,					\
	  stream_class_discarded_packets_have_default_clock_snapshots)	\
	X(lost_packets_stream, message_discarded_packets_borrow_stream_const) \
	X(member_class, field_class_structure_member_borrow_field_class_const) \
	X(message_event_borrow_event_const, message_event_borrow_event_const) \
	X(message_get_type, message_get_type)				\
	X(message_iterator_next, message_iterator_next)			\
	X(message_put_ref, message_put_ref)				\
	X(message_stream_beginning_borrow_stream_const,			\
	  message_stream_beginning_borrow_stream_const)			\
	X(option_class, field_class_variant_option_borrow_field_class_const) \
	X(packet_borrow_context_field_const,				\
	  packet_borrow_context_field_const)				\
	X(plugin_filter, plugin_borrow_filter_component_class_by_name_const) \
	X(plugin_find, plugin_find)					\
	X(plugin_source, plugin_borrow_source_component_class_by_name_const) \
	X(query_executor_create, query_executor_create)			\
	X(query_executor_put_ref, query_executor_put_ref)		\
	X(query_executor_query, query_executor_query)			\
	X(signed_range, integer_range_set_signed_borrow_range_by_index_const) \
	X(sink_input, component_sink_borrow_input_port_by_index_const)	\
	X(source_output, component_source_borrow_output_port_by_index_const) \
	X(source_outputs, component_source_get_output_port_count)	\
	X(stream_borrow_class_const, stream_borrow_class_const)		\
	X(stream_borrow_trace_const, stream_borrow_trace_const)		\
	X(stream_class_clock, stream_class_borrow_default_clock_class_const) \
	X(stream_class_common,						\
	  stream_class_borrow_event_common_context_field_class_const)	\
	X(stream_class_event, stream_class_borrow_event_class_by_index_const) \
	X(stream_class_get_event_class_count,				\
	  stream_class_get_event_class_count)				\
	X(stream_class_packet,						\
	  stream_class_borrow_packet_context_field_class_const)		\
	X(stream_get_id, stream_get_id)					\
	X(stream_get_name, stream_get_name)				\
	X(trace_borrow_class_const, trace_borrow_class_const)		\
	X(trace_class_get_stream_class_count,				\
	  trace_class_get_stream_class_count)				\
	X(trace_class_stream, trace_class_borrow_stream_class_by_index_const) \
	X(trace_environment,						\
	  trace_borrow_environment_entry_value_by_name_const)		\
	X(trace_get_uuid, trace_get_uuid)				\
	X(unsigned_range,						\
	  integer_range_set_unsigned_borrow_range_by_index_const)	\
	X(value_array_append_string_element,				\
	  value_array_append_string_element)				\
	X(value_get_type, value_get_type)				\
	X(value_integer_signed_get, value_integer_signed_get)		\
	X(value_map_borrow_entry_value_const,				\
	  value_map_borrow_entry_value_const)				\
	X(value_map_create, value_map_create)				\
	X(value_map_insert_empty_array_entry,				\
	  value_map_insert_empty_array_entry)				\
	X(value_map_insert_string_entry, value_map_insert_string_entry)	\
	X(value_put_ref, value_put_ref)					\
	X(value_string_get, value_string_get)

#define FOREIGN_POINTER(name, function)	__typeof__(bt_##function) *name;

struct foreign_library {
	FOREIGN_FUNCTIONS(FOREIGN_POINTER)
	const bt_component_class_source *ctf;	/* reads directories */
	const bt_component_class_filter *muxer;	/* orders events */
};

extern struct foreign_library bt;

/* Loads the library once. Returns NULL, or why that is not possible. */
const char *foreign_load(void);

/* Takes the library's error of this thread, and copies the first cause. */
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

/* Appends a field in the form of classes.h. Returns false without memory. */
bool foreign_encode(struct foreign_bytes *to, const struct field_class *class,
		    const bt_field *field);

#endif

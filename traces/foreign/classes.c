/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The events of another tracer's trace, described as classes.h has it.
 *
 * Invariant: a class that has no form here is told, and leaves its events out;
 * all others are read. Everything is copied: the library's objects may go
 * before the classes.
 */
#ifdef HAVE_BABELTRACE2
#include <stdio.h>
#include <string.h>

#include "tracepoints/fields/shown.h"
#include "traces/foreign/library-private.h"

static int make_class(struct class_memory **memory, struct field_class *to,
		      const bt_field_class *from);

/* Returns whether a class is of a type, or of a type below that. */
static bool is_kind(const bt_field_class *class, bt_field_class_type type)
{
	return bt_field_class_type_is(bt.field_class_get_type(class), type);
}

/* Ranges of one label, which is the same pointer in all of them. */
struct ranges {
	const bt_integer_range_set_signed *s;
	const bt_integer_range_set_unsigned *u;
	const char *label;
	uint64_t n;
};

/* Finds the label and the ranges of mapping i, signed or not. The library has
 * two sets of functions, which differ in nothing else. */
static void find_ranges(struct ranges *r, const bt_field_class *class,
			bool is_signed, uint64_t i)
{
	const bt_field_class_enumeration_signed_mapping *s;
	const bt_field_class_enumeration_unsigned_mapping *u;
	const bt_field_class_enumeration_mapping *mapping;

	if (is_signed) {
		s = bt.enum_signed_mapping(class, i);
		mapping =
		  bt_field_class_enumeration_signed_mapping_as_mapping_const(s);
		r->s = bt.enum_signed_ranges(s);
		r->n = bt.integer_range_set_get_range_count(
			bt_integer_range_set_signed_as_range_set_const(r->s));
	} else {
		u = bt.enum_unsigned_mapping(class, i);
		mapping =
		  bt_field_class_enumeration_unsigned_mapping_as_mapping_const(
			u);
		r->u = bt.enum_unsigned_ranges(u);
		r->n = bt.integer_range_set_get_range_count(
			bt_integer_range_set_unsigned_as_range_set_const(r->u));
	}
	r->label = bt.field_class_enumeration_mapping_get_label(mapping);
}

/* Makes a label of each range: one that has several is there as often. Returns
 * 0 or -ENOMEM. */
static int make_labels(struct class_memory **memory, struct field_class *to,
		       const bt_field_class *from)
{
	uint64_t n = bt.field_class_enumeration_get_mapping_count(from);
	const bt_integer_range_unsigned *u;
	const bt_integer_range_signed *s;
	struct field_label *labels;
	size_t sum = 0;

	for (uint64_t i = 0; i < n; i++) {
		struct ranges r = { 0 };

		find_ranges(&r, from, to->is_signed, i);
		sum += r.n;
	}
	labels = class_memory_take(memory, (sum + 1) * sizeof(*labels));
	if (!labels)
		return -ENOMEM;
	to->labels = labels;
	for (uint64_t i = 0; i < n; i++) {
		struct ranges r = { 0 };
		const char *name;

		find_ranges(&r, from, to->is_signed, i);
		name = class_memory_text(memory, r.label);
		if (!name)
			return -ENOMEM;
		for (uint64_t k = 0; k < r.n; k++) {
			struct field_label *l = &labels[to->nlabels++];

			l->name = name;
			if (r.s) {
				s = bt.signed_range(r.s, k);
				l->from = (uint64_t)
					bt.integer_range_signed_get_lower(s);
				l->to = (uint64_t)
					bt.integer_range_signed_get_upper(s);
			} else {
				u = bt.unsigned_range(r.u, k);
				l->from =
					bt.integer_range_unsigned_get_lower(u);
				l->to = bt.integer_range_unsigned_get_upper(u);
			}
		}
	}
	field_labels_order(to, labels);
	return 0;
}

/* Makes room for n members. Returns it, or NULL without memory. */
static struct field_class *take_members(struct class_memory **memory,
					struct field_class *to, uint64_t n)
{
	struct field_class *members =
		class_memory_take(memory, (n + 1) * sizeof(*members));

	to->members = members;
	to->nmembers = members ? n : 0;
	return members;
}

/* Makes a structure, or a variant with a member for each option. Returns 0;
 * -ENOTSUP: a member has a type that has no form here; -ENOMEM. */
static int make_members(struct class_memory **memory, struct field_class *to,
			const bt_field_class *from, bool variant)
{
	uint64_t n = variant ? bt.field_class_variant_get_option_count(from) :
			       bt.field_class_structure_get_member_count(from);
	struct field_class *members = take_members(memory, to, n);
	const bt_field_class_structure_member *member;
	const bt_field_class_variant_option *option;
	const char *name;
	int ret = members ? 0 : -ENOMEM;

	to->kind = variant ? FIELD_VARIANT : FIELD_STRUCT;
	for (uint64_t i = 0; i < n && !ret; i++) {
		if (variant) {
			option = bt.class_option(from, i);
			ret = make_class(memory, &members[i],
					 bt.option_class(option));
			name = bt.field_class_variant_option_get_name(option);
		} else {
			member = bt.class_member(from, i);
			ret = make_class(memory, &members[i],
					 bt.member_class(member));
			name = bt.field_class_structure_member_get_name(member);
		}
		members[i].name = class_memory_text(memory, name);
		if (!members[i].name)
			ret = -ENOMEM;
	}
	return ret;
}

/* Describes a type; an integer in the smallest size that holds its bits.
 * Returns 0, -ENOMEM, or -ENOTSUP: there is no form for the type. */
static int make_class(struct class_memory **memory, struct field_class *to,
		      const bt_field_class *from)
{
	struct field_class *element;
	uint64_t bits;

	if (is_kind(from, BT_FIELD_CLASS_TYPE_INTEGER)) {
		bits = bt.field_class_integer_get_field_value_range(from);
		to->is_signed = is_kind(from,
					BT_FIELD_CLASS_TYPE_SIGNED_INTEGER);
		to->bits = (uint8_t)bits;
		to->bytes = bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
		to->base = (uint8_t)
			bt.field_class_integer_get_preferred_display_base(from);
		to->kind = FIELD_INTEGER;
		if (!is_kind(from, BT_FIELD_CLASS_TYPE_ENUMERATION))
			return 0;
		to->kind = FIELD_ENUM;
		return make_labels(memory, to, from);
	}
	if (is_kind(from, BT_FIELD_CLASS_TYPE_REAL)) {
		to->kind = FIELD_REAL;
		to->bytes = is_kind(from,
			       BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL) ?
			    4 : 8;
		return 0;
	}
	if (is_kind(from, BT_FIELD_CLASS_TYPE_STRING)) {
		to->kind = FIELD_STRING;
		return 0;
	}
	if (is_kind(from, BT_FIELD_CLASS_TYPE_STRUCTURE))
		return make_members(memory, to, from, false);
	if (is_kind(from, BT_FIELD_CLASS_TYPE_VARIANT))
		return make_members(memory, to, from, true);
	if (!is_kind(from, BT_FIELD_CLASS_TYPE_ARRAY))
		return -ENOTSUP;
	to->kind = FIELD_LIST;
	if (is_kind(from, BT_FIELD_CLASS_TYPE_STATIC_ARRAY)) {
		to->kind = FIELD_ARRAY;
		to->count = bt.field_class_array_static_get_length(from);
	}
	element = take_members(memory, to, 1);
	return element ? make_class(memory, element, bt.class_element(from)) :
			 -ENOMEM;
}

/* Makes a structure without a length. Where the trace has none, *to stays NULL.
 * Returns 0, -ENOTSUP or -ENOMEM. */
static int make_scope(struct class_memory **memory,
		      const struct field_class **to, const bt_field_class *from)
{
	struct field_class *class;

	if (!from)
		return 0;
	class = class_memory_take(memory, sizeof(*class));
	*to = class;
	return class ? make_class(memory, class, from) : -ENOMEM;
}

/* Makes an event class: the name, level, other context and fields. Returns 0;
 * -ENOTSUP: a field has no form here, and the name is set; -ENOMEM. */
static int make_event(struct class_memory **memory, struct event_class *event,
		      const bt_event_class *from)
{
	static const struct field_class none = { .kind = FIELD_STRUCT };
	const char *name = bt.event_class_get_name(from);
	bt_event_class_log_level level;
	int ret;

	event->level = LEVEL_NONE;
	if (bt.event_class_get_log_level(from, &level) ==
	    BT_PROPERTY_AVAILABILITY_AVAILABLE)
		event->level = (int)level;
	event->name = class_memory_text(memory, name ? name : "<unknown>");
	event->id = event->name ? class_memory_id(memory, event->name) : NULL;
	if (!event->id)
		return -ENOMEM;
	ret = make_scope(memory, &event->specific,
			 bt.event_class_specific(from));
	if (!ret)
		ret = make_scope(memory, &event->fields,
				 bt.event_class_payload(from));
	event->bare = !event->fields;
	if (event->bare)
		event->fields = &none;
	return ret;
}

/* Makes all event classes of a stream class, and reports each class that has no
 * form here. Returns 0 or -ENOMEM. */
static int make_events(struct reader *reader, struct trace_class *trace,
		       const bt_stream_class *class)
{
	uint64_t n = bt.stream_class_get_event_class_count(class);
	struct event_class **events = class_memory_take(
		&trace->memory, (n + 1) * sizeof(struct event_class *));

	trace->events = events;
	trace->nevents = events ? n : 0;
	for (uint64_t i = 0; i < trace->nevents; i++) {
		struct event_class *event = class_memory_take(&trace->memory,
							      sizeof(*event));
		int ret = event ? make_event(&trace->memory, event,
			bt.stream_class_event(class, i)) : -ENOMEM;

		if (ret == -ENOTSUP)
			reader_problem(reader, trace->path, "events '%s' are "
				       "left out: a field has a type that "
				       "Taffrail does not know", event->name);
		else if (ret)
			return ret;
		if (ret)
			continue;
		event->code = i;
		event->number = trace->nclasses++;
		events[i] = event;
	}
	return events ? 0 : -ENOMEM;
}

/* Returns a value of the environment, or NULL: it is not there, or of another
 * type. */
static const bt_value *value_of(const bt_trace *trace, const char *name,
				bt_value_type type)
{
	const bt_value *value = bt.trace_environment(trace, name);

	return value && bt_value_type_is(bt.value_get_type(value), type) ?
	       value : NULL;
}

/* Appends a text of the environment to the prefix of events, which may be NULL.
 * Returns the text, "" if there is none, or NULL without memory. */
static const char *take_text(struct trace_class *trace, const bt_trace *from,
			     const char *name, char **prefix)
{
	const bt_value *value = value_of(from, name, BT_VALUE_TYPE_STRING);
	const char *text = value ? bt.value_string_get(value) : NULL;
	char *longer;

	if (!text)
		return "";
	text = class_memory_text(&trace->memory, text);
	if (!text || !prefix)
		return text;
	longer = class_memory_take(&trace->memory, strlen(text) + 2 +
				   (*prefix ? strlen(*prefix) : 0));
	if (!longer)
		return NULL;
	if (*prefix)
		stpcpy(stpcpy(longer, *prefix), ":");
	strcat(longer, text);
	*prefix = longer;
	return text;
}

/* Sets the facts about the process that the environment has, and the text for
 * them. Returns 0 or -ENOMEM. */
static int make_environment(struct trace_class *trace, const bt_trace *from)
{
	const bt_value *vpid = value_of(from, "vpid",
					BT_VALUE_TYPE_SIGNED_INTEGER);
	const char *uuid = (const char *)bt.trace_get_uuid(from);
	char *prefix = NULL, *text;
	size_t bytes;

	if (uuid)
		memcpy(trace->uuid, uuid, sizeof(trace->uuid));
	trace->hostname = take_text(trace, from, "hostname", &prefix);
	trace->procname = take_text(trace, from, "procname", &prefix);
	trace->domain = take_text(trace, from, "domain", NULL);
	trace->session = "";
	if (!trace->hostname || !trace->procname || !trace->domain)
		return -ENOMEM;
	trace->vpid = vpid ? bt.value_integer_signed_get(vpid) : -1;
	bytes = (prefix ? strlen(prefix) : 0) + 40;
	text = class_memory_take(&trace->memory, bytes);
	if (!text)
		return -ENOMEM;
	if (prefix)
		strcpy(text, prefix);
	if (vpid)
		snprintf(text + strlen(text), 32, "%s(%lld)",
			 prefix ? ":" : "", (long long)trace->vpid);
	if (prefix || vpid)
		strcat(text, " ");
	trace->prefix = text;
	return 0;
}

int foreign_class(struct reader *reader, struct trace_class *trace,
		  const bt_trace *from, const bt_stream_class *class,
		  const char *path, int64_t *cpu)
{
	int ret = read_name(trace, path);

	trace->foreign = true;
	/* times are nanoseconds of babeltrace2's */
	trace->clock.hz = 1000000000;
	trace->no_clock = !bt.stream_class_clock(class);
	if (!ret)
		ret = make_environment(trace, from);
	if (!ret)
		ret = make_scope(&trace->memory, &trace->packet,
			bt.stream_class_packet(class));
	if (!ret)
		ret = make_scope(&trace->memory, &trace->context,
			bt.stream_class_common(class));
	*cpu = -1;
	for (size_t i = 0; trace->packet && i < trace->packet->nmembers; i++)
		if (!strcmp(trace->packet->members[i].name, "cpu_id") &&
		    trace->packet->members[i].kind == FIELD_INTEGER &&
		    !trace->packet->members[i].is_signed && *cpu < 0)
			*cpu = (int64_t)i;
	trace->no_cpu = *cpu < 0;
	return ret ? ret : make_events(reader, trace, class);
}
#endif

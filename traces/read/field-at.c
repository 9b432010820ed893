/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where a field of an event is.
 *
 * Invariant: an event's bytes are checked with field_bytes() before they are
 * used, in each event anew: a place that was found by name says nothing about
 * the size of the event.
 */
#include "traces/read/field-at.h"

#include <stdio.h>
#include <string.h>

/* Classes of the fields that every event has: the bytes are in struct
 * trace_event and struct trace_class, not in the packet. */
static const struct field_class cpu_class = {
	.kind = FIELD_INTEGER, .bytes = 4, .base = 10, .name = "cpu",
};

static const struct field_class vpid_class = {
	.kind = FIELD_INTEGER, .bytes = 8, .is_signed = true, .base = 10,
	.name = "vpid",
};

static const struct field_class procname_class = {
	.kind = FIELD_STRING, .name = "procname",
};

/* Returns whether a member of a structure is the value of a union, as
 * metadata.c names it. */
static bool is_value(const struct field_class *member)
{
	return member->kind == FIELD_VARIANT && member->name &&
	       !strcmp(member->name, "value");
}

static bool find_inner(struct field_at *at, const struct field_class *class,
		       const char *name);

/* Finds an option of a variant that begins where at->inner says, or a member of
 * the option. A variant in an option is not looked into. */
static bool find_option(struct field_at *at, const struct field_class *variant,
			const char *name)
{
	for (size_t i = 0; !at->variant && i < variant->nmembers; i++) {
		const struct field_class *option = &variant->members[i];
		size_t n = strlen(option->name);

		if (strncmp(option->name, name, n) ||
		    (name[n] && name[n] != '.'))
			continue;
		at->variant = variant;
		at->before = at->inner;
		at->option = option;
		at->inner = 0;
		at->class = option;
		return !name[n] || find_inner(at, option, name + n + 1);
	}
	return false;
}

/* Finds a member of a structure, an element of an array, or an option of a
 * variant, at a place that is the same in all values. Returns false, and *at is
 * not to be used, if there is none. */
static bool find_inner(struct field_at *at, const struct field_class *class,
		       const char *name)
{
	bool array = class->kind == FIELD_ARRAY;
	uint64_t n = array ? class->count : class->nmembers;
	size_t length = strcspn(name, ".");
	char number[24];

	if (class->kind == FIELD_VARIANT)
		return find_option(at, class, name);
	if (!array && class->kind != FIELD_STRUCT)
		return false;
	for (uint64_t i = 0; i < n; i++) {
		const struct field_class *member =
			&class->members[array ? 0 : i];
		int64_t bytes = field_always_bytes(member);

		snprintf(number, sizeof(number), "%llu", (unsigned long long)i);
		if (!array && !member->name)
			return false;
		if (!strncmp(array ? number : member->name, name, length) &&
		    !(array ? number : member->name)[length]) {
			at->class = member;
			return !name[length] ||
			       find_inner(at, member, name + length + 1);
		}
		if (bytes < 0 || at->inner + bytes > UINT32_MAX)
			return is_value(member) &&
			       find_option(at, member, name);
		at->inner += (uint32_t)bytes;
	}
	return false;
}

/* Finds a member of an event's or context's structure, or a part of one. Sets
 * how far the place is the same in all events: from there on, members are
 * stepped over in each. Returns false if there is none. */
static bool find_member(struct field_at *at, const struct field_class *class,
			const char *name)
{
	bool constant = true;

	for (uint32_t i = 0; class && i < class->nmembers; i++) {
		const struct field_class *member = &class->members[i];
		size_t n = member->name ? strlen(member->name) : 0;
		int64_t bytes = field_always_bytes(member);

		at->inner = 0;
		at->variant = NULL;
		at->class = member;
		if (member->name && !member->is_length &&
		    !strncmp(member->name, name, n) &&
		    (!name[n] || (name[n] == '.' &&
				  find_inner(at, member, name + n + 1)))) {
			at->whole = member;
			at->to = i;
			return true;
		}
		constant &= bytes >= 0 && at->offset + bytes <= UINT32_MAX;
		if (constant) {
			at->offset += (uint32_t)bytes;
			at->from = i + 1;
		}
	}
	return false;
}

bool field_at_find(struct field_at *at, const struct trace_class *trace,
		   const struct event_class *event, const char *name)
{
	*at = (struct field_at){ .source = FIELD_OF_EVENT };
	if (find_member(at, event->fields, name))
		return true;
	*at = (struct field_at){ .source = FIELD_OF_CONTEXT };
	if (find_member(at, trace->context, name))
		return true;
	at->source = FIELD_OF_STREAM;
	at->class = &cpu_class;
	/* rules call it cpu, text and JSON cpu_id; a field of the event that is
	 * called so has come first */
	if (!strcmp(name, "cpu") || !strcmp(name, "cpu_id"))
		return !trace->no_cpu;
	at->source = FIELD_OF_TRACE;
	at->class = &vpid_class;
	if (!strcmp(name, "vpid"))
		return trace->vpid >= 0 || trace->shared;
	at->class = &procname_class;
	return !strcmp(name, "procname") && trace->procname;
}

const uint8_t *field_at_bytes(const struct field_at *at,
			      const struct trace_event *event, size_t *bytes)
{
	bool context = at->source == FIELD_OF_CONTEXT;
	const uint8_t *p = context ? event->context : event->fields;
	const uint8_t *end = context ? event_context_end(event) : event->end;
	const struct field_class *members;
	int64_t step;

	/* not in the packet: bytes of structs that live as long as the event */
	if (at->source == FIELD_OF_STREAM) {
		*bytes = sizeof(event->cpu);
		return (const uint8_t *)&event->cpu;
	}
	if (at->source == FIELD_OF_TRACE) {
		bool number = at->class->kind == FIELD_INTEGER;

		*bytes = number ? sizeof(event->trace->vpid) :
				  strlen(event->trace->procname) + 1;
		return number ? (const uint8_t *)&event->trace->vpid :
				(const uint8_t *)event->trace->procname;
	}
	if (at->offset > end - p)
		return NULL;
	p += at->offset;
	members = at->whole - at->to;
	for (uint32_t i = at->from; i < at->to; i++) {
		step = field_bytes(&members[i], p, end);
		if (step < 0)
			return NULL;
		p += step;
	}
	/* all of it, as an option or element is found without a check */
	if (field_bytes(at->whole, p, end) < 0)
		return NULL;
	if (at->variant) {
		p += at->before;
		if (field_option(at->variant, &p) != at->option)
			return NULL;
	}
	p += at->inner;
	step = field_bytes(at->class, p, end);
	*bytes = (size_t)step;
	return step < 0 ? NULL : p;
}

const struct field_class *field_held(const struct field_class *class,
				     const uint8_t **at, size_t *bytes)
{
	const struct field_class *variant = class, *option;
	const uint8_t *p = *at, *end = p + *bytes;
	int64_t step = 0;

	if (class->kind == FIELD_STRUCT && class->nmembers &&
	    is_value(&class->members[class->nmembers - 1])) {
		variant = &class->members[class->nmembers - 1];
		for (size_t i = 0; i + 1 < class->nmembers && step >= 0; i++) {
			step = field_bytes(&class->members[i], p, end);
			p += step < 0 ? 0 : step;
		}
	}
	if (variant->kind != FIELD_VARIANT || step < 0 ||
	    field_bytes(variant, p, end) < 0)
		return class;
	option = field_option(variant, &p);
	step = field_bytes(option, p, end);
	if (step < 0)
		return class;
	*at = p;
	*bytes = (size_t)step;
	return option;
}

bool event_name_is(const char *name, const char *written)
{
	const char *colon = strchr(name, ':');
	size_t n = colon ? (size_t)(colon - name) : 0;

	if (!colon || !strcmp(name, written))
		return !strcmp(name, written);
	return !strcmp(colon + 1, written) ||
	       (!strncmp(name, written, n) && written[n] == '/' &&
		!strcmp(colon + 1, written + n + 1));
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An event's message: the text for people that the marker carries, with the
 * values of fields in it. For a TAFFRAIL_MARK, the message is the marker's
 * format as printf() fills it in.
 *
 * Invariant: a message is one line. Fields are escaped as they are written, and
 * so is the text between them.
 */
#include "traces/text/event-text.h"

#include <errno.h>
#include <stdlib.h>

#include "tracepoints/fields/field-text.h"
#include "traces/read/field-at.h"
#include "traces/read/visit.h"
#include "traces/text/number.h"
#include "traces/text/private.h"

#define NAME_BYTES	96

/* Room for a message on the stack, and the most that one may have in all. */
#define FORMATTED_BYTES	1024		/* most messages have less */
#define FORMATTED_MAX	(16u << 20)

/* Writes the field that stands at p, {NAME}, for people: a string as it is, an
 * enumeration by the name alone. Returns the text behind it, or NULL if there
 * is no such field. */
static const char *put_field(struct out *out, const struct trace_event *event,
			     const char *p)
{
	const char *end = strchr(p, '}');
	const struct field_label *label;
	const struct field_class *class;
	const uint8_t *bytes;
	char name[NAME_BYTES];
	struct field_at at;
	uint64_t value = 0;
	size_t n;

	if (!end || (size_t)(end - p) > sizeof(name))
		return NULL;
	memcpy(name, p + 1, (size_t)(end - p) - 1);
	name[end - p - 1] = '\0';
	if (!field_at_find(&at, event->trace, event->class, name) ||
	    at.source > FIELD_OF_CONTEXT)
		return NULL;
	class = at.class;
	bytes = field_at_bytes(&at, event, &n);
	if (!bytes)
		return NULL;
	if (class->kind == FIELD_ENUM || class->kind == FIELD_INTEGER)
		value = field_integer(class, bytes);
	if (class->kind == FIELD_STRING) {
		string_text_inside(out, (const char *)bytes, n - 1);
	} else if (class->kind == FIELD_TEXT) {
		string_text_inside(out, (const char *)bytes,
				   strnlen((const char *)bytes, n));
	} else if (class->kind == FIELD_ENUM) {
		label = field_label_next(class, NULL, value);
		out_room(out, NUMBER_S64_BYTES);
		if (label)
			string_text_inside(out, label->name,
					   strlen(label->name));
		else if (class->is_signed)
			out->p = number_s64(out->p, (int64_t)value);
		else if (class->base == 16)
			field_text_number(out, class, value);
		else
			out->p = number_u64(out->p, value);
	} else if (class->kind != FIELD_INTEGER ||
		   !unit_text_put(out, class, value)) {
		field_text_put(out, class, bytes, bytes + n, false);
	}
	return end + 1;
}

/* Finds the types of a mark's fields. Returns whether all are known: then the
 * format can be filled in as the program's printf() would. */
static bool types_find(const struct event_class *class,
		       uint8_t types[TAFFRAIL_FIELDS_MAX])
{
	const struct field_class *fields = class->fields;

	if (!class->format || class->bare || !fields ||
	    fields->nmembers > TAFFRAIL_FIELDS_MAX)
		return false;
	for (size_t i = 0; i < fields->nmembers; i++) {
		const struct field_class *field = &fields->members[i];
		bool is_partial = field->bits || field->is_length;

		/* 0: no mark has such a field */
		types[i] = field->kind == FIELD_STRING ? TAFFRAIL_T_STRING :
			   field->kind > FIELD_ENUM ||
			   (is_partial && field->kind != FIELD_REAL) ? 0 :
			   field_scalar(field);
		if (!types[i])
			return false;
	}
	return true;
}

bool message_text_is(const struct event_class *class)
{
	uint8_t types[TAFFRAIL_FIELDS_MAX];

	return class->message || types_find(class, types);
}

/* Writes a mark's format with its fields. Most fit on the stack; a larger text
 * is made again in more memory, and one of more than FORMATTED_MAX is cut.
 * Without memory it sets the error of `out`. */
static void put_formatted(struct out *out, const struct trace_event *event)
{
	uint8_t types[TAFFRAIL_FIELDS_MAX];
	struct field_event mark = { .kind = TAFFRAIL_KIND_MARK,
				    .types = types,
				    .format = event->class->format };
	char some[FORMATTED_BYTES], *bytes = some;
	size_t size = sizeof(some);
	struct text text;

	if (!types_find(event->class, types))
		return;
	mark.nfields = (uint8_t)event->class->fields->nmembers;
	for (;;) {
		text_open(&text, bytes, size);
		field_text(&text, &mark, event->fields,
			   (uint32_t)(event->end - event->fields));
		if (!text.cut || size >= FORMATTED_MAX)
			break;
		if (bytes != some)
			free(bytes);
		size *= 16;
		bytes = malloc(size);
		if (!bytes) {
			out->error = -ENOMEM;
			return;
		}
	}
	string_text_inside(out, text.start, text.used);
	if (bytes != some)
		free(bytes);
}

void message_text_put(struct out *out, const struct trace_event *event)
{
	const char *p = event->class->message, *behind;
	size_t n;

	if (!p) {
		put_formatted(out, event);
		return;
	}
	while (*p) {
		n = strcspn(p, "{");
		string_text_inside(out, p, n);
		p += n;
		if (!*p)
			break;
		/* "{{" is a brace, and so is one before a name of no field */
		behind = p[1] == '{' ? NULL : put_field(out, event, p);
		if (!behind)
			out_char(out, '{');
		p = behind ? behind : p + (p[1] == '{' ? 2 : 1);
	}
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An event's message: the text for people that its marker carries, with the
 * values of fields in it.
 */
#include "traces/text/event-text.h"

#include "traces/read/field-at.h"
#include "traces/text/number.h"

#define NAME_BYTES	96

/* Writes what a person wants to read of a field: a string as it is, an
 * enumeration by its name alone. */
static void put_value(struct out *out, const struct field_class *class,
		      const uint8_t *at, size_t bytes)
{
	const struct field_label *label = class->labels;
	uint64_t value;

	switch (class->kind) {
	case FIELD_STRING:
		string_text_inside(out, (const char *)at, bytes - 1);
		return;
	case FIELD_TEXT:
		string_text_inside(out, (const char *)at,
				   strnlen((const char *)at, class->count));
		return;
	case FIELD_ENUM:
		value = field_integer(class, at);
		for (size_t i = 0; i < class->nlabels; i++, label++) {
			if (!field_label_is(class, label, value))
				continue;
			string_text_inside(out, label->name,
					   strlen(label->name));
			return;
		}
		out_room(out, NUMBER_S64_BYTES);
		out->p = class->is_signed ?
			number_s64(out->p, (int64_t)value) :
			number_u64(out->p, value);
		return;
	default:
		field_text_put(out, class, at, at + bytes, false);
	}
}

/* Writes the field that stands at p, {NAME}. Returns what is behind it, or NULL
 * if there is no such field. */
static const char *put_field(struct out *out, const struct trace_event *event,
			     const char *p)
{
	const char *end = strchr(p, '}');
	const uint8_t *bytes;
	char name[NAME_BYTES];
	struct field_at at;
	size_t n;

	if (!end || (size_t)(end - p) > sizeof(name))
		return NULL;
	memcpy(name, p + 1, (size_t)(end - p) - 1);
	name[end - p - 1] = '\0';
	if (!field_at_find(&at, event->trace, event->class, name) ||
	    at.source > FIELD_OF_CONTEXT)
		return NULL;
	bytes = field_at_bytes(&at, event, &n);
	if (!bytes)
		return NULL;
	put_value(out, at.class, bytes, n);
	return end + 1;
}

void message_text_put(struct out *out, const struct trace_event *event)
{
	const char *p = event->class->message, *behind;
	size_t n;

	while (*p) {
		n = strcspn(p, "{");
		string_text_inside(out, p, n);
		p += n;
		if (!*p)
			break;
		behind = p[1] == '{' ? NULL : put_field(out, event, p);
		if (!behind)
			out_char(out, '{');
		p = behind ? behind : p + (p[1] == '{' ? 2 : 1);
	}
}

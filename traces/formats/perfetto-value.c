/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fields as annotations of Perfetto, and names, which are written once.
 */
#include <errno.h>
#include <stdlib.h>

#include "traces/formats/json-value-private.h"
#include "traces/formats/perfetto-private.h"
#include "traces/formats/utf8-private.h"

struct interned {
	struct interned *next;
	enum perfetto_field space;
	uint64_t iid;
	char name[];
};

void perfetto_text(struct out *out, uint32_t field, const char *text, size_t n)
{
	size_t at = protobuf_open(out, field);

	utf8_put(out, text, n, 0);
	protobuf_close(out, at);
}

static int is_name(uint64_t value, const void *key)
{
	const struct interned *name = (void *)(uintptr_t)value;
	const struct interned *wanted = key;

	return name->space == wanted->space && !strcmp(name->name,
						       wanted->name);
}

static void write_name(struct perfetto *p, const struct interned *name)
{
	struct out *out = &p->packet;
	size_t at, inner;

	perfetto_packet(p);
	at = protobuf_open(out, PACKET_INTERNED_DATA);
	inner = protobuf_open(out, name->space);
	protobuf_u64(out, NAME_IID, name->iid);
	perfetto_text(out, NAME_TEXT, name->name, strlen(name->name));
	protobuf_close(out, inner);
	protobuf_close(out, at);
	perfetto_packet_end(p);
}

uint64_t perfetto_name(struct perfetto *p, enum perfetto_field space,
		       const char *text)
{
	size_t n = strlen(text);
	struct interned *name = malloc(sizeof(*name) + n + 1), *known;
	uint64_t hash;

	if (!name)
		return 0;
	name->space = space;
	memcpy(name->name, text, n + 1);
	hash = index_hash(INDEX_HASH ^ (uint64_t)space, text, n);
	known = (void *)(uintptr_t)index_find(&p->names, hash, is_name, name);
	if (known || index_add(&p->names, hash, (uint64_t)(uintptr_t)name)) {
		free(name);
		return known ? known->iid : 0;
	}
	name->next = p->interned;
	p->interned = name;
	name->iid = ++p->last_iid;
	write_name(p, name);
	return name->iid;
}

void perfetto_names_free(struct perfetto *p)
{
	index_clear(&p->names);
	while (p->interned) {
		struct interned *next = p->interned->next;

		free(p->interned);
		p->interned = next;
	}
}

static void put_integer(struct out *out, const struct field_class *class,
			const uint8_t *at)
{
	uint64_t value = field_integer(class, at);

	if (class->is_signed)
		protobuf_u64(out, VALUE_SIGNED, value);
	else if (class->base == 16 && class->bytes == 8)
		protobuf_u64(out, VALUE_POINTER, value);
	else
		protobuf_u64(out, VALUE_UNSIGNED, value);
}

static void put_real(struct out *out, const struct field_class *class,
		     const uint8_t *at)
{
	double value = field_real(class, at);

	protobuf_fixed64(out, VALUE_REAL, &value);
}

static void put_label(struct out *out, const struct field_class *class,
		      const uint8_t *at)
{
	const char *label = label_of(class, field_integer(class, at));

	if (label)
		perfetto_text(out, VALUE_STRING, label, strlen(label));
}

static const uint8_t *put_value(struct out *out,
				const struct field_class *class,
				const uint8_t *at);

static const uint8_t *put_elements(struct out *out,
				   const struct field_class *class, uint64_t n,
				   const uint8_t *at)
{
	while (n--) {
		size_t inner = protobuf_open(out, VALUE_ELEMENT);

		at = put_value(out, &class->members[0], at);
		protobuf_close(out, inner);
	}
	return at;
}

static void put_name(struct out *out, const char *name)
{
	perfetto_text(out, VALUE_NAME, name, strlen(name));
}

static const uint8_t *put_members(struct out *out,
				  const struct field_class *class,
				  const uint8_t *at)
{
	for (size_t i = 0; i < class->nmembers; i++) {
		const struct field_class *member = &class->members[i];
		size_t inner;

		if (member->is_length) {
			at += member->bytes;
			continue;
		}
		inner = protobuf_open(out, VALUE_MEMBER);
		put_name(out, member->name);
		at = put_value(out, member, at);
		protobuf_close(out, inner);
	}
	return at;
}

/* Writes an enumeration inside of an array or structure. */
static void put_enum(struct out *out, const struct field_class *class,
		     const uint8_t *at)
{
	size_t inner = protobuf_open(out, VALUE_MEMBER);

	put_name(out, "value");
	put_integer(out, class, at);
	protobuf_close(out, inner);
	inner = protobuf_open(out, VALUE_MEMBER);
	put_name(out, "name");
	put_label(out, class, at);
	protobuf_close(out, inner);
}

static const uint8_t *put_value(struct out *out,
				const struct field_class *class,
				const uint8_t *at)
{
	const char *text = (const char *)at;
	size_t n;

	switch (class->kind) {
	case FIELD_INTEGER:
		put_integer(out, class, at);
		return at + class->bytes;
	case FIELD_REAL:
		put_real(out, class, at);
		return at + class->bytes;
	case FIELD_ENUM:
		put_enum(out, class, at);
		return at + class->bytes;
	case FIELD_STRING:
		n = strlen(text);
		perfetto_text(out, VALUE_STRING, text, n);
		return at + n + 1;
	case FIELD_TEXT:
		n = field_text_bytes(class, at);
		perfetto_text(out, VALUE_STRING, text, strnlen(text, n));
		return at + n;
	case FIELD_ARRAY:
		return put_elements(out, class, class->count, at);
	case FIELD_SEQUENCE:
		return put_elements(out, class, field_length(at), at);
	case FIELD_LIST:
		at += sizeof(uint32_t);
		return put_elements(out, class, field_length(at), at);
	case FIELD_VARIANT:
		class = field_option(class, &at);
		return put_value(out, class, at);
	default:
		return put_members(out, class, at);
	}
}

static const uint8_t *put_column(struct out *out, const struct column *column,
				 uint64_t name, const uint8_t *at)
{
	const struct field_class *class = column->class;
	size_t inner = protobuf_open(out, TRACK_EVENT_ANNOTATION);
	const uint8_t *end;

	protobuf_u64(out, VALUE_NAME_IID, name);
	at += column->skip;
	end = at + class->bytes;
	if (column->kind == COLUMN_LABEL)
		put_label(out, class, at);
	else if (class->kind == FIELD_ENUM)
		put_integer(out, class, at);
	else
		end = put_value(out, class, at);
	protobuf_close(out, inner);
	return column->stays ? at : end;
}

void perfetto_values(struct perfetto *p, const struct perfetto_class *class,
		     const uint64_t *names, const struct trace_event *event)
{
	const struct table_class *table = class->table;
	const uint8_t *at = event->context;
	struct out *out = &p->packet;
	size_t inner = protobuf_open(out, TRACK_EVENT_ANNOTATION);
	size_t i;

	protobuf_u64(out, VALUE_NAME_IID, *names++);
	protobuf_u64(out, VALUE_UNSIGNED, event->cpu);
	protobuf_close(out, inner);
	for (i = 0; i < table->ncolumns && !table->columns[i].in_fields; i++)
		at = put_column(out, &table->columns[i], names[i], at);
	for (at = event->fields; i < table->ncolumns; i++)
		at = put_column(out, &table->columns[i], names[i], at);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Packets of Perfetto, fields as annotations, and names, each written once.
 *
 * Invariant: perfetto_name() may write a packet, so no packet is open when it
 * is called.
 */
#include <errno.h>
#include <stdlib.h>

#include "traces/formats/json-value-private.h"
#include "traces/formats/perfetto-private.h"
#include "traces/text/characters.h"

/* A name with a number, which is unique over all spaces. */
struct interned {
	struct interned *next;
	enum perfetto_field space;
	uint64_t iid;
	char name[];
};

void perfetto_packet(struct perfetto *p)
{
	out_rewind(&p->packet);
}

void perfetto_packet_end(struct perfetto *p, size_t at)
{
	struct out *packet = &p->packet;
	size_t n;

	protobuf_close(packet, at);
	protobuf_u64(packet, PACKET_SEQUENCE, SEQUENCE);
	protobuf_u64(packet, PACKET_SEQUENCE_FLAGS, p->started ?
		     FLAG_NEEDS_STATE : FLAG_CLEARED);
	p->started = true;
	n = (size_t)(packet->p - packet->start);
	out_room(&p->out, PROTOBUF_ROOM);
	p->out.p = protobuf_varint(protobuf_tag(p->out.p, TRACE_PACKET,
						PROTOBUF_BYTES), n);
	out_bytes(&p->out, packet->start, n);
	if (packet->error && !p->out.error)
		p->out.error = packet->error;
}

const char *perfetto_kind(const struct pair_kind *kind)
{
	return kind->given && kind->begin ? kind->begin : kind->name;
}

void perfetto_text(struct out *out, uint32_t field, const char *text, size_t n)
{
	size_t at = protobuf_open(out, field);

	utf8_put(out, text, n, 0);
	protobuf_close(out, at);
}

/* Returns whether a name is that in its space. Callback of index_find(), for
 * names of one hash. */
static bool is_name(uint64_t value, const void *key)
{
	const struct interned *name = (void *)(uintptr_t)value;
	const struct interned *wanted = key;

	return name->space == wanted->space && !strcmp(name->name,
						       wanted->name);
}

uint64_t perfetto_name(struct perfetto *p, enum perfetto_field space,
		       const char *text)
{
	size_t n = strlen(text), at, inner;
	struct interned *name = malloc(sizeof(*name) + n + 1), *known;
	struct out *out = &p->packet;
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
	/* the packet that gives the name its number; later ones have the
	 * number alone */
	perfetto_packet(p);
	at = protobuf_open(out, PACKET_INTERNED_DATA);
	inner = protobuf_open(out, space);
	protobuf_u64(out, NAME_IID, name->iid);
	perfetto_text(out, NAME_TEXT, text, n);
	protobuf_close(out, inner);
	perfetto_packet_end(p, at);
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

/* Writes a value in the field for its type; an address as a pointer, which is
 * shown in hexadecimal. */
static const uint8_t *put_integer(void *to, const struct field_class *class,
				  const uint8_t *at)
{
	struct out *out = to;
	uint64_t value = field_integer(class, at);

	if (class->is_signed)
		protobuf_u64(out, VALUE_SIGNED, value);
	else if (class->base == 16 && class->bytes == 8)
		protobuf_u64(out, VALUE_POINTER, value);
	else
		protobuf_u64(out, VALUE_UNSIGNED, value);
	return at + class->bytes;
}

/* Writes a number of either size as a double. */
static const uint8_t *put_real(void *to, const struct field_class *class,
			       const uint8_t *at)
{
	double value = field_real(class, at);

	protobuf_fixed64(to, VALUE_REAL, &value);
	return at + class->bytes;
}

/* Writes the name of a value as a string; of a value without a name, nothing.
 */
static void put_label(struct out *out, const struct field_class *class,
		      const uint8_t *at)
{
	const char *label = label_of(class, field_integer(class, at));

	if (label)
		perfetto_text(out, VALUE_STRING, label, strlen(label));
}

/* Writes the name of a member, which is no interned one. */
static void put_name(struct out *out, const char *name)
{
	perfetto_text(out, VALUE_NAME, name, strlen(name));
}

/* Writes an enumeration inside of an array or structure: the value and the name
 * as members. A column of its own has a second column for the name. */
static const uint8_t *put_enum(void *to, const struct field_class *class,
			       const uint8_t *at)
{
	struct out *out = to;
	size_t inner = protobuf_open(out, VALUE_MEMBER);

	put_name(out, "value");
	put_integer(out, class, at);
	protobuf_close(out, inner);
	inner = protobuf_open(out, VALUE_MEMBER);
	put_name(out, "name");
	put_label(out, class, at);
	protobuf_close(out, inner);
	return at + class->bytes;
}

/* Writes a text up to the first NUL. */
static const uint8_t *put_characters(void *to, const struct field_class *class,
				     const uint8_t *at)
{
	size_t n;
	const uint8_t *behind = field_characters(class, at, &n);

	perfetto_text(to, VALUE_STRING, (const char *)at, n);
	return behind;
}

/* Opens an element. Returns the place for end_part(). */
static size_t begin_element(void *to, uint64_t i)
{
	return protobuf_open(to, VALUE_ELEMENT);
}

/* Opens a member and names it. Returns the place for end_part(). */
static size_t begin_member(void *to, const struct field_class *class,
			   uint64_t i)
{
	size_t inner = protobuf_open(to, VALUE_MEMBER);

	put_name(to, class->name);
	return inner;
}

/* Closes an element or a member. */
static void end_part(void *to, size_t inner)
{
	protobuf_close(to, inner);
}

static field_put put_parts;

static const struct field_visitor visitor = {
	.put = {
		[FIELD_INTEGER] = put_integer, [FIELD_REAL] = put_real,
		[FIELD_ENUM] = put_enum, [FIELD_STRING] = put_characters,
		[FIELD_TEXT] = put_characters, [FIELD_PARTS] = put_parts,
	},
	.member = begin_member, .element = begin_element,
	.part_end = end_part,
};

/* Writes a value with parts. */
static const uint8_t *put_parts(void *to, const struct field_class *class,
				const uint8_t *at)
{
	return field_visit(&visitor, to, class, at);
}

void perfetto_values(struct perfetto *p, const struct perfetto_class *class,
		     const uint64_t *names, const struct trace_event *event)
{
	const struct column *column = class->table->columns;
	const struct column *last = column + class->table->ncolumns;
	const uint8_t *end, *at = event->context;
	struct out *out = &p->packet;
	size_t inner = protobuf_open(out, TRACK_EVENT_ANNOTATION);

	protobuf_u64(out, VALUE_NAME_IID, *names++);
	protobuf_u64(out, VALUE_UNSIGNED, event->cpu);
	protobuf_close(out, inner);
	for (; column < last; column++) {
		const struct field_class *field = column->class;

		at = (column->begins ? event->fields : at) + column->skip;
		end = at + field->bytes;
		inner = protobuf_open(out, TRACK_EVENT_ANNOTATION);
		protobuf_u64(out, VALUE_NAME_IID, *names++);
		if (column->kind == COLUMN_LABEL)
			put_label(out, field, at);
		else if (field->kind == FIELD_ENUM)
			put_integer(out, field, at);
		else
			end = visitor.put[field->kind](out, field, at);
		protobuf_close(out, inner);
		at = column->stays ? at : end;
	}
}

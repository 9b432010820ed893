/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Translates descriptions of LTTng-UST 2.12 and older to those of later series,
 * which markers are made of (describe.c). A type that later series do not have
 * becomes one that no marker has.
 */
#include "tracepoints/lttng/older.h"

#include "base/base.h"
#include "base/text.h"

#define FIELDS_MAX	(1u << 10)
#define ENTRIES_MAX	(1u << 14)
/* A field with a pointer, a type, an integer and the names. */
#define FIELD_BYTES	(sizeof(struct ust_field) + sizeof(void *) +	\
			 sizeof(struct ust_array) +			\
			 sizeof(struct ust_integer) + 4 +		\
			 sizeof(struct ust_enum_names))
#define ENTRY_BYTES	(sizeof(struct ust_enum_entry) + sizeof(void *))

/* The first member of a field's types is the kind. */
static const struct older_basic *basic_of(const struct older_field *field)
{
	return (const void *)&field->kind;
}

size_t older_bytes(const struct older_event *event)
{
	const struct older_enum_names *names;
	size_t bytes = sizeof(struct ust_event) + sizeof(struct ust_class);

	if (event->n > FIELDS_MAX || (event->n && !event->fields))
		return 0;
	for (uint32_t i = 0; i < event->n; i++) {
		names = event->fields[i].kind == OLDER_ENUM ?
			basic_of(&event->fields[i])->enumeration.names : NULL;
		if (names && names->n > ENTRIES_MAX)
			return 0;
		bytes += FIELD_BYTES + (names ? names->n * ENTRY_BYTES : 0);
	}
	return bytes;
}

static void *room_take(char **room, size_t bytes)
{
	void *p = *room;

	*room += (bytes + 7) & ~(size_t)7;
	return p;
}

/* Takes a structure whose first word is the size, or second, of a type. */
#define TAKE(room, type)						\
	({								\
		type *p_ = room_take(room, sizeof(type));		\
		p_->bytes = sizeof(type);				\
		p_;							\
	})

static const struct ust_integer *
integer_make(char **room, const struct older_integer *older)
{
	struct ust_integer *integer = TAKE(room, struct ust_integer);

	integer->kind = UST_INTEGER;
	integer->bits = older->bits;
	integer->align = older->align;
	integer->is_signed = older->is_signed;
	integer->swapped = older->swapped;
	integer->base = older->base;
	return integer;
}

static const struct ust_enum_names *
names_make(char **room, const struct older_enum_names *older)
{
	struct ust_enum_names *names = TAKE(room, struct ust_enum_names);
	const struct ust_enum_entry **entries;
	struct ust_enum_entry *entry;

	entries = room_take(room, older->n * sizeof(*entries));
	for (uint32_t i = 0; i < older->n; i++) {
		entry = TAKE(room, struct ust_enum_entry);
		entry->from = older->entries[i].from;
		entry->to = older->entries[i].to;
		entry->label = older->entries[i].label;
		entry->options = older->entries[i].options;
		entries[i] = entry;
	}
	names->name = older->name;
	names->entries = entries;
	names->n = older->n;
	return names;
}

static const void *type_make(char **room, const struct older_field *field)
{
	const struct older_basic *basic = basic_of(field);
	const struct older_basic *element;
	struct ust_sequence *sequence;
	struct ust_array *array;
	struct ust_float *real;
	struct ust_string *string;
	struct ust_enum *enumeration;

	switch (field->kind) {
	case OLDER_INTEGER:
		return integer_make(room, &basic->integer);
	case OLDER_FLOAT:
		real = TAKE(room, struct ust_float);
		real->kind = UST_FLOAT;
		real->exponent_bits = basic->real.exponent_bits;
		real->mantissa_bits = basic->real.mantissa_bits;
		return real;
	case OLDER_ARRAY:
		element = &field->array.element;
		array = TAKE(room, struct ust_array);
		array->kind = element->kind == OLDER_INTEGER ? UST_ARRAY :
							       UST_STRUCT;
		array->element = integer_make(room, &element->integer);
		array->encoding = element->integer.encoding;
		array->n = field->array.n;
		return array;
	case OLDER_SEQUENCE:
		element = &field->sequence.element;
		sequence = TAKE(room, struct ust_sequence);
		sequence->kind = element->kind == OLDER_INTEGER ?
					 UST_SEQUENCE : UST_STRUCT;
		sequence->element = integer_make(room, &element->integer);
		sequence->encoding = element->integer.encoding;
		return sequence;
	case OLDER_ENUM:
		enumeration = TAKE(room, struct ust_enum);
		enumeration->kind = UST_ENUM;
		enumeration->container =
			integer_make(room, &basic->enumeration.container);
		if (basic->enumeration.names &&
		    basic->enumeration.names->entries)
			enumeration->names =
				names_make(room, basic->enumeration.names);
		return enumeration;
	default:
		string = TAKE(room, struct ust_string);
		string->kind = field->kind == OLDER_STRING ? UST_STRING :
							     UST_STRUCT;
		return string;
	}
}

const struct ust_event *older_translate(void *room,
					const struct older_event *older,
					const struct ust_provider *provider)
{
	char *next = room;
	struct ust_event *event = TAKE(&next, struct ust_event);
	struct ust_class *class = TAKE(&next, struct ust_class);
	const struct ust_field **fields =
		room_take(&next, older->n * sizeof(*fields));
	const char *name = text_after(older->name, provider->name);
	struct ust_field *field;

	for (uint32_t i = 0; i < older->n; i++) {
		field = TAKE(&next, struct ust_field);
		field->name = older->fields[i].name;
		field->type = type_make(&next, &older->fields[i]);
		field->nowrite = !!older->fields[i].nowrite;
		fields[i] = field;
	}
	class->fields = fields;
	class->n = older->n;
	class->probe = older->probe;
	class->signature = older->signature;
	class->provider = provider;
	/* behind the provider's name and a colon */
	event->name = name && *name == ':' ? name + 1 : older->name;
	event->provider = provider;
	event->class = class;
	event->level = older->level;
	event->uri = older->uri;
	return event;
}

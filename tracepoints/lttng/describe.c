/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes a marker of the description of an LTTng-UST event.
 *
 * A description comes from a library that may be newer, or not made by LTTng's
 * macros: sizes, kinds, counts and names are checked, and an event that a
 * marker cannot say is left out. Pointers are followed as LTTng's own library
 * follows them.
 */
#include "tracepoints/lttng/describe.h"

#include "tracepoints/fields/fields.h"
#include "tracepoints/fields/scalar.h"
#include "tracepoints/fields/shown.h"

#define EVENTS_MAX	(1u << 20)
#define FIELDS_MAX	(1u << 10)
#define ENTRIES_MAX	(1u << 14)	/* names of an enumeration */
#define LABEL_BYTES	4096
#define ID_BYTES	128

static const char malformed[] = "its description is malformed";
static const char unsupported[] = "a field is of a type that is not supported";

bool describe_knows(const struct ust_provider *provider)
{
	return provider->bytes >= sizeof(*provider) &&
	       provider->major >= UST_MAJOR_LEAST &&
	       provider->major <= UST_MAJOR_MOST && provider->name &&
	       provider->n <= EVENTS_MAX && (provider->events || !provider->n);
}

/* Adds how the next field is shown, where a word says it all. */
static void shown_add(struct describe_model *model, uint8_t how)
{
	shown_end(&model->shown, shown_begin(&model->shown, model->n, how, 0));
}

static bool type_whole(const void *type, uint32_t bytes)
{
	return type && ((const struct ust_type *)type)->bytes >= bytes;
}

/* Returns the scalar that an integer is, or 0. */
static uint8_t integer_type(const struct ust_integer *integer)
{
	if (!type_whole(integer, sizeof(*integer)) ||
	    integer->kind != UST_INTEGER || integer->bits % 8)
		return 0;
	return scalar_of_sort(integer->is_signed ? SCALAR_SIGNED :
						   SCALAR_UNSIGNED,
			      integer->bits / 8);
}

static void base_add(struct describe_model *model, uint32_t base)
{
	if (base == 16)
		shown_add(model, TAFFRAIL_HOW_HEX);
	else if (base == 8)
		shown_add(model, TAFFRAIL_HOW_OCT);
	else if (base == 2)
		shown_add(model, TAFFRAIL_HOW_BIN);
}

/* The part of a marker that a field becomes. */
struct making {
	int type;
	struct describe_step step;
};

static const char *integer_take(struct making *making,
				const struct ust_integer *integer)
{
	uint8_t type = integer_type(integer);

	making->type = type;
	making->step.op = DESCRIBE_WORD;
	making->step.bytes = (uint8_t)scalar_bytes(type);
	return type ? NULL : unsupported;
}

static const char *float_take(struct making *making,
			      const struct ust_float *real)
{
	if (!type_whole(real, sizeof(*real)))
		return malformed;
	making->step.op = DESCRIBE_WORD;
	making->step.bytes = 8;
	making->type = TAFFRAIL_T_F64;
	if (real->mantissa_bits == 53 && real->exponent_bits == 11)
		return NULL;
	making->step.op = DESCRIBE_FLOAT;
	making->type = TAFFRAIL_T_F32;
	return real->mantissa_bits == 24 && real->exponent_bits == 8 ?
		       NULL : unsupported;
}

/* Adds the names of an enumeration: ranges of values. An automatic one stands
 * for the value behind the name before it. */
static const char *names_add(struct describe_model *model,
			     const struct ust_enum_names *names)
{
	struct text *text = &model->shown;
	size_t begin;
	uint64_t next = 0;
	uint32_t i;

	if (!names || names->bytes < sizeof(*names) ||
	    names->n > ENTRIES_MAX || (names->n && !names->entries))
		return malformed;
	begin = shown_begin(text, model->n, TAFFRAIL_HOW_RANGES,
			    (uint16_t)(2 * names->n));
	for (i = 0; i < names->n; i++) {
		const struct ust_enum_entry *entry = names->entries[i];
		uint64_t range[2];

		if (!entry || entry->bytes < sizeof(*entry) || !entry->label ||
		    text_length(entry->label) > LABEL_BYTES)
			return malformed;
		range[0] = entry->from.value;
		range[1] = entry->to.value;
		if (entry->options & UST_ENTRY_AUTOMATIC)
			range[0] = range[1] = next;
		next = range[1] + 1;
		text_add_bytes(text, (const char *)range, sizeof(range));
	}
	for (i = 0; i < names->n; i++)
		text_add_bytes(text, names->entries[i]->label,
			       text_length(names->entries[i]->label) + 1);
	shown_end(text, begin);
	return NULL;
}

static const char *enum_take(struct describe_model *model,
			     struct making *making,
			     const struct ust_enum *type, bool written)
{
	const char *why;

	if (!type_whole(type, sizeof(*type)))
		return malformed;
	why = integer_take(making, type->container);
	return why || !written ? why : names_add(model, type->names);
}

/* Takes n elements, 0 where an event says how many; without `element`, the
 * bytes of a blob. */
static const char *elements_take(struct describe_model *model,
				 struct making *making,
				 const struct ust_integer *element,
				 int encoding, uint64_t n)
{
	uint8_t type = element ? integer_type(element) : TAFFRAIL_T_U8;
	struct text *text = &model->shown;
	size_t begin;

	if (!type)
		return unsupported;
	making->type = (n ? TAFFRAIL_T_ARRAY : TAFFRAIL_T_SEQUENCE) | type;
	making->step.op = DESCRIBE_ELEMENTS;
	if (n > TAFFRAIL_ARRAY_BYTES_MAX / scalar_bytes(type))
		return "an array takes more than 3840 bytes";
	if (n) {
		begin = shown_begin(text, model->n, TAFFRAIL_HOW_COUNT, 1);
		text_add_bytes(text, (const char *)&n, sizeof(n));
		shown_end(text, begin);
	}
	if (encoding && scalar_bytes(type) == 1) {
		making->step.op = DESCRIBE_CHARS;
		shown_add(model, TAFFRAIL_HOW_CHARS);
		return n > DESCRIBE_PAD_BYTES / 2 ?
			       "a text has room for more than 512 characters" :
			       NULL;
	}
	if (element)
		base_add(model, element->base);
	if (element && element->swapped && element->bits > 8)
		shown_add(model, TAFFRAIL_HOW_BIG_ENDIAN);
	return NULL;
}

static const char *array_take(struct describe_model *model,
			      struct making *making, const void *type)
{
	const struct ust_array *array = type;
	const struct ust_sequence *sequence = type;
	const struct ust_blob *blob = type;
	int32_t kind = array->kind;

	if (kind == UST_ARRAY && type_whole(type, sizeof(*array)) && array->n &&
	    array->element)
		return elements_take(model, making, array->element,
				     array->encoding, array->n);
	if (kind == UST_SEQUENCE && type_whole(type, sizeof(*sequence)) &&
	    sequence->element)
		return elements_take(model, making, sequence->element,
				     sequence->encoding, 0);
	if (kind == UST_BLOB && type_whole(type, sizeof(*blob)) && blob->n)
		return elements_take(model, making, NULL, 0, blob->n);
	if (kind == UST_BLOB_SEQUENCE &&
	    type_whole(type, sizeof(struct ust_blob_sequence)))
		return elements_take(model, making, NULL, 0, 0);
	return malformed;
}

static const char *type_take(struct describe_model *model,
			     struct making *making,
			     const struct ust_type *type, bool written)
{
	const char *why;

	switch (type->kind) {
	case UST_INTEGER:
		why = integer_take(making, (const void *)type);
		if (!why && written)
			base_add(model,
				 ((const struct ust_integer *)type)->base);
		return why;
	case UST_FLOAT:
		return float_take(making, (const void *)type);
	case UST_STRING:
		making->type = TAFFRAIL_T_STRING;
		making->step.op = DESCRIBE_STRING;
		return NULL;
	case UST_ENUM:
		return enum_take(model, making, (const void *)type, written);
	case UST_ARRAY:
	case UST_SEQUENCE:
	case UST_BLOB:
	case UST_BLOB_SEQUENCE:
		return array_take(model, making, type);
	default:
		return unsupported;
	}
}

/* Adds a field that filters get, at step *k. A field for filters alone is
 * skipped. */
static const char *field_add(struct describe_model *model, uint32_t *k,
			     const struct ust_field *field)
{
	size_t shown = model->shown.used;
	struct making making = { 0 };
	bool written = !field->nowrite;
	const char *why;
	bool two;

	if (written && model->n == TAFFRAIL_FIELDS_MAX)
		return "it has more than 16 fields";
	if (written && !field_name_valid(field->name))
		return "the name of a field is too long, or no identifier";
	why = type_take(model, &making, field->type, written);
	if (why && written)
		return why;
	if (*k + 2 > DESCRIBE_STEPS_MAX)
		return "it has too many fields";
	if (written) {
		model->fields[model->n].name_ = field->name;
		model->fields[model->n].type_ = making.type;
		model->n++;
		model->steps[(*k)++] = making.step;
		return NULL;
	}
	two = making.step.op == DESCRIBE_ELEMENTS ||
	      making.step.op == DESCRIBE_CHARS;
	/* the size of an unknown type on the stack is unknown */
	if (!making.step.op)
		return why;
	model->shown.used = shown;
	model->steps[(*k)++].op = DESCRIBE_SKIP;
	if (two)
		model->steps[(*k)++].op = DESCRIBE_SKIP;
	return NULL;
}

static bool field_whole(const struct ust_field *field)
{
	return field && field->bytes >= sizeof(*field) && field->name &&
	       field->type;
}

/* Returns true when the field is the length of the sequence behind it: LTTng's
 * macros make it, and the sequence brings the length. */
static bool field_is_length(const struct ust_class *class, uint64_t i)
{
	const struct ust_field *next =
		i + 1 < class->n ? class->fields[i + 1] : NULL;

	return field_whole(next) && (next->type->kind == UST_SEQUENCE ||
				     next->type->kind == UST_BLOB_SEQUENCE);
}

static const char *fields_add(struct describe_model *model,
			      const struct ust_class *class)
{
	const char *why = NULL;
	uint32_t k = 0;
	uint64_t i;

	if (class->n > FIELDS_MAX || (class->n && !class->fields))
		return malformed;
	for (i = 0; i < class->n && !why; i++) {
		const struct ust_field *field = class->fields[i];

		if (!field_whole(field))
			return malformed;
		if (!field->nofilter)
			why = field_add(model, &k, field);
		else if (!field_is_length(class, i) && !field->nowrite)
			why = "a field is kept from filters";
	}
	model->steps[k].op = DESCRIBE_END;
	return why;
}

/* Adds where the event's model is described. */
static void uri_add(struct text *text, const char *uri)
{
	size_t begin;

	if (text_length(uri) > LABEL_BYTES)
		return;
	begin = shown_begin(text, SHOWN_MARKER, TAFFRAIL_HOW_URI, 0);
	text_add_bytes(text, uri, text_length(uri) + 1);
	shown_end(text, begin);
}

const char *describe_event(struct describe_model *model,
			   const struct ust_provider *provider,
			   const struct ust_event *event)
{
	const struct ust_class *class;
	const char *why;

	model->n = 0;
	model->level = NULL;
	if (!event || event->bytes < sizeof(*event) || !event->name ||
	    event->provider != provider)
		return malformed;
	class = event->class;
	if (!class || class->bytes < sizeof(*class) || !class->probe ||
	    !class->signature)
		return malformed;
	if (!marker_name_valid(provider->name) ||
	    !marker_name_valid(event->name))
		return malformed;
	if (text_length(provider->name) + text_length(event->name) + 2 >
	    ID_BYTES)
		return "its name is longer than 127 characters";
	why = fields_add(model, class);
	if (why)
		return why;
	if (event->level && *event->level && **event->level >= 0 &&
	    **event->level <= LEVEL_MAX)
		model->level = level_word(**event->level);
	if (event->uri && *event->uri)
		uri_add(&model->shown, *event->uri);
	return model->shown.cut ? "its description is too long" : NULL;
}

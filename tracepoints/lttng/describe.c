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

#include <errno.h>

#include "tracepoints/fields/fields.h"
#include "tracepoints/fields/scalar.h"
#include "tracepoints/fields/shown.h"

#define EVENTS_MAX	(1u << 20)
#define FIELDS_MAX	(1u << 10)
#define ENTRIES_MAX	(1u << 14)	/* names of an enumeration */
#define LABEL_BYTES	4096
#define ID_BYTES	128

/* LTTng emits these events for a session that its daemon starts. */
#define STATE_PROVIDER	"lttng_ust_statedump"

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

static int integer_take(struct making *making,
				const struct ust_integer *integer)
{
	uint8_t type = integer_type(integer);

	making->type = type;
	making->step.op = DESCRIBE_WORD;
	making->step.bytes = (uint8_t)scalar_bytes(type);
	return type ? 0 : -EOPNOTSUPP;
}

/* Adds the names of an enumeration: ranges of values. An automatic one stands
 * for the value behind the name before it. */
static int names_add(struct describe_model *model,
			     const struct ust_enum_names *names)
{
	struct text *text = &model->shown;
	size_t begin;
	uint64_t next = 0;

	if (!names || names->bytes < sizeof(*names) ||
	    names->n > ENTRIES_MAX || (names->n && !names->entries))
		return -EBADMSG;
	begin = shown_begin(text, model->n, TAFFRAIL_HOW_RANGES,
			    (uint16_t)(2 * names->n));
	for (uint32_t i = 0; i < names->n; i++) {
		const struct ust_enum_entry *entry = names->entries[i];
		uint64_t range[2];

		if (!entry || entry->bytes < sizeof(*entry) || !entry->label ||
		    text_length(entry->label) > LABEL_BYTES)
			return -EBADMSG;
		range[0] = entry->from.value;
		range[1] = entry->to.value;
		if (entry->options & UST_ENTRY_AUTOMATIC)
			range[0] = range[1] = next;
		next = range[1] + 1;
		text_add_bytes(text, (const char *)range, sizeof(range));
	}
	for (uint32_t i = 0; i < names->n; i++)
		text_add_bytes(text, names->entries[i]->label,
			       text_length(names->entries[i]->label) + 1);
	shown_end(text, begin);
	return 0;
}

static int enum_take(struct describe_model *model,
			     struct making *making,
			     const struct ust_enum *type, bool written)
{
	int ret;

	if (!type_whole(type, sizeof(*type)))
		return -EBADMSG;
	ret = integer_take(making, type->container);
	return ret || !written ? ret : names_add(model, type->names);
}

/* Takes n elements, 0 where an event says how many; without `element`, the
 * bytes of a blob. */
static int elements_take(struct describe_model *model,
				 struct making *making,
				 const struct ust_integer *element,
				 int encoding, uint64_t n)
{
	uint8_t type = element ? integer_type(element) : TAFFRAIL_T_U8;
	struct text *text = &model->shown;
	size_t begin;

	if (!type)
		return -EOPNOTSUPP;
	making->type = (n ? TAFFRAIL_T_ARRAY : TAFFRAIL_T_SEQUENCE) | type;
	making->step.op = n ? DESCRIBE_ARRAY : DESCRIBE_ELEMENTS;
	if (n > TAFFRAIL_ARRAY_BYTES_MAX / scalar_bytes(type))
		return -EMSGSIZE;
	if (n) {
		begin = shown_begin(text, model->n, TAFFRAIL_HOW_COUNT, 1);
		text_add_bytes(text, (const char *)&n, sizeof(n));
		shown_end(text, begin);
	}
	if (encoding && scalar_bytes(type) == 1) {
		making->step.op = n ? DESCRIBE_TEXT : DESCRIBE_CHARS;
		shown_add(model, TAFFRAIL_HOW_CHARS);
		model->texts += n;
		return model->texts > DESCRIBE_TEXT_BYTES ? -EMSGSIZE : 0;
	}
	/* LTTng's traces have a blob's bytes in base 16 */
	base_add(model, element ? element->base : 16);
	if (element && element->swapped && element->bits > 8)
		shown_add(model, TAFFRAIL_HOW_BIG_ENDIAN);
	return 0;
}

static int array_take(struct describe_model *model,
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
	return -EBADMSG;
}

static int type_take(struct describe_model *model,
			     struct making *making,
			     const struct ust_type *type, bool written)
{
	int ret;
	const struct ust_float *real;

	switch (type->kind) {
	case UST_INTEGER:
		ret = integer_take(making, (const void *)type);
		if (!ret && written)
			base_add(model,
				 ((const struct ust_integer *)type)->base);
		return ret;
	case UST_FLOAT:
		real = (const void *)type;
		if (!type_whole(real, sizeof(*real)))
			return -EBADMSG;
		making->step.op = DESCRIBE_WORD;
		making->step.bytes = 8;
		making->type = TAFFRAIL_T_F64;
		if (real->mantissa_bits == 53 && real->exponent_bits == 11)
			return 0;
		making->step.op = DESCRIBE_FLOAT;
		making->step.bytes = 4;
		making->type = TAFFRAIL_T_F32;
		return real->mantissa_bits == 24 && real->exponent_bits == 8 ?
			       0 :
			       -EOPNOTSUPP;
	case UST_STRING:
		making->type = TAFFRAIL_T_STRING;
		making->step.op = DESCRIBE_STRING;
		return 0;
	case UST_ENUM:
		return enum_take(model, making, (const void *)type, written);
	case UST_ARRAY:
	case UST_SEQUENCE:
	case UST_BLOB:
	case UST_BLOB_SEQUENCE:
		return array_take(model, making, type);
	default:
		return -EOPNOTSUPP;
	}
}

/* Skips a field. Returns the step behind. */
static struct describe_step *step_skip(struct describe_step *step, uint8_t op)
{
	(step++)->op = DESCRIBE_SKIP;
	if (op >= DESCRIBE_ELEMENTS && op <= DESCRIBE_TEXT)
		(step++)->op = DESCRIBE_SKIP;
	return step;
}

/*
 * Returns the name of a field, or one that is taken for none (fields.h): macros
 * have made "1" of `true` in C, and "((void *)0)" or "__null" of `NULL`.
 */
static const char *name_settled(const char *name)
{
	return field_name_valid(name) && !text_equal(name, "__null") ?
		       name : "NULL";
}

/* Adds a field that filters get, at step *k. A field for filters alone is
 * skipped. */
static int field_add(struct describe_model *model, uint32_t *k,
			     const struct ust_field *field)
{
	size_t shown = model->shown.used;
	struct making making = { 0 };
	bool written = !field->nowrite;
	int ret;

	if (written && model->n == TAFFRAIL_FIELDS_MAX)
		return -E2BIG;
	if (written && text_length(field->name) >= FIELD_NAME_BYTES)
		return -EMSGSIZE;
	ret = type_take(model, &making, field->type, written);
	if (ret && written)
		return ret;
	if (*k + 2 > DESCRIBE_STEPS_MAX)
		return -E2BIG;
	if (written) {
		model->fields[model->n].name_ = name_settled(field->name);
		model->fields[model->n].type_ = making.type;
		model->n++;
		model->steps[(*k)++] = making.step;
		return 0;
	}
	/* the size of an unknown type on the stack is unknown */
	if (!making.step.op)
		return ret;
	model->shown.used = shown;
	*k = (uint32_t)(step_skip(&model->steps[*k], making.step.op) -
			model->steps);
	return 0;
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

static int fields_add(struct describe_model *model,
			      const struct ust_class *class)
{
	int ret = 0;
	uint32_t k = 0;

	if (class->n > FIELDS_MAX || (class->n && !class->fields))
		return -EBADMSG;
	for (uint64_t i = 0; i < class->n && !ret; i++) {
		const struct ust_field *field = class->fields[i];

		if (!field_whole(field))
			return -EBADMSG;
		if (!field->nofilter)
			ret = field_add(model, &k, field);
		else if (!field_is_length(class, i) && !field->nowrite)
			ret = -EOPNOTSUPP;
	}
	model->steps[k].op = DESCRIBE_END;
	return ret;
}

/* Adds a field for filters alone to those that conditions have. Others are
 * skipped. */
static struct describe_step *unwritten_take(struct describe_model *model,
					    const struct ust_field *field,
					    struct describe_step *step)
{
	uint64_t shown = model->shown.used, texts = model->texts;
	uint32_t n = model->n, i = n + model->unwritten;
	struct making making = { 0 };
	bool taken = field->nowrite && i < TAFFRAIL_FIELDS_MAX &&
		     field_name_valid(field->name);

	/* types say how field n is shown */
	model->n = i;
	taken = !type_take(model, &making, field->type, taken) && taken;
	model->n = n;
	if (taken) {
		model->fields[i].name_ = field->name;
		model->fields[i].type_ = making.type;
		model->unwritten++;
		*step++ = making.step;
		return step;
	}
	model->shown.used = shown;
	model->texts = texts;
	return step_skip(step, making.step.op);
}

/* Adds the fields for filters alone, as far as there is room. */
static void unwritten_add(struct describe_model *model,
			  const struct ust_class *class)
{
	const struct taffrail_event_field *fields = model->fields + model->n;
	struct describe_step *step = model->unwritten_steps;
	struct text *text = &model->shown;
	size_t used = text->used, begin;
	uint64_t type;

	for (uint64_t i = 0; i < class->n; i++)
		if (!class->fields[i]->nofilter)
			step = unwritten_take(model, class->fields[i], step);
	step->op = DESCRIBE_END;
	if (!model->unwritten)
		return;
	begin = shown_begin(text, SHOWN_MARKER, TAFFRAIL_HOW_UNWRITTEN,
			    (uint16_t)model->unwritten);
	for (uint64_t i = 0; i < model->unwritten; i++) {
		type = (uint64_t)fields[i].type_;
		text_add_bytes(text, (const char *)&type, sizeof(type));
	}
	for (uint64_t i = 0; i < model->unwritten; i++)
		text_add_bytes(text, fields[i].name_,
			       text_length(fields[i].name_) + 1);
	shown_end(text, begin);
	if (!text->cut)
		return;
	text->used = used;
	text->cut = 0;
	model->unwritten = 0;
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

int describe_event(struct describe_model *model,
		   const struct ust_provider *provider,
		   const struct ust_event *event)
{
	const struct ust_class *class;
	int level, ret;

	model->n = 0;
	model->unwritten = 0;
	model->texts = 0;
	model->level = NULL;
	if (!event || event->bytes < sizeof(*event) || !event->name ||
	    event->provider != provider)
		return -EBADMSG;
	class = event->class;
	if (!class || class->bytes < sizeof(*class) || !class->probe ||
	    !class->signature)
		return -EBADMSG;
	if (text_equal(provider->name, STATE_PROVIDER))
		return -ENODATA;
	if (!marker_name_valid(provider->name) ||
	    !marker_name_valid(event->name))
		return -EBADMSG;
	if (text_length(provider->name) + text_length(event->name) + 2 >
	    ID_BYTES)
		return -ENAMETOOLONG;
	ret = fields_add(model, class);
	if (ret)
		return ret;
	level = event->level && *event->level ? **event->level : LEVEL_DEFAULT;
	if (level >= 0 && level <= LEVEL_MAX)
		model->level = level_word(level);
	if (event->uri && *event->uri)
		uri_add(&model->shown, *event->uri);
	if (model->shown.cut)
		return -EMSGSIZE;
	unwritten_add(model, class);
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The values of a field that are met most often, in bounded memory.
 */
#include <stdlib.h>
#include <string.h>

#include "command/report/private.h"
#include "traces/text/event-text.h"

/* Returns whether a class is an array of whole numbers. */
static bool has_numbers(const struct field_class *class)
{
	return (class->kind == FIELD_ARRAY || class->kind == FIELD_SEQUENCE) &&
	       class->members->kind <= FIELD_ENUM;
}

static bool same_type(const struct field_class *a,
		      const struct field_class *b)
{
	return !has_numbers(a) || !has_numbers(b) ||
	       (a->members->kind == b->members->kind &&
		a->members->bytes == b->members->bytes &&
		a->members->is_signed == b->members->is_signed);
}

/* A value in a form that does not depend on the size of the type, nor on the
 * numbers that an enumeration of another trace has for its names. */
struct normal {
	enum value_form form;
	const void *at;
	size_t bytes;
	union {
		uint64_t number;
		double real;
	};
};

/* Brings a value into a form in which values of several classes are compared.
 */
static void normal_of(struct normal *n, const struct field_class *class,
		      const uint8_t *at, size_t bytes)
{
	const struct field_label *label;

	*n = (struct normal){ .form = VALUE_RAW, .at = at,
			      .bytes = bytes };
	if (has_numbers(class))
		n->form = VALUE_ELEMENTS;
	if (class->kind == FIELD_STRING || class->kind == FIELD_TEXT) {
		n->form = VALUE_TEXT;
		n->bytes = strnlen((const char *)at, bytes);
	}
	if (class->kind > FIELD_ENUM)
		return;
	n->at = &n->number;
	n->bytes = sizeof(n->number);
	n->form = VALUE_REAL;
	if (class->kind == FIELD_REAL) {
		n->real = field_real(class, at);
		return;
	}
	n->number = field_integer(class, at);
	n->form = class->is_signed && (int64_t)n->number < 0 ? VALUE_NEGATIVE :
							       VALUE_INTEGER;
	label = field_label_next(class, NULL, n->number);
	if (label) {
		n->form = VALUE_LABEL;
		n->at = label->name;
		n->bytes = strlen(label->name);
	}
}

struct value_key {
	const struct value *list;
	const struct field_class *class;
	const struct normal *normal;
};

/* Compares a value of the list with one of an event of the same hash. */
static int value_is_same(uint64_t number, const void *priv)
{
	const struct value_key *key = priv;
	const struct value *value = &key->list[number - 1];
	const struct normal *n = key->normal;

	return value->form == n->form &&
	       value->class->unit == key->class->unit &&
	       same_type(value->class, key->class) &&
	       (value->cut || value->length == n->bytes) &&
	       n->bytes >= value->length &&
	       !memcmp(value->kept, n->at, value->length);
}

static int by_events(const void *a, const void *b)
{
	const struct value *left = a, *right = b;

	if (left->events != right->events)
		return left->events > right->events ? -1 : 1;
	if (left->hash != right->hash)
		return left->hash < right->hash ? -1 : 1;
	return 0;
}

void values_sort(struct values *v)
{
	if (v->n)
		qsort(v->list, v->n, sizeof(*v->list), by_events);
}

/* Counts the rarer half of the values together. */
static void drop_half(struct values *v)
{
	values_sort(v);
	for (uint32_t i = v->max / 2; i < v->n; i++) {
		struct value *value = &v->list[i];

		if (i == v->max / 2)
			v->missed += value->events;
		v->other_events += value->events;
		v->other_bytes += value->bytes;
		free(value->kept);
	}
	v->n = v->max / 2;
	index_empty(&v->index);
	for (uint32_t i = 0; i < v->n; i++)
		index_add(&v->index, v->list[i].hash, i + 1);
}

/* Returns the new value, or NULL where there is no room for one. */
static struct value *value_add(struct values *v,
			       const struct field_class *class, uint64_t hash,
			       const struct normal *n)
{
	struct value *value;

	if (!v->list)
		v->list = calloc(v->max, sizeof(*v->list));
	if (!v->list)
		return NULL;
	if (v->n == v->max && !v->fixed)
		drop_half(v);
	if (v->n == v->max)
		return NULL;
	value = &v->list[v->n];
	memset(value, 0, sizeof(*value));
	value->class = class;
	value->form = (uint8_t)n->form;
	value->hash = hash;
	value->cut = n->bytes > VALUE_BYTES;
	value->length = value->cut ? VALUE_BYTES : (uint32_t)n->bytes;
	value->kept = malloc(value->length + 1);
	if (!value->kept || index_add(&v->index, hash, v->n + 1)) {
		free(value->kept);
		return NULL;
	}
	v->n++;
	memcpy(value->kept, n->at, value->length);
	value->kept[value->length] = '\0';
	return value;
}

struct value *values_take(struct values *v, const struct field_class *class,
			  const uint8_t *at, size_t bytes)
{
	struct normal n;
	struct value_key key = { v->list, NULL, &n };
	uint64_t hash, number;

	key.class = class = field_held(class, &at, &bytes);
	normal_of(&n, class, at, bytes);
	hash = index_hash(INDEX_HASH, n.at, n.bytes);
	number = index_find(&v->index, hash, value_is_same, &key);
	return number ? &v->list[number - 1] : value_add(v, class, hash, &n);
}

void values_free(struct values *v)
{
	for (uint32_t i = 0; i < v->n; i++) {
		while (v->list[i].cells) {
			struct cell *next = v->list[i].cells->next;

			histogram_clear(&v->list[i].cells->ns);
			free(v->list[i].cells);
			v->list[i].cells = next;
		}
		free(v->list[i].kept);
	}
	free(v->list);
	index_clear(&v->index);
}

/* Writes a number as a field's; an integer's own bytes are the first. */
static void put_number(struct out *out, const struct value *value)
{
	struct field_class class = *value->class;

	if (value->form == VALUE_REAL)
		class.bytes = sizeof(double);
	else
		class.kind = FIELD_INTEGER;
	field_text_put(out, &class, value->kept, value->kept + value->length,
		       false);
}

/* Writes an array of numbers, as far as it was kept. */
static void put_elements(struct out *out, const struct value *value,
			 const struct field_class *element)
{
	out_char(out, '[');
	for (uint32_t i = 0; i + element->bytes <= value->length;
	     i += element->bytes) {
		struct field_class class = *element;

		if (i)
			out_text(out, ", ");
		if (class.kind == FIELD_ENUM)
			class.kind = FIELD_INTEGER;
		field_text_put(out, &class, value->kept + i,
			       value->kept + value->length, false);
	}
	if (!value->cut)
		out_char(out, ']');
}

/* Returns an array's class for a sequence, because the length in front of a
 * sequence is not kept. Returns any other class as it is. */
static struct field_class class_of_kept(const struct value *value)
{
	struct field_class class = *value->class;
	const uint8_t *p = value->kept, *end = p + value->length;
	int64_t step;

	if (class.kind != FIELD_SEQUENCE)
		return class;
	class.kind = FIELD_ARRAY;
	class.count = 0;
	while (p < end && (step = field_bytes(class.members, p, end)) > 0) {
		p += step;
		class.count++;
	}
	return class;
}

/* Writes a value with parts, as the event's line has it; of one that was cut,
 * the bytes. */
static void put_parts(struct out *out, const struct value *value)
{
	static const char digits[] = "0123456789abcdef";
	struct field_class class = class_of_kept(value);
	struct out whole;
	size_t n;

	if (!value->cut && !out_open(&whole, -1)) {
		field_text_put(&whole, &class, value->kept,
			       value->kept + value->length, false);
		n = (size_t)(whole.p - whole.start);
		out_bytes(out, whole.start, n < OUT_PIECE_BYTES ?
						   n : OUT_PIECE_BYTES);
		out_close(&whole);
		return;
	}

	for (uint32_t i = 0; i < value->length; i++) {
		*out->p++ = digits[value->kept[i] >> 4];
		*out->p++ = digits[value->kept[i] & 15];
	}
}

void value_text(const struct value *value, char *text, size_t room)
{
	char buffer[3 * OUT_PIECE_BYTES] = { 0 };
	struct out out = { .p = buffer, .start = buffer,
			   .end = buffer + sizeof(buffer), .fd = -1 };
	size_t n;

	if (value->form == VALUE_LABEL)
		out_bytes(&out, (const char *)value->kept, value->length);
	else if (value->form == VALUE_TEXT)
		string_text_put(&out, (const char *)value->kept, value->length);
	else if (value->form == VALUE_ELEMENTS)
		put_elements(&out, value, value->class->members);
	else if (value->form == VALUE_RAW)
		put_parts(&out, value);
	else
		put_number(&out, value);
	if (value->cut)
		out_text(&out, "...");
	n = (size_t)(out.p - buffer);
	if (n >= room) {
		memcpy(text, buffer, room - 4);
		memcpy(text + room - 4, "...", 4);
		return;
	}
	memcpy(text, buffer, n);
	text[n] = '\0';
}

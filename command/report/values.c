/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The values of a field that are met most often, in bounded memory.
 *
 * A value is found by the hash of a form that does not depend on the type, so a
 * number that one trace has as an int and another as a long is one value. Where
 * the list is full, the rarer half makes room ("lossy counting"): `missed` is
 * then the most events that a value which comes later may have had before.
 *
 * Invariant: the index has exactly the numbers of the values in the list.
 * Whoever sorts the list while events are still counted fills the index anew.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/report/private.h"
#include "traces/text/event-text.h"

/* Of the text of a value that is one of several keys. */
#define KEY_BYTES	96

/* Returns whether a class is an array of whole numbers, whose bytes are
 * compared as they are; so the elements' types must be the same. */
static bool has_numbers(const struct field_class *class)
{
	return (class->kind == FIELD_ARRAY || class->kind == FIELD_SEQUENCE) &&
	       class->members->kind <= FIELD_ENUM;
}

/* A value in a form that does not depend on the size of the type, nor on the
 * numbers that an enumeration of another trace has for its names. */
struct normal {
	const struct field_class *class;
	enum value_form form;
	const void *at;
	size_t bytes;
	union {
		uint64_t number;
		double real;
	};
	char labels[KEY_BYTES];		/* of a number with several */
};

/* Brings a value into a form in which values of several classes are compared.
 * The form points into the event, into a class, or into itself: it is not
 * copied, and is valid as long as the event is. */
static void normal_of(struct normal *n, const struct field_class *class,
		      const uint8_t *at, size_t bytes)
{
	const struct field_label *label;

	*n = (struct normal){ .class = class, .form = VALUE_RAW, .at = at,
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
	if (!label)
		return;
	n->form = VALUE_LABEL;
	n->at = label->name;
	n->bytes = strlen(label->name);
	/* of several, `view` shows all */
	while ((label = field_label_next(class, label, n->number)) &&
	       n->bytes < sizeof(n->labels) - 1) {
		if (n->at != n->labels)
			n->at = memcpy(n->labels, n->at, n->bytes);
		n->bytes += (size_t)snprintf(n->labels + n->bytes,
					     sizeof(n->labels) - n->bytes,
					     "|%s", label->name);
		n->bytes = min_u64(n->bytes, sizeof(n->labels) - 1);
	}
}

/* A value that is sought in a list. */
struct value_key {
	const struct value *list;
	struct normal normal;
};

/* Compares a value of the list with one of an event of the same hash. A cut
 * value is the same as any with these first bytes and this hash. Numbers with
 * other units are other values. */
static bool value_is_same(uint64_t number, const void *priv)
{
	const struct value_key *key = priv;
	const struct value *value = &key->list[number - 1];
	const struct normal *n = &key->normal;
	const struct field_class *a = value->class, *b = n->class;
	bool same_type = !has_numbers(a) || !has_numbers(b) ||
			 (a->members->kind == b->members->kind &&
			  a->members->bytes == b->members->bytes &&
			  a->members->is_signed == b->members->is_signed);

	return value->form == n->form && a->unit == b->unit && same_type &&
	       (value->cut || value->length == n->bytes) &&
	       n->bytes >= value->length &&
	       !memcmp(value->kept, n->at, value->length);
}

/* Sorts the values, the one with the most events first, and of those with as
 * many by their bytes: texts by the alphabet. */
static int by_events(const void *a, const void *b)
{
	const struct value *left = a, *right = b;
	int order;

	if (left->events != right->events)
		return left->events > right->events ? -1 : 1;
	order = memcmp(left->kept, right->kept,
		       min_u64(left->length, right->length));
	if (order)
		return order;
	return (left->length > right->length) - (left->length < right->length);
}

void values_fix(struct values *v, uint32_t max)
{
	v->max = max;
	v->fixed = true;
}

void values_count(struct values *v, struct value *value, uint64_t bytes)
{
	if (value) {
		value->events++;
		value->bytes += bytes;
	} else {
		v->other_events++;
		v->other_bytes += bytes;
	}
}

void values_sort(struct values *v)
{
	if (v->n)
		qsort(v->list, v->n, sizeof(*v->list), by_events);
}

/* Returns the new value, or NULL where there is no room for one, or without
 * memory. Where the list is full, the rarer half of the values is counted
 * together to make room, unless the first values stay. */
static struct value *value_add(struct values *v, uint64_t hash,
			       const struct normal *n)
{
	struct value *value;
	uint32_t half = v->max / 2;

	if (!v->list)
		v->list = calloc(v->max, sizeof(*v->list));
	if (!v->list)
		return NULL;
	if (v->n == v->max && !v->fixed) {
		values_sort(v);
		v->missed += v->list[half].events;
		for (value = v->list + half; value < v->list + v->n; value++) {
			v->other_events += value->events;
			v->other_bytes += value->bytes;
			free(value->kept);
		}
		v->n = half;
		index_empty(&v->index);
		for (uint32_t i = 0; i < v->n; i++)
			index_add(&v->index, v->list[i].hash, i + 1);
	}
	if (v->n == v->max)
		return NULL;
	value = &v->list[v->n];
	*value = (struct value){ .class = n->class, .form = (uint8_t)n->form,
				 .hash = hash, .cut = n->bytes > VALUE_BYTES };
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
	struct value_key key = { .list = v->list };
	struct normal *n = &key.normal;
	uint64_t hash, number;

	class = field_held(class, &at, &bytes);
	normal_of(n, class, at, bytes);
	hash = index_hash(INDEX_HASH, n->at, n->bytes);
	number = index_find(&v->index, hash, value_is_same, &key);
	return number ? &v->list[number - 1] : value_add(v, hash, n);
}

struct value *values_take_keys(struct values *v, const struct value_at *keys,
			       unsigned int n)
{
	static const struct field_class text = { .kind = FIELD_STRING };
	char buffer[KEYS_MAX * KEY_BYTES];
	struct value_key key = { .list = v->list };
	uint64_t hash = INDEX_HASH, number;
	size_t end = 0;

	if (n == 1)
		return values_take(v, keys->class, keys->at, keys->bytes);
	/* the hash has all bytes, and the text those that are shown */
	for (unsigned int i = 0; i < n; i++) {
		const uint8_t *at = keys[i].at;
		size_t bytes = keys[i].bytes;
		struct value part = { 0 };
		struct normal one;

		part.class = field_held(keys[i].class, &at, &bytes);
		normal_of(&one, part.class, at, bytes);
		hash = index_hash(hash, one.at, one.bytes);
		part.form = (uint8_t)one.form;
		part.cut = one.bytes > VALUE_BYTES;
		part.length = part.cut ? VALUE_BYTES : (uint32_t)one.bytes;
		part.kept = (uint8_t *)(uintptr_t)one.at;
		if (i)
			end += (size_t)sprintf(buffer + end, ", ");
		value_text(&part, buffer + end, KEY_BYTES - 2);
		end += strlen(buffer + end);
	}
	key.normal = (struct normal){ .class = &text, .form = VALUE_LABEL,
				      .at = buffer, .bytes = end };
	number = index_find(&v->index, hash, value_is_same, &key);
	return number ? &v->list[number - 1] : value_add(v, hash, &key.normal);
}

void values_free(struct values *v)
{
	for (uint32_t i = 0; i < v->n; i++) {
		while (v->list[i].cells) {
			struct cell *next = v->list[i].cells->next;

			histogram_clear(&v->list[i].cells->numbers);
			free(v->list[i].cells);
			v->list[i].cells = next;
		}
		free(v->list[i].kept);
	}
	free(v->list);
	index_clear(&v->index);
}

/* Writes a value with parts, as view --raw has it; of one that was cut,
 * the bytes. The length in front of a sequence is not kept, so a sequence is
 * written as an array of as many elements as there are. */
static void put_parts(struct out *out, const struct value *value)
{
	static const char digits[] = "0123456789abcdef";
	struct field_class class = *value->class;
	const uint8_t *p = value->kept, *end = p + value->length;
	struct out whole;
	int64_t step;
	size_t n;

	if (!value->cut && !out_open(&whole, -1)) {
		if (class.kind == FIELD_SEQUENCE) {
			class.kind = FIELD_ARRAY;
			for (class.count = 0; p < end; class.count++) {
				step = field_bytes(class.members, p, end);
				if (step <= 0)
					break;
				p += step;
			}
		}
		field_text_put(&whole, &class, value->kept, end, false);
		n = (size_t)(whole.p - whole.start);
		out_bytes(out, whole.start, n < OUT_PIECE_BYTES ?
						   n : OUT_PIECE_BYTES);
		out_close(&whole);
		return;
	}

	for (; p < end; p++) {
		*out->p++ = digits[*p >> 4];
		*out->p++ = digits[*p & 15];
	}
}

void value_text(const struct value *value, char *text, size_t room)
{
	char buffer[3 * OUT_PIECE_BYTES] = { 0 };
	struct out out = { .p = buffer, .start = buffer,
			   .end = buffer + sizeof(buffer), .fd = -1 };
	const uint8_t *kept = value->kept, *end = kept + value->length;
	struct field_class class = *value->class;
	size_t n;

	if (value->form == VALUE_LABEL) {
		out_bytes(&out, (const char *)kept, value->length);
	} else if (value->form == VALUE_TEXT) {
		string_text_put(&out, (const char *)kept, value->length);
	} else if (value->form == VALUE_ELEMENTS) {
		/* numbers of an array, as far as they were kept */
		class = *value->class->members;
		if (class.kind == FIELD_ENUM)
			class.kind = FIELD_INTEGER;
		out_char(&out, '[');
		for (; kept + class.bytes <= end; kept += class.bytes) {
			if (kept > value->kept)
				out_text(&out, ", ");
			field_text_put(&out, &class, kept, end, false);
		}
		if (!value->cut)
			out_char(&out, ']');
	} else if (value->form == VALUE_RAW) {
		put_parts(&out, value);
	} else {
		/* an integer's own bytes are the first of the eight */
		if (value->form == VALUE_REAL)
			class.bytes = sizeof(double);
		else
			class.kind = FIELD_INTEGER;
		field_text_put(&out, &class, kept, end, false);
	}
	if (value->cut)
		out_text(&out, "...");
	/* the end of a long value has no room in a row */
	n = (size_t)(out.p - buffer);
	if (n >= room) {
		memcpy(text, buffer, room - 4);
		memcpy(text + room - 4, "...", 4);
		return;
	}
	memcpy(text, buffer, n);
	text[n] = '\0';
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The values of a field that are met most often, in bounded memory.
 */
#include <stdlib.h>
#include <string.h>

#include "command/report/private.h"
#include "base/index.h"
#include "traces/text/event-text.h"

#define SLOTS	4096u			/* twice VALUES_MAX */

static bool is_text(const struct field_class *class)
{
	return class->kind == FIELD_STRING || class->kind == FIELD_TEXT;
}

/* Returns a value's bytes in a form that does not depend on its size. */
static const uint8_t *normal(const struct field_class *class,
			     const uint8_t *at, size_t *bytes, uint64_t *number)
{
	if (class->kind == FIELD_INTEGER || class->kind == FIELD_ENUM) {
		*number = field_integer(class, at);
		*bytes = sizeof(*number);
		return (const uint8_t *)number;
	}
	if (class->kind == FIELD_STRING)
		(*bytes)--;
	else if (class->kind == FIELD_TEXT)
		*bytes = strnlen((const char *)at, *bytes);
	return at;
}

static bool is_same(const struct value *value, const struct field_class *class,
		    uint64_t hash, const uint8_t *at, size_t bytes)
{
	bool numbers = class->kind <= FIELD_ENUM;

	return value->hash == hash &&
	       numbers == (value->class->kind <= FIELD_ENUM) &&
	       (value->cut || value->length == bytes) &&
	       bytes >= value->length &&
	       !memcmp(value->kept, at, value->length);
}

static void put_slot(struct values *v, uint32_t number)
{
	uint64_t hash = v->list[number].hash;
	uint32_t i = (uint32_t)(hash ^ hash >> 32);

	while (v->slots[i & (v->nslots - 1)])
		i++;
	v->slots[i & (v->nslots - 1)] = number + 1;
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
	memset(v->slots, 0, v->nslots * sizeof(*v->slots));
	for (uint32_t i = 0; i < v->n; i++)
		put_slot(v, i);
}

static bool make_room(struct values *v)
{
	if (!v->slots) {
		v->nslots = SLOTS;
		v->slots = calloc(SLOTS, sizeof(*v->slots));
		v->list = calloc(v->max, sizeof(*v->list));
	}
	if (!v->slots || !v->list)
		return false;
	if (v->n == v->max && !v->fixed)
		drop_half(v);
	return v->n < v->max;
}

struct value *values_take(struct values *v, const struct field_class *class,
			  const uint8_t *at, size_t bytes)
{
	uint64_t number, hash;
	struct value *value;
	uint32_t i;

	at = normal(class, at, &bytes, &number);
	hash = index_hash(INDEX_HASH, at, bytes);
	for (i = (uint32_t)(hash ^ hash >> 32); v->slots; i++) {
		uint32_t slot = v->slots[i & (v->nslots - 1)];

		if (!slot)
			break;
		if (is_same(&v->list[slot - 1], class, hash, at, bytes))
			return &v->list[slot - 1];
	}
	if (!make_room(v))
		return NULL;
	value = &v->list[v->n];
	memset(value, 0, sizeof(*value));
	value->class = class;
	value->hash = hash;
	value->cut = bytes > VALUE_BYTES;
	value->length = value->cut ? VALUE_BYTES : (uint32_t)bytes;
	value->kept = malloc(value->length + 1);
	if (!value->kept)
		return NULL;
	memcpy(value->kept, at, value->length);
	value->kept[value->length] = '\0';
	put_slot(v, v->n++);
	return value;
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
	free(v->slots);
}

/* Writes the name of an enumerator, if the number has one. */
static bool put_label(struct out *out, const struct value *value)
{
	const struct field_class *class = value->class;
	uint64_t number;

	memcpy(&number, value->kept, sizeof(number));
	for (size_t i = 0; i < class->nlabels; i++) {
		const struct field_label *l = &class->labels[i];

		if (class->is_signed ? (int64_t)number >= (int64_t)l->from &&
				       (int64_t)number <= (int64_t)l->to :
				       number >= l->from && number <= l->to) {
			out_bytes(out, l->name, strnlen(l->name, VALUE_BYTES));
			return true;
		}
	}
	return false;
}

void value_text(const struct value *value, char *text, size_t room)
{
	char buffer[3 * OUT_PIECE_BYTES] = { 0 };
	struct out out = { .p = buffer, .start = buffer,
			   .end = buffer + sizeof(buffer), .fd = -1 };
	struct field_class class = *value->class;
	size_t n;

	if (is_text(&class)) {
		string_text_put(&out, (const char *)value->kept, value->length);
	} else if (class.kind == FIELD_ENUM && put_label(&out, value)) {
		/* the name says it */
	} else if (class.kind <= FIELD_ENUM) {
		class.kind = class.kind == FIELD_ENUM ? FIELD_INTEGER :
							class.kind;
		field_text_put(&out, &class, value->kept,
			       value->kept + value->length, false);
	} else {
		for (uint32_t i = 0; i < value->length; i++) {
			static const char digits[] = "0123456789abcdef";

			*out.p++ = digits[value->kept[i] >> 4];
			*out.p++ = digits[value->kept[i] & 15];
		}
	}
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

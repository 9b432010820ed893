/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of fields as JSON. See json-value-private.h.
 *
 * Invariant: each put function writes one whole value, so commas, colons and
 * brackets come from the visitor alone.
 */
#include "traces/formats/json-value-private.h"

#include <math.h>

#include "traces/text/number.h"

#define JOINED_BYTES	1024

/* Writes all digits of an integer: a reader may keep 64 bits, or round. */
static const uint8_t *put_integer(void *to, const struct field_class *class,
				  const uint8_t *at)
{
	struct out *out = to;
	uint64_t value = field_integer(class, at);

	out_room(out, NUMBER_S64_BYTES);
	out->p = class->is_signed ? number_s64(out->p, (int64_t)value) :
				    number_u64(out->p, value);
	return at + class->bytes;
}

void real_put(struct out *out, double value, const char *quote)
{
	if (isfinite(value)) {
		out_room(out, NUMBER_REAL_BYTES);
		out->p = number_exact(out->p, value);
		return;
	}
	out_text(out, quote);
	out_text(out, isnan(value) ? "NaN" :
		      value < 0 ? "-Infinity" : "Infinity");
	out_text(out, quote);
}

/* Writes a number, or a string for one that JSON has no word for. */
static const uint8_t *put_real(void *to, const struct field_class *class,
			       const uint8_t *at)
{
	real_put(to, field_real(class, at), "\"");
	return at + class->bytes;
}

const char *label_of(const struct field_class *class, uint64_t value)
{
	static char joined[JOINED_BYTES];
	const struct field_label *label = NULL;
	const char *found = NULL;
	size_t used, n;

	while ((label = field_label_next(class, label, value))) {
		if (!found) {
			found = label->name;
			continue;
		}
		used = strlen(found);
		n = strlen(label->name);
		/* a name without room is left out */
		if (used + n + 2 > sizeof(joined))
			continue;
		memmove(joined, found, used);
		joined[used] = '|';
		memcpy(joined + used + 1, label->name, n + 1);
		found = joined;
	}
	return found;
}

/* Writes the value and the name; a value without a name has null. */
static const uint8_t *put_enum(void *to, const struct field_class *class,
			       const uint8_t *at)
{
	struct out *out = to;
	const char *name = label_of(class, field_integer(class, at));

	out_text(out, "{\"value\":");
	put_integer(out, class, at);
	out_text(out, ",\"name\":");
	if (name)
		json_put_string(out, name, strlen(name));
	else
		out_text(out, "null");
	out_char(out, '}');
	return at + class->bytes;
}

/* Writes a text up to the first NUL. */
static const uint8_t *put_characters(void *to, const struct field_class *class,
				     const uint8_t *at)
{
	size_t n;
	const uint8_t *behind = field_characters(class, at, &n);

	json_put_string(to, (const char *)at, n);
	return behind;
}

/* Opens an object or an array. A variant is only the part that it holds. */
static void begin_parts(void *to, const struct field_class *whole)
{
	if (whole->kind != FIELD_VARIANT)
		out_char(to, whole->kind == FIELD_STRUCT ? '{' : '[');
}

/* Writes the comma before all elements but the first. */
static size_t begin_element(void *to, uint64_t i)
{
	if (i)
		out_char(to, ',');
	return 0;
}

/* Writes the name of a member. All but the first have a comma. */
static size_t begin_member(void *to, const struct field_class *class,
			   uint64_t i)
{
	begin_element(to, i);
	json_put_string(to, class->name, strlen(class->name));
	out_char(to, ':');
	return 0;
}

/* Writes the bracket that ends the parts. */
static void end_parts(void *to, const struct field_class *whole)
{
	if (whole->kind != FIELD_VARIANT)
		out_char(to, whole->kind == FIELD_STRUCT ? '}' : ']');
}

static field_put put_parts;

static const struct field_visitor visitor = {
	.put = {
		[FIELD_INTEGER] = put_integer, [FIELD_REAL] = put_real,
		[FIELD_ENUM] = put_enum, [FIELD_STRING] = put_characters,
		[FIELD_TEXT] = put_characters, [FIELD_PARTS] = put_parts,
	},
	.begin = begin_parts, .member = begin_member,
	.element = begin_element, .end = end_parts,
};

/* Writes a value with parts. */
static const uint8_t *put_parts(void *to, const struct field_class *class,
				const uint8_t *at)
{
	return field_visit(&visitor, to, class, at);
}

field_put *json_put_of(const struct field_class *class)
{
	return visitor.put[class->kind];
}

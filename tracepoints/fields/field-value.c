/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of fields: finds them in an event's bytes, reads them, and shows them
 * without their names.
 *
 * Invariant: no load at or beyond the end of the bytes; a loop whose length
 * depends on the bytes stops when the text is full.
 */
#include "tracepoints/fields/field-value.h"

#include "include/taffrail/site.h"
#include "tracepoints/fields/ax-double.h"
#include "tracepoints/fields/conversion-private.h"
#include "tracepoints/fields/scalar.h"

/*
 * Takes a field of this type from the bytes. Returns how many bytes it takes; 0
 * when the type is none, or no part of the field is there.
 */
static uint32_t value_take(struct field_value *value,
			   const struct field_event *event, uint32_t number,
			   const uint8_t *p, uint32_t room)
{
	uint8_t type = event->types[number];
	uint32_t element = scalar_bytes(type);
	uint32_t count = 0;

	*value = (struct field_value){ .type = type, .p = p };
	if (element && type >> 4 == TAFFRAIL_T_ARRAY >> 4) {
		value->type ^= TAFFRAIL_T_ARRAY | TAFFRAIL_T_SEQUENCE;
		count = shown_count(&event->shown, number, type);
		value->whole = count <= room / element;
		value->n = value->whole ? count : room / element;
		return value->n * element;
	}
	if (type == TAFFRAIL_T_STRING) {
		while (value->n < room && p[value->n])
			value->n++;
		value->whole = value->n < room;
		return value->n + value->whole;
	}
	if (!element || room < (type & TAFFRAIL_T_SEQUENCE ? 4 : element))
		return 0;
	if (type == (type & TAFFRAIL_T_SCALAR_MASK)) {
		value->whole = 1;
		return element;
	}
	if (type != (TAFFRAIL_T_SEQUENCE | (type & TAFFRAIL_T_SCALAR_MASK)))
		return 0;
	__builtin_memcpy(&count, p, 4);
	value->p = p + 4;
	value->whole = count <= (room - 4) / element;
	value->n = value->whole ? count : (room - 4) / element;
	return 4 + value->n * element;
}

/* Makes of an array what the marker says that it is: a text up to its NUL, or
 * big-endian integers. */
static void elements_settle(struct field_value *value,
			    const struct field_event *event, uint32_t number)
{
	uint32_t n = 0;

	if (!(value->type & TAFFRAIL_T_SEQUENCE))
		return;
	value->big = (uint8_t)shown_says(&event->shown, number,
					 TAFFRAIL_HOW_BIG_ENDIAN);
	if (scalar_bytes(value->type) != 1 ||
	    !shown_says(&event->shown, number, TAFFRAIL_HOW_CHARS))
		return;
	value->type = TAFFRAIL_T_STRING;
	while (n < value->n && value->p[n])
		n++;
	value->n = n;
}

uint32_t field_values_take(struct field_value *values,
			   const struct field_event *event, const uint8_t *p,
			   uint32_t room)
{
	uint32_t i;

	for (i = 0; i < event->nfields && i < TAFFRAIL_FIELDS_MAX; i++) {
		uint32_t bytes = value_take(&values[i], event, i, p, room);

		if (!bytes)
			break;
		elements_settle(&values[i], event, i);
		p += bytes;
		room -= bytes;
		if (!values[i].whole)
			return i + 1;
	}
	return i;
}

bool field_is_double(const struct field_value *value)
{
	return scalar_sort(value->type) == SCALAR_REAL;
}

bool field_is_integer(const struct field_value *value)
{
	return value->type <= TAFFRAIL_T_SCALAR_MASK && !field_is_double(value);
}

uint32_t field_integer_bytes(const struct field_value *value)
{
	return scalar_bytes(value->type) == 8 ? 8 : 4;
}

uint64_t field_integer(const struct field_value *value)
{
	uint32_t bytes = scalar_bytes(value->type);
	uint64_t bits = 0;

	for (uint32_t i = 0; i < bytes; i++)
		((uint8_t *)&bits)[i] = value->p[value->big ? bytes - 1 - i :
							      i];
	return scalar_extend(value->type, bits);
}

/* Returns the 32 bits of a float; the bytes need not be aligned. */
static uint32_t float_bits(const struct field_value *value)
{
	uint32_t bits;

	__builtin_memcpy(&bits, value->p, sizeof(bits));
	return bits;
}

uint64_t field_double(const struct field_value *value)
{
	uint64_t bits;

	if (scalar_bytes(value->type) == sizeof(float))
		return double_of_float(float_bits(value));
	__builtin_memcpy(&bits, value->p, sizeof(bits));
	return bits;
}

/* Adds a scalar as an event shows it. */
static void scalar_show(struct text *text, const struct field_value *value)
{
	switch (scalar_sort(value->type)) {
	case SCALAR_REAL:
		if (scalar_bytes(value->type) == sizeof(float))
			conversion_shortest_float(text, float_bits(value));
		else
			conversion_shortest_double(text, field_double(value));
		break;
	case SCALAR_ADDRESS:
		text_add(text, "0x");
		text_add_hex(text, field_integer(value), 1);
		break;
	case SCALAR_SIGNED:
		text_add_number(text, (int64_t)field_integer(value));
		break;
	default:
		text_add_unsigned(text, field_integer(value));
		break;
	}
}

struct field_value field_element(const struct field_value *array, uint32_t i)
{
	uint8_t type = array->type & TAFFRAIL_T_SCALAR_MASK;

	return (struct field_value){ .type = type, .big = array->big,
				     .whole = 1,
				     .p = array->p + i * scalar_bytes(type) };
}

/* A sequence is shown in braces; the last brace is missing when the bytes end
 * too early. */
void field_show(struct text *text, const struct field_value *value)
{
	struct field_value element;
	uint32_t i;

	if (value->type == TAFFRAIL_T_STRING) {
		for (i = 0; i < value->n && !text->cut; i++)
			text_add_char(text, (char)value->p[i]);
		return;
	}
	if (!(value->type & TAFFRAIL_T_SEQUENCE)) {
		scalar_show(text, value);
		return;
	}
	text_add_char(text, '{');
	for (i = 0; i < value->n && !text->cut; i++) {
		if (i)
			text_add(text, ", ");
		element = field_element(value, i);
		scalar_show(text, &element);
	}
	if (value->whole)
		text_add_char(text, '}');
	else if (i)
		text_add(text, ", ");
}

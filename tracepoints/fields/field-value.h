/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of fields (field-value.c), for field-text.c and field-format.c.
 */
#ifndef TRACEPOINTS_FIELDS_FIELD_VALUE_H
#define TRACEPOINTS_FIELDS_FIELD_VALUE_H

#include "tracepoints/fields/field-text.h"

/* A field, or only the beginning, if the bytes end in the field. */
struct field_value {
	uint8_t type;			/* enum taffrail_type */
	uint8_t whole;			/* all of it is there */
	uint8_t big;			/* integers have the highest byte first
					 */
	const uint8_t *p;		/* in the event; not aligned */
	uint32_t n;			/* characters, or elements */
};

/* Takes an event's values from `room` bytes at p. Returns how many it found. */
uint32_t field_values_take(struct field_value *values,
			   const struct field_event *event, const uint8_t *p,
			   uint32_t room);

/* Returns true for an integer scalar; pointers and booleans are such. */
bool field_is_integer(const struct field_value *value);

/* Returns 4 or 8: the bytes of the integer as an argument of a C function. */
uint32_t field_integer_bytes(const struct field_value *value);

/* Returns an integer, sign-extended if the type is signed. */
uint64_t field_integer(const struct field_value *value);

/* Returns true for a floating-point scalar. */
bool field_is_double(const struct field_value *value);

/* Returns the bits of a floating-point scalar as a double. */
uint64_t field_double(const struct field_value *value);

/* Takes element i of an array. */
struct field_value field_element(const struct field_value *array, uint32_t i);

/* Adds a value as in an event, but a string without quotes and escapes. */
void field_show(struct text *text, const struct field_value *value);

/* Adds a mark's format with the values put in. The event has `nfields` fields;
 * n values are there, and only the last of them may not be whole. */
void field_format(struct text *text, const char *format,
		  const struct field_value *values, uint32_t n,
		  uint32_t nfields);

#endif

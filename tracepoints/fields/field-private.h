/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of fields (field-value.c), for field-text.c and field-format.c.
 */
#ifndef TRACEPOINTS_FIELDS_FIELD_PRIVATE_H
#define TRACEPOINTS_FIELDS_FIELD_PRIVATE_H

#include "tracepoints/fields/field-text.h"

/* A field, or as much of it as there is. */
struct field_value {
	uint8_t type;			/* enum taffrail_type */
	uint8_t whole;
	const uint8_t *p;		/* in the event; not aligned */
	uint32_t n;			/* characters, or elements */
};

/* Takes an event's values off `room` bytes at p. Returns how many there are. */
uint32_t field_values_take(struct field_value *values,
			   const struct field_event *event, const uint8_t *p,
			   uint32_t room);

/* Is it a scalar that is an integer: pointers and booleans, too? */
int field_is_integer(const struct field_value *value);

/* 4 or 8: the bytes of the integer as a C function would be passed it. */
uint32_t field_integer_bytes(const struct field_value *value);

/* An integer, extended by its sign if its type has one. */
uint64_t field_integer(const struct field_value *value);

/* Is it floating-point? As the bits of a double: */
int field_is_double(const struct field_value *value);
uint64_t field_double(const struct field_value *value);

/* A value as an event shows it, but strings as they are. */
void field_show(struct text *text, const struct field_value *value);

/* A mark's format with its values put in: `nfields` of them, of which there
 * are n; only the last of these may not be whole. */
void field_format(struct text *text, const char *format,
		  const struct field_value *values, uint32_t n,
		  uint32_t nfields);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of fields as JSON. Facts: RFC 8259.
 *
 *	integers	all digits
 *	numbers		with a point or an exponent; those that JSON does not
 *			have are strings: "NaN", "Infinity", "-Infinity"
 *	enumerations	{"value":2,"name":"ENOENT"}; the name is null where the
 *			value has none
 *	strings		see characters.h
 *
 * Invariant: the bytes of a value are all there; the reader has
 * checked that.
 */
#ifndef TRACES_FORMATS_JSON_VALUE_PRIVATE_H
#define TRACES_FORMATS_JSON_VALUE_PRIVATE_H

#include "traces/read/visit.h"
#include "traces/text/characters.h"

/* Returns the function that writes values of a class to a struct out. */
field_put *json_put_of(const struct field_class *class);

/* Writes a value. Returns the byte behind it. */
static inline const uint8_t *json_value(struct out *out,
					const struct field_class *class,
					const uint8_t *at)
{
	return json_put_of(class)(out, class, at);
}

/* Writes a number of floating point. Those without digits are the words NaN,
 * Infinity and -Infinity, between two of `quote`. */
void real_put(struct out *out, double value, const char *quote);

/* Returns the name of an enumeration's value, or NULL. If it has several, they
 * are joined by '|' in memory that lasts until the next call. */
const char *label_of(const struct field_class *class, uint64_t value);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of fields as JSON. Facts: RFC 8259.
 *
 *	integers	all digits
 *	numbers		with a point or an exponent; those that JSON does not
 *			have are strings: "NaN", "Infinity", "-Infinity"
 *	enumerations	{"value":2,"name":"ENOENT"}; the name is null where the
 *			value has none
 *	strings		see utf8-private.h
 *
 * What must stay true here: the bytes of a value are all there; the reader has
 * checked that.
 */
#ifndef TRACES_FORMATS_JSON_VALUE_PRIVATE_H
#define TRACES_FORMATS_JSON_VALUE_PRIVATE_H

#include "traces/read/classes.h"
#include "traces/text/out.h"

/* Writes a value, and returns where the next one begins. */
struct json_writer {
	const uint8_t *(*put)(struct out *out, const struct field_class *class,
			      const uint8_t *at);
};

struct json_writer json_writer_of(const struct field_class *class);

static inline const uint8_t *json_value(struct out *out,
					const struct field_class *class,
					const uint8_t *at)
{
	return json_writer_of(class).put(out, class, at);
}

/* Writes a string with its quotes. */
void json_put_string(struct out *out, const char *text, size_t n);

/* Writes a number of floating point. */
void json_put_real(struct out *out, double value);

/* Returns the name of an enumeration's value, or NULL. If it has several, they
 * are joined by '|' in memory that lasts until the next call. */
const char *label_of(const struct field_class *class, uint64_t value);

#endif

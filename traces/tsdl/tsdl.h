/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parts of CTF metadata below an event: types of fields, and texts of a
 * program in quotes. Facts: CTF specification 1.8.3, section 4.
 *
 * Invariant: no text of a program is written but through metadata_escape(), or
 * as an identifier.
 */
#ifndef TRACES_TSDL_TSDL_H
#define TRACES_TSDL_TSDL_H

#include <stdbool.h>
#include <stdio.h>

#include "buffers/reader/reader.h"
#include "tracepoints/fields/fields.h"
#include "tracepoints/fields/shown.h"

/* types.c: scalars, and integers with names for their values. */
struct scalar {
	uint8_t bytes;
	uint8_t is_signed;
	uint8_t exponent;		/* bits; 0: an integer */
	uint8_t base;
};

/* Returns the scalar of an enum taffrail_type, or of a sequence's elements;
 * NULL: it is none. */
const struct scalar *scalar_of(uint8_t type);

/* Writes the type of a scalar; an integer is shown in this base, or, if that is
 * 0, in the base that the scalar has. A pointer is hexadecimal in any case. */
void scalar_put_type(FILE *out, const struct scalar *scalar, int base);

/* Writes the type of an element of an array or a sequence in this base, unless
 * the marker says another one, and as it says: characters, big-endian. */
void element_put_type(FILE *out, const struct scalar *element,
		      const struct shown_bytes *shown, uint32_t field,
		      int base);

/* Writes text inside a string literal, unprintable characters in octal. */
void metadata_escape(FILE *out, const char *text);

/*
 * Writes the type of an integer of so many bits: an enumeration with the names
 * that were said of it. Leaves out a value that the integer cannot have, a name
 * that has been written, and names behind the 1024th; of TAFFRAIL_HOW_RANGES,
 * only the values. Returns false, and writes nothing, when none is left.
 */
bool metadata_enumeration(FILE *out, const struct shown_field *field, int bits,
			  bool is_signed);

/*
 * option.c: variants: unions by tag, and std::variant. The marker records two
 * fields for one, "tag" and "value" (TAFFRAIL_HOW_VARIANT).
 *
 * variant_find() returns whether fields i and i + 1 are a variant with names
 * that begin `at` characters from the start, and sets *field to the statement
 * on the options. variant_put() writes both: an enumeration, and the variant
 * that it chooses from.
 */
bool variant_find(struct shown_field *field, const struct event_view *event,
		  const struct field_name *names, int i, size_t at);
void variant_put(FILE *out, struct shown_field field);

/* message.c: writes the message or the format of an event's marker, if it has
 * one, as the environment's entry message_ID or format_ID. */
void message_put(FILE *out, const struct event_view *event);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An event's fields as text for people: gdb shows it as $_sdata.
 *
 * A mark gives the format with the values put in, as printf() would:
 * "id %d url %s" gives "id 7 url /x". Conversions follow C; a value that does
 * not fit the conversion (a program's mistake, or %s of a pointer) is shown as
 * in an event. %m stays as it is, %n gives nothing, %c of 0 is left out, %lc is
 * UTF-8.
 *
 * An event gives "name = value, name = value". Integers are decimal, pointers
 * hexadecimal; floating-point numbers have as many digits as are needed to read
 * the same number back; strings are in quotes and escaped as babeltrace2 does
 * it, sequences in braces: id = 7, url = "/x", v = {1, 2}. A value that has a
 * name is shown by it: state = RUNNING. Bases, booleans, characters, errors
 * and units are shown: 0xa5, 017, 0b101, true, 'a', ENOENT, 5 ms; an array of
 * characters as a string.
 *
 * When the bytes end before the last field does, the text ends with "...".
 */
#ifndef TRACEPOINTS_FIELDS_FIELD_TEXT_H
#define TRACEPOINTS_FIELDS_FIELD_TEXT_H

#include <stdint.h>

#include "base/text.h"
#include "tracepoints/fields/shown.h"

/* Describes an event; `types` and `format` are as in struct object and struct
 * event_record. */
struct field_event {
	uint8_t kind;			/* enum taffrail_kind */
	uint8_t nfields;
	const uint8_t *types;		/* nfields; enum taffrail_type */
	const char *format;		/* or the text of the arguments */
	struct shown_bytes shown;
};

/*
 * Adds the fields in n bytes, as a ring holds them, to `text`. For any bytes,
 * types and format, reads no more than n bytes and returns. Any thread;
 * SIGSAFE; takes some 3 KiB of stack.
 */
void field_text(struct text *text, const struct field_event *event,
		const void *bytes, uint32_t n);

/*
 * Does the same for a program that reads the text: adds a line
 * "field NAME=TYPE:VALUE" for each whole field. Strings have no quotes, and are
 * escaped as above. If people see something else than the number, a line
 * "shown NAME=TEXT" follows; a long TEXT is cut.
 */
void field_lines(struct text *text, const struct field_event *event,
		 const void *bytes, uint32_t n);

#endif

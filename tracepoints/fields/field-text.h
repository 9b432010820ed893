/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An event's fields as text for people: what gdb shows as $_sdata.
 *
 * A mark gives its format with the values put in, as printf() would:
 * "id %d url %s" gives "id 7 url /x". Conversions follow C; a value that its
 * conversion does not fit (a program's mistake, or %s of a pointer) is shown
 * as an event's would be. %m stays as it is, %n gives nothing, %c of 0 is left
 * out, %lc is UTF-8.
 *
 * An event gives "name = value, name = value". Integers are decimal, pointers
 * hexadecimal; of floating-point numbers as many digits as it takes to read
 * the same back; strings are in quotes and escaped as babeltrace2 does it,
 * sequences in braces: id = 7, url = "/x", v = {1, 2}.
 *
 * Fields that are not whole, since the bytes end there, end the text with
 * "...".
 */
#ifndef TRACEPOINTS_FIELDS_FIELD_TEXT_H
#define TRACEPOINTS_FIELDS_FIELD_TEXT_H

#include <stdint.h>

#include "base/text.h"

/* What an event is; `types` and `format` as struct object and struct
 * event_record have them. */
struct field_event {
	uint8_t kind;			/* enum taffrail_kind */
	uint8_t nfields;
	const uint8_t *types;		/* nfields; enum taffrail_type */
	const char *format;		/* or the text of the arguments */
};

/*
 * Adds the fields in n bytes, as a ring holds them, to `text`. Whatever the
 * bytes, types and format are like, it reads no more than n bytes and ends.
 * Any thread; SIGSAFE; takes some 3 KiB of stack.
 */
void field_text(struct text *text, const struct field_event *event,
		const void *bytes, uint32_t n);

/*
 * The same, for programs to read: a line "field NAME=TYPE:VALUE" for each one
 * that is whole. Strings have no quotes, and are escaped as above.
 */
void field_lines(struct text *text, const struct field_event *event,
		 const void *bytes, uint32_t n);

#endif

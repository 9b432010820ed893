/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of a marker's fields, taken from the text in its site:
 *
 *  - of a TAFFRAIL_EVENT, the text of the arguments. An argument is named by
 *    TAFFRAIL_FIELD(NAME, ...), else by the last identifier: `req->id` is
 *    "id", `v[3]` is "v", `f(x)` is "f", `now() - t0` is "t0". Of a structure
 *    (TAFFRAIL_STRUCT) each member is a field, "at.x", "at.v.0". TAFFRAIL_LEVEL
 *    and TAFFRAIL_MESSAGE, before the others, are no fields;
 *  - of a TAFFRAIL_MARK, the format: a conversion is named by the word before
 *    it, "id %d url %s" has the fields "id" and "url".
 *
 * A pack (C++) names the first of the fields that it becomes. If a text has not
 * as many arguments as the marker has fields, without one pack that explains
 * it, no field has a name: an argument may be a macro of several.
 *
 * An argument without a name is "argN", N counted from 1 on. If an earlier
 * field has the same name, _2, _3 and so on is appended. A character outside
 * ASCII is _u and four digits or more of the code point.
 *
 * Pure functions without allocation and without libc: they run in the agent
 * and in the command, on text of unknown origin.
 */
#ifndef TRACEPOINTS_FIELDS_FIELDS_H
#define TRACEPOINTS_FIELDS_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

#define FIELD_NAME_BYTES	64

/* The end of the last conversion of a format, behind "%" and the number of the
 * last field: this one has a bit for each field before it whose memory could
 * not be read, from bit 0 on. printf() puts nothing for 0. A text of the format
 * has "(unreadable)" for these fields, and the field's name is "unread". */
#define FIELD_UNREAD		"$-.0hx"

#define FIELD_PRECISION_NONE	-1
#define FIELD_PRECISION_FIELD	-2	/* %.*s: the field before says it */

struct field_name {
	char name[FIELD_NAME_BYTES];	/* NUL-terminated: a C identifier, of
					 * members several with dots */
	uint8_t base;			/* to show it in: 8, 10 or 16 */
	uint8_t pointer;		/* the format says %p: an address, even
					 * if the type is a string */
	int32_t precision;		/* of %.Ns: the string may end after N
					 * characters without a NUL; or one of
					 * FIELD_PRECISION_... */
};

/*
 * Names nfields fields (0 to TAFFRAIL_FIELDS_MAX) in out[]. text ends with NUL;
 * kind is TAFFRAIL_KIND_EVENT or TAFFRAIL_KIND_MARK. Writes all of out[] for
 * any text. Returns 0, or -EINVAL for another kind or number of fields. Any
 * thread; SIGSAFE.
 */
int fields_parse(const char *text, int kind, int nfields,
		 struct field_name *out);

/* Returns true if a format ends with FIELD_UNREAD. SIGSAFE. */
bool format_tells_unread(const char *format);

/*
 * Returns true when a program that describes a field may name it so: a C
 * identifier of less than FIELD_NAME_BYTES. A name may be NULL. SIGSAFE.
 */
bool field_name_valid(const char *name);

/* Returns true when a name can be a part of a marker's id: it is not empty, and
 * has no "/", blank or control character, which would spoil a list. SIGSAFE. */
bool marker_name_valid(const char *name);

/* Adds the word for a field's type: "int32", "double[]", "string"; "unknown"
 * for a number that is no type. SIGSAFE. */
void field_type_add(struct text *text, uint8_t type);

/*
 * Adds a marker's fields for gdb's user: the unchanged format of a
 * TAFFRAIL_MARK, "type name, type name" of a TAFFRAIL_EVENT, nothing for
 * another kind or too many fields. types has nfields elements. SIGSAFE.
 */
void fields_signature_add(struct text *out, const char *text, int kind,
			  int nfields, const uint8_t *types);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of the fields of a marker, out of the text that its site carries:
 *
 *  - of a TAFFRAIL_EVENT, the text of its arguments. An argument is named by
 *    TAFFRAIL_FIELD(NAME, ...), else by its last identifier: `req->id` is
 *    "id", `v[3]` is "v", `f(x)` is "f", `now() - t0` is "t0";
 *  - of a TAFFRAIL_MARK, its format: a conversion is named by the word before
 *    it, "id %d url %s" has the fields "id" and "url".
 *
 * An argument without a name is "argN", N its number from 1 on. A name that
 * is taken gets _2, _3 and so on.
 *
 * Pure functions without allocation and without libc: they run in the agent
 * and in the command, on text of unknown origin.
 */
#ifndef TRACEPOINTS_FIELDS_FIELDS_H
#define TRACEPOINTS_FIELDS_FIELDS_H

#include <stdint.h>

#include "base/text.h"

#define FIELD_NAME_BYTES	64
#define FIELD_PRECISION_NONE	-1
#define FIELD_PRECISION_FIELD	-2	/* %.*s: the field before says it */

struct field_name {
	char name[FIELD_NAME_BYTES];	/* a C identifier, NUL-terminated */
	uint8_t base;			/* to show it in: 8, 10 or 16 */
	uint8_t pointer;		/* the format says %p: an address, even
					 * where the type is a string */
	int32_t precision;		/* of %.Ns: the string may end after N
					 * characters without a NUL; or one of
					 * the two below */
};

/*
 * Name nfields fields (0 to TAFFRAIL_FIELDS_MAX) into out[]. text ends with
 * NUL; kind is TAFFRAIL_KIND_EVENT or TAFFRAIL_KIND_MARK. All of out[] is
 * written, whatever the text is like. Returns 0, or -EINVAL for another kind
 * or number of fields. Any thread; SIGSAFE.
 */
int fields_parse(const char *text, int kind, int nfields,
		 struct field_name *out);

/* Adds the word for a field's type: "int32", "double[]", "string"; "unknown"
 * for one that there is not. SIGSAFE. */
void field_type_add(struct text *text, uint8_t type);

/*
 * Adds what tells gdb's user of a marker's fields: the format of a
 * TAFFRAIL_MARK as it is, "type name, type name" of a TAFFRAIL_EVENT, nothing
 * for another kind or too many fields. types has nfields elements. SIGSAFE.
 */
void fields_signature_add(struct text *out, const char *text, int kind,
			  int nfields, const uint8_t *types);

#endif

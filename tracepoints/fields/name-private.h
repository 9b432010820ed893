/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes the name of a field; private to the parser of names (fields.c).
 */
#ifndef TRACEPOINTS_FIELDS_NAME_PRIVATE_H
#define TRACEPOINTS_FIELDS_NAME_PRIVATE_H

#include <stdbool.h>

#include "tracepoints/fields/fields.h"

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The bytes of UTF-8 outside ASCII are letters, as in C's identifiers. */
static inline bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (c & 0x80);
}

/*
 * Gives field i the name from p to end, as an identifier, or argN; makes it
 * differ from the names that the other fields have got. A character of UTF-8
 * outside ASCII becomes _u and four digits or more of its code point, since
 * neither traces nor gdb have such names. SIGSAFE.
 */
void name_set(struct field_name *out, int nfields, int i, const char *p,
	      const char *end);

#endif

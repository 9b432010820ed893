/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parts of CTF metadata that need texts of a program in quotes: string
 * literals, and integers with names for their values.
 */
#ifndef TRACES_TSDL_ENUMERATION_H
#define TRACES_TSDL_ENUMERATION_H

#include <stdbool.h>
#include <stdio.h>

#include "tracepoints/fields/shown.h"

/* Writes text inside a string literal, unprintable characters in octal. */
void metadata_escape(FILE *out, const char *text);

/*
 * Writes the type of an integer of so many bits: an enumeration with the names
 * that were said of it. Leaves out a name that has been written, a value that
 * the integer cannot have, and names behind the 1024th. Returns false, and
 * writes nothing, when none is left.
 */
bool metadata_enumeration(FILE *out, const struct shown_field *field, int bits,
			  bool is_signed);

#endif

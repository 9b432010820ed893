/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Between conversion.c and conversion-double.c.
 */
#ifndef TRACEPOINTS_FIELDS_CONVERSION_PRIVATE_H
#define TRACEPOINTS_FIELDS_CONVERSION_PRIVATE_H

#include "tracepoints/fields/conversion.h"

/* c, n times, or until the text is full. */
void conversion_repeat(struct text *text, char c, int64_t n);

/*
 * Begins a conversion of `length` characters behind `head`: pads to the left
 * with blanks before the head, or with zeros behind it. Returns by how many
 * blanks it is to be followed.
 */
int64_t conversion_open(struct text *text, const struct conversion *c,
			const char *head, int64_t length, int zeros);

/* What stands before a number for its sign. */
const char *conversion_sign(const struct conversion *c, int negative);

#endif

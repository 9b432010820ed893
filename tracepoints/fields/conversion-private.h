/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Helpers that conversion.c and conversion-double.c share.
 */
#ifndef TRACEPOINTS_FIELDS_CONVERSION_PRIVATE_H
#define TRACEPOINTS_FIELDS_CONVERSION_PRIVATE_H

#include "tracepoints/fields/conversion.h"

/* Adds c n times, or until the text is full. */
void conversion_repeat(struct text *text, char c, int64_t n);

/*
 * Begins a conversion of `length` characters after `head`: pads on the left
 * with blanks before the head, or with zeros after it. Returns how many blanks
 * the caller must add after the conversion.
 */
int64_t conversion_open(struct text *text, const struct conversion *c,
			const char *head, int64_t length, int zeros);

/* Returns the text before a number that shows its sign. */
const char *conversion_sign(const struct conversion *c, int negative);

#endif

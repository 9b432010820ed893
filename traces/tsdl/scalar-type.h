/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scalars in CTF metadata.
 */
#ifndef TRACES_TSDL_SCALAR_TYPE_H
#define TRACES_TSDL_SCALAR_TYPE_H

#include <stdint.h>
#include <stdio.h>

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

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scalars in CTF metadata; see scalar-type.h.
 */
#include "traces/tsdl/scalar-type.h"

#include "base/base.h"
#include "tracepoints/fields/scalar.h"

static const struct scalar scalars[] = {
#define FIELD_SCALAR(name, number, sort, bytes, c, word, exponent, base, ...) \
	[number] = { bytes, SCALAR_##sort == SCALAR_SIGNED ||		      \
			    SCALAR_##sort == SCALAR_REAL, exponent, base },
#include "tracepoints/fields/fields.def"
};

const struct scalar *scalar_of(uint8_t type)
{
	uint8_t index = type & TAFFRAIL_T_SCALAR_MASK;

	if (index >= ARRAY_SIZE(scalars) || !scalars[index].bytes)
		return NULL;
	return &scalars[index];
}

void scalar_put_type(FILE *out, const struct scalar *scalar, int base)
{
	if (scalar->exponent)
		fprintf(out, "floating_point { exp_dig = %d; mant_dig = %d; "
			     "align = 8; }",
			scalar->exponent,
			scalar->bytes * 8 - scalar->exponent);
	else
		fprintf(out, "integer { size = %d; align = 8; signed = %d; "
			     "encoding = none; base = %d; }",
			scalar->bytes * 8, scalar->is_signed,
			scalar->base == 16 || !base ? scalar->base : base);
}

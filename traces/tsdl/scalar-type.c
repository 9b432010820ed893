/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scalars in CTF metadata; see scalar-type.h.
 */
#include "traces/tsdl/scalar-type.h"

#include "base/base.h"
#include "taffrail/site.h"

static const struct scalar scalars[] = {
	[TAFFRAIL_T_S8]	  = { 1, 1, 0, 10 },
	[TAFFRAIL_T_U8]	  = { 1, 0, 0, 10 },
	[TAFFRAIL_T_S16]  = { 2, 1, 0, 10 },
	[TAFFRAIL_T_U16]  = { 2, 0, 0, 10 },
	[TAFFRAIL_T_S32]  = { 4, 1, 0, 10 },
	[TAFFRAIL_T_U32]  = { 4, 0, 0, 10 },
	[TAFFRAIL_T_S64]  = { 8, 1, 0, 10 },
	[TAFFRAIL_T_U64]  = { 8, 0, 0, 10 },
	[TAFFRAIL_T_F32]  = { 4, 1, 8, 10 },
	[TAFFRAIL_T_F64]  = { 8, 1, 11, 10 },
	[TAFFRAIL_T_PTR]  = { 8, 0, 0, 16 },
	[TAFFRAIL_T_BOOL] = { 1, 0, 0, 10 },
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

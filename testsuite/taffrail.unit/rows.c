/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The headers for programs know each scalar type by its row in
 * tracepoints/fields/fields.def: its number, its size, its sort, and the type
 * of C and C++ that it stands for. It compiles, or says what is wrong.
 */
#include <stdbool.h>
#include <taffrail/marker.h>

#ifdef __cplusplus
#define IS(condition, text)	static_assert(condition, text)
#define KIND(C)			taffrail_::field_<C>::kind_
#else
#define IS(condition, text)	_Static_assert(condition, text)
#define KIND(C)			TAFFRAIL_KIND_OF_(TAFFRAIL_TYPE_OF_((C)0))
#endif

enum { SIGNED = 1, UNSIGNED = 0, REAL = 0, ADDRESS = 0, TRUTH = 0 };

#define FIELD_SCALAR(NAME, NUMBER, SORT, BYTES, C, ...)			\
	IS(TAFFRAIL_T_##NAME == NUMBER, #NAME " has another number");	\
	IS(NUMBER < TAFFRAIL_T_SCALAR_MASK, #NAME " is no scalar");	\
	IS(sizeof(C) == BYTES, #NAME " has another size");		\
	IS(KIND(C) == NUMBER, #C " is another type");
#include "fields.def"

#ifndef __cplusplus
#define FIELD_SCALAR(NAME, NUMBER, SORT, ...)				\
	IS(!!TAFFRAIL_SIGNED_KIND_(NUMBER) == SORT, #NAME "'s sign");
#include "fields.def"
#elif __cplusplus >= 201703L
#define FIELD_SCALAR(NAME, NUMBER, ...)					\
	IS(*taffrail_::option_word_(NUMBER), #NAME " has no word");
#include "fields.def"
#endif

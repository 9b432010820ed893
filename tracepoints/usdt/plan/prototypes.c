/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds prototypes of libc's functions; see prototypes.h.
 */
#include "tracepoints/usdt/plan/prototypes.h"

#include <stddef.h>

#include "base/base.h"
#include "base/text.h"

#define HEX(n)	{ (n), TAFFRAIL_HOW_HEX, 0, 0 }
#define OCT(n)	{ (n), TAFFRAIL_HOW_OCT, 0, 0 }
#define PROTOTYPE(name, result, arguments, fields, ...) \
	{ #name, result, arguments, fields "cfa", { __VA_ARGS__ } },

/* Letters, each with a type. */
static const char letters[] = {
	's', TAFFRAIL_T_STRING, 'p', TAFFRAIL_T_PTR, 'd', TAFFRAIL_T_S32,
	'u', TAFFRAIL_T_U32, 'l', TAFFRAIL_T_S64, 'z', TAFFRAIL_T_U64,
	'c', TAFFRAIL_T_S8, 'C', TAFFRAIL_T_U8, 'h', TAFFRAIL_T_S16,
	'H', TAFFRAIL_T_U16, 'b', TAFFRAIL_T_BOOL, 'f', TAFFRAIL_T_F32,
	'F', TAFFRAIL_T_F64, 0
};

static const struct usdt_prototype rows[] = {
#include "tracepoints/usdt/plan/prototypes.def"
};

/* Returns the name without the prefixes of names that libc uses itself for the
 * same function. */
static const char *plain_name(const char *symbol)
{
	static const char before[] = "_\0libc_\0GI_\0IO_\0";
	const char *p = before, *rest;

	while (*p) {
		rest = text_after(symbol, p);
		p = rest ? before : p + text_length(p) + 1;
		symbol = rest ? rest : symbol;
	}
	return symbol;
}

const struct usdt_prototype *usdt_prototype_find(const char *symbol)
{
	const char *name = plain_name(symbol), *rest;

	for (uint32_t i = 0; i < ARRAY_SIZE(rows); i++) {
		rest = text_after(name, rows[i].name);
		if (rest && (!*rest || text_equal(rest, "64")))
			return &rows[i];
	}
	return NULL;
}

uint8_t usdt_prototype_type(char letter)
{
	const char *p = letters;

	while (*p && *p != letter)
		p += 2;
	return *p ? (uint8_t)p[1] : TAFFRAIL_T_S64;
}

char usdt_prototype_letter(uint8_t type)
{
	const char *p = letters;

	while (*p && (uint8_t)p[1] != type)
		p += 2;
	return *p;
}

uint32_t usdt_prototype_shown(const struct usdt_prototype *prototype)
{
	return !!prototype->shown[0].field_ + !!prototype->shown[1].field_;
}

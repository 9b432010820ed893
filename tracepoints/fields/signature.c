/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The types and names of a marker's fields in words; see fields.h.
 */
#include "taffrail/site.h"
#include "tracepoints/fields/fields.h"

/* No pointers: each would take a relocation. */
static const char scalar_words[TAFFRAIL_T_SCALAR_MASK + 1][8] = {
#define FIELD_SCALAR(name, number, sort, bytes, c, word, ...) [number] = word,
#include "tracepoints/fields/fields.def"
};

void field_type_add(struct text *text, uint8_t type)
{
	const char *scalar = scalar_words[type & TAFFRAIL_T_SCALAR_MASK];

	if (type == TAFFRAIL_T_STRING) {
		text_add(text, "string");
		return;
	}
	text_add(text, *scalar ? scalar : "unknown");
	if (type & (TAFFRAIL_T_SEQUENCE | TAFFRAIL_T_ARRAY))
		text_add(text, "[]");
}

void fields_signature_add(struct text *out, const char *text, int kind,
			  int nfields, const uint8_t *types)
{
	struct field_name names[TAFFRAIL_FIELDS_MAX];

	if (kind == TAFFRAIL_KIND_MARK) {
		text_add(out, text);
		return;
	}
	if (fields_parse(text, kind, nfields, names))
		return;
	for (int i = 0; i < nfields; i++) {
		if (i)
			text_add(out, ", ");
		field_type_add(out, types[i]);
		text_add_char(out, ' ');
		text_add(out, names[i].name);
	}
}

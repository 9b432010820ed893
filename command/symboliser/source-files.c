/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The names of source files in the heads of line tables: the symboliser's
 * child. Facts: DWARF 5, 6.2.4, "The Line Number Program Header"; DWARF 4, the
 * same.
 *
 * libdw decodes a whole table before it tells a name (up to 0.190). The tables
 * of a large program have millions of rows, of which a rule needs those of one
 * unit.
 */
#include "command/symboliser/dwarf-private.h"

#include <dwarf.h>
#include <string.h>

/* The bytes that are left. */
struct cursor {
	const uint8_t *p, *end;
	uint32_t offset_bytes;		/* of an offset: 4 or 8 */
	bool bad;			/* they make no sense */
};

static uint64_t number_take(struct cursor *c, uint32_t bytes)
{
	uint64_t number = 0;

	if (c->bad || (size_t)(c->end - c->p) < bytes) {
		c->bad = true;
		return 0;
	}
	memcpy(&number, c->p, bytes < 8 ? bytes : 8);
	c->p += bytes;
	return number;
}

static uint64_t leb_take(struct cursor *c)
{
	uint64_t number = 0;
	uint8_t byte;
	uint32_t shift = 0;

	do {
		byte = (uint8_t)number_take(c, 1);
		number |= shift < 64 ? (uint64_t)(byte & 127) << shift : 0;
		shift += 7;
	} while (byte & 128);
	return number;
}

static const char *text_take(struct cursor *c)
{
	const char *text = (const char *)c->p;
	const uint8_t *end = c->bad ? NULL :
			     memchr(c->p, 0, (size_t)(c->end - c->p));

	c->bad = !end;
	c->p = end ? end + 1 : c->p;
	return end ? text : "";
}

/* Returns the text at an offset in a section. */
static const char *section_text(struct cursor *c, const Elf_Data *data)
{
	struct cursor at = { .bad = !data || !data->d_buf };
	uint64_t offset = number_take(c, c->offset_bytes);

	if (c->bad || at.bad || offset >= data->d_size) {
		c->bad = true;
		return "";
	}
	at.p = (const uint8_t *)data->d_buf + offset;
	at.end = (const uint8_t *)data->d_buf + data->d_size;
	return text_take(&at);
}

/* Takes a value of an entry; returns its text, if it is one, or "". */
static const char *form_take(struct cursor *c, uint64_t form,
			     const struct symboliser_dwarf *d)
{
	switch (form) {
	case DW_FORM_string:
		return text_take(c);
	case DW_FORM_line_strp:
		return section_text(c, d->line_texts);
	case DW_FORM_strp:
		return section_text(c, d->texts);
	case DW_FORM_udata:
		leb_take(c);
		break;
	case DW_FORM_block:
		number_take(c, (uint32_t)leb_take(c));
		break;
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
		number_take(c, form == DW_FORM_data1 ? 1 :
			       form == DW_FORM_data2 ? 2 :
			       form == DW_FORM_data4 ? 4 : 8);
		break;
	case DW_FORM_data16:
		number_take(c, 16);
		break;
	default:
		c->bad = true;
	}
	return "";
}

/* Reads folders, or files, of DWARF 5. */
static bool entries_read(struct cursor *c, const struct symboliser_dwarf *d,
			 symboliser_source *is_wanted, const void *priv)
{
	uint64_t formats[2 * UINT8_MAX], count;
	uint32_t n = 2 * (uint32_t)number_take(c, 1);
	const char *text;

	for (uint32_t i = 0; i < n; i++)
		formats[i] = leb_take(c);
	count = leb_take(c);
	for (uint64_t i = 0; n && i < count && !c->bad; i++)
		for (uint32_t k = 0; k < n; k += 2) {
			text = form_take(c, formats[k + 1], d);
			if (is_wanted && formats[k] == DW_LNCT_path &&
			    is_wanted(text, priv))
				return true;
		}
	return c->bad;
}

bool symboliser_unit_has(const struct symboliser_dwarf *d, Dwarf_Die *unit,
			 symboliser_source *is_wanted, const void *priv)
{
	Dwarf_Attribute attr;
	struct cursor c = { .offset_bytes = 4 };
	Dwarf_Word offset;
	uint64_t version;

	if (!d->lines || !d->lines->d_buf ||
	    dw.formudata(dw.attr(unit, DW_AT_stmt_list, &attr), &offset) ||
	    offset >= d->lines->d_size)
		return true;
	c.p = (const uint8_t *)d->lines->d_buf + offset;
	c.end = (const uint8_t *)d->lines->d_buf + d->lines->d_size;
	if (number_take(&c, 4) == UINT32_MAX) {
		c.offset_bytes = 8;
		number_take(&c, 8);
	}
	version = number_take(&c, 2);
	if (version < 2 || version > 5)
		return true;
	/* sizes of addresses and segments, and of the head */
	number_take(&c, (version == 5 ? 2 : 0) + c.offset_bytes);
	/* lengths of instructions, operations, is_stmt, base, range */
	number_take(&c, version >= 4 ? 5 : 4);
	number_take(&c, (uint32_t)number_take(&c, 1) - 1);
	if (version == 5)
		return entries_read(&c, d, NULL, NULL) ||
		       entries_read(&c, d, is_wanted, priv);
	while (*text_take(&c))
		continue;
	for (const char *name; !c.bad && *(name = text_take(&c));) {
		if (is_wanted(name, priv))
			return true;
		for (int i = 0; i < 3; i++)
			leb_take(&c);
	}
	return c.bad;
}

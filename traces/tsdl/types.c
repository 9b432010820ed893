/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scalars and enumerations in CTF metadata. Facts: CTF specification 1.8.3,
 * 4.1. babeltrace2 2.0 refuses a value that the integer cannot have (4.1.8).
 *
 * Invariant: an enumeration is written whole or not at all, and no label of it
 * twice.
 */
#include "traces/tsdl/tsdl.h"

#include <string.h>

#include "base/base.h"
#include "taffrail/site.h"
#include "tracepoints/fields/errors.h"
#include "tracepoints/fields/scalar.h"

#define NAMES_MAX	1024
#define NAME_BYTES	128		/* of a name, with the NUL; cut */

/* The scalars, by their enum taffrail_type. A row without bytes is none. */
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

void element_put_type(FILE *out, const struct scalar *element,
		      const struct shown_bytes *shown, uint32_t field, int base)
{
	bool text = element->bytes == 1 &&
		    shown_says(shown, field, TAFFRAIL_HOW_CHARS);
	bool big = element->bytes > 1 && !element->exponent &&
		   shown_says(shown, field, TAFFRAIL_HOW_BIG_ENDIAN);
	int said = shown_base(shown, field);

	if (said)
		base = said;
	if (!text && !big)
		scalar_put_type(out, element, base);
	else
		fprintf(out, "integer { size = %d; align = 8; signed = %d; "
			     "encoding = %s; base = %d;%s }",
			element->bytes * 8, element->is_signed,
			text ? "UTF8" : "none", base,
			big ? " byte_order = be;" : "");
}

void metadata_escape(FILE *out, const char *text)
{
	const unsigned char *p;

	for (p = (const unsigned char *)text; *p; p++) {
		if (*p == '"' || *p == '\\')
			fprintf(out, "\\%c", *p);
		else if (*p < 0x20 || *p == 0x7f)
			fprintf(out, "\\%03o", *p);
		else
			putc(*p, out);
	}
}

/* An integer, and the names that are written so far. It is large, and stands on
 * the stack of one function only. */
struct enumeration {
	FILE *out;
	int bits;
	bool is_signed;
	int n;
	char names[NAMES_MAX][NAME_BYTES];
};

/* The values that the integer can have, in 64 bits. */
static int64_t least_of(const struct enumeration *e)
{
	return e->is_signed ? INT64_MIN >> (64 - e->bits) : 0;
}

static int64_t most_of(const struct enumeration *e)
{
	return (int64_t)(UINT64_MAX >> (64 - e->bits + e->is_signed));
}

/* Begins the type with the first name, and goes on with the others. */
static void begin_name(struct enumeration *e)
{
	if (!e->n++)
		fprintf(e->out, "enum : integer { size = %d; align = 8; "
				"signed = %d; } { ", e->bits, e->is_signed);
	else
		fputs(", ", e->out);
	putc('"', e->out);
}

/* Writes a name and the values from one to another that the integer can have,
 * if there are any. A name may come several times. */
static void put_range(struct enumeration *e, const struct shown_name *shown)
{
	const char *format = e->is_signed ? "%lld" : "%llu";
	int64_t from = shown->value, to = shown->to;

	/* in 64 bits without a sign, each value is one of the integer's */
	if (e->bits < 64 || e->is_signed) {
		from = from > least_of(e) ? from : least_of(e);
		to = to < most_of(e) ? to : most_of(e);
	}
	if (e->is_signed || e->bits < 64 ? from > to :
					   (uint64_t)from > (uint64_t)to)
		return;
	begin_name(e);
	metadata_escape(e->out, shown->start);	/* up to the NUL */
	fputs("\" = ", e->out);
	fprintf(e->out, format, (long long)from);
	if (from == to)
		return;
	fputs(" ... ", e->out);
	fprintf(e->out, format, (long long)to);
}

/* Writes a name and the value, unless the name is there or the integer cannot
 * have the value: babeltrace2 refuses both. */
static void put_name(struct enumeration *e, const struct shown_name *shown)
{
	size_t bytes = (size_t)(shown->end - shown->start);
	char *name;

	if (e->n == NAMES_MAX ||
	    (e->bits < 64 && (shown->value > most_of(e) ||
			      shown->value < least_of(e))))
		return;
	name = e->names[e->n];
	if (bytes >= NAME_BYTES)
		bytes = NAME_BYTES - 1;
	memcpy(name, shown->start, bytes);
	name[bytes] = '\0';
	for (int i = 0; i < e->n; i++)
		if (!strcmp(e->names[i], name))
			return;
	begin_name(e);
	metadata_escape(e->out, name);
	fprintf(e->out, e->is_signed ? "\" = %lld" : "\" = %llu",
		(long long)shown->value);
}

bool metadata_enumeration(FILE *out, const struct shown_field *field, int bits,
			  bool is_signed)
{
	static const char words[] = "falsetrue";
	static const struct shown_name truth[] = {
		{ 0, words, words + 5, 0 }, { 1, words + 5, words + 9, 1 },
	};
	struct enumeration e = { .out = out, .bits = bits,
				 .is_signed = is_signed };
	struct shown_field rest = *field;
	struct shown_name name;
	char text[32];
	int n;

	switch (field->how) {
	case TAFFRAIL_HOW_BOOL:
		put_name(&e, &truth[0]);
		put_name(&e, &truth[1]);
		break;
	case TAFFRAIL_HOW_ERRNO:
		/* a function of the kernel, or one that follows the kernel,
		 * returns -ENOENT */
		for (int i = 1; i <= ERROR_MAX; i++) {
			if (!*error_word((uint64_t)i))
				continue;
			n = snprintf(text, sizeof(text), "-E%s",
				     error_word((uint64_t)i));
			name = (struct shown_name){ i, text + 1, text + n, i };
			put_name(&e, &name);
			name = (struct shown_name){ -i, text, text + n, -i };
			put_name(&e, &name);
		}
		break;
	case TAFFRAIL_HOW_ENUM:
		while (shown_next(&rest, &name))
			put_name(&e, &name);
		break;
	case TAFFRAIL_HOW_RANGES:
		while (shown_next(&rest, &name))
			put_range(&e, &name);
		break;
	}
	if (e.n)
		fputs(" }", out);
	return e.n;
}

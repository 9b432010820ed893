/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of fields as text.
 */
#include "traces/text/event-text.h"

#include "traces/text/clean.h"
#include "traces/text/number.h"
#include "traces/text/private.h"

/* What stands behind the backslash; 'x': two digits. */
static const char escapes[256] = {
	'0', 'x', 'x', 'x', 'x', 'x', 'x', 'a', 'b', 't', 'n', 'v', 'f', 'r',
	[14 ... 26] = 'x', ['\033'] = 'e', [28 ... 31] = 'x', [127] = 'x',
	['\\'] = '\\', ['\''] = '\'', ['"'] = '"', ['?'] = '?',
};

#define ESCAPED_BYTES	4		/* the most that one byte becomes */

static char *put_hex(char *p, unsigned char c)
{
	static const char digits[] = "0123456789abcdef";

	*p++ = '\\';
	*p++ = 'x';
	*p++ = digits[c >> 4];
	*p++ = digits[c & 15];
	return p;
}

static char *put_escaped(char *p, unsigned char c)
{
	if (escapes[c] == 'x')
		return put_hex(p, c);
	*p++ = '\\';
	*p++ = escapes[c];
	return p;
}

/* Returns how many bytes the character has that begins there, if a terminal can
 * show it; 0: it is a C1 control, or no UTF-8. */
static size_t shown_bytes(const char *at, size_t n)
{
	unsigned char c[5] = { 0 };

	memcpy(c, at, n < 4 ? n : 4);
	return c[0] == 0xc2 && c[1] < 0xa0 ? 0 : (size_t)character_bytes(c);
}

/* Writes what babeltrace2 leaves as it is, bytes from 0x80 on: for a terminal,
 * controls among them as other controls. Returns how many bytes it was. */
static size_t put_high(struct out *out, const char *at, size_t n)
{
	size_t bytes = shown_bytes(at, n);

	out_room(out, ESCAPED_BYTES);
	if (bytes)
		out->p = mempcpy(out->p, at, bytes);
	else
		out->p = put_hex(out->p, (unsigned char)*at);
	return bytes ? bytes : 1;
}

/* Does as string_text_put() and string_text_inside() for a terminal. */
static void put_shown(struct out *out, const char *at, size_t n,
		      const char *plain)
{
	size_t bytes;

	for (; n; n -= bytes, at += bytes) {
		unsigned char c = (unsigned char)*at;

		bytes = 1;
		out_room(out, ESCAPED_BYTES);
		if (c >= 0x80)
			bytes = put_high(out, at, n);
		else if (escapes[c] && (!c || !strchr(plain, c)))
			out->p = put_escaped(out->p, c);
		else
			*out->p++ = (char)c;
	}
}

/* Does as string_text_put(), without the quotes. */
static void put_bytes(struct out *out, const char *at, size_t n)
{
	while (n) {
		size_t part = n < OUT_PIECE_BYTES / 8 ? n : OUT_PIECE_BYTES / 8;
		char *p;

		out_room(out, part * ESCAPED_BYTES + 1);
		n -= part;
		for (p = out->p; part; part--, at++) {
			if (escapes[(unsigned char)*at])
				p = put_escaped(p, (unsigned char)*at);
			else
				*p++ = *at;
		}
		out->p = p;
	}
}

void string_text_put(struct out *out, const char *at, size_t n)
{
	out_char(out, '"');
	if (out->terminal)
		put_shown(out, at, n, "");
	else
		put_bytes(out, at, n);
	out_char(out, '"');
}

void string_text_inside(struct out *out, const char *at, size_t n)
{
	static const char plain[] = "\\'\"?";

	if (out->terminal) {
		put_shown(out, at, n, plain);
		return;
	}
	for (; n; n--, at++) {
		out_room(out, ESCAPED_BYTES);
		if (escapes[(unsigned char)*at] && !strchr(plain, *at))
			out->p = put_escaped(out->p, (unsigned char)*at);
		else
			*out->p++ = *at;
	}
}

void field_text_number(struct out *out, const struct field_class *class,
		       uint64_t value)
{
	unsigned int bits = class->bits ? class->bits : class->bytes * 8u;
	char *p;
	int bit;

	out_room(out, 80);
	p = out->p;
	switch (class->base) {
	case 16:
		*p++ = '0';
		*p++ = 'x';
		if (bits <= 60)
			value &= (1ull << (bits + 3) / 4 * 4) - 1;
		p = number_base(p, value, 4);
		break;
	case 8:
		*p++ = '0';
		if (class->is_signed && bits < 64)
			value &= (1ull << ((bits - 1) / 3 + 1) * 3) - 1;
		p = number_base(p, value, 3);
		break;
	case 2:
		*p++ = '0';
		*p++ = 'b';
		for (bit = (int)bits - 1; bit >= 0; bit--)
			*p++ = value >> bit & 1 ? '1' : '0';
		break;
	default:
		p = class->is_signed ? number_s64(p, (int64_t)value) :
				       number_u64(p, value);
	}
	out->p = p;
}

static void put_enum(struct out *out, const struct field_class *class,
		     uint64_t value, bool color)
{
	const struct field_label *label = NULL;
	const char *found = NULL;

	out_text(out, "( ");
	while ((label = field_label_next(class, label, value))) {
		const char *name = label->name;

		/* several ranges can have one label */
		if (name == found)
			continue;
		if (found)
			out_text(out, ", ");
		found = name;
		put_color(out, color, COLOR_BOLD);
		string_text_put(out, name, strlen(name));
		put_color(out, color, COLOR_NONE);
	}
	if (!found) {
		put_color(out, color, COLOR_BOLD COLOR_RED);
		out_text(out, "<unknown>");
		put_color(out, color, COLOR_NONE);
	}
	out_text(out, " : container = ");
	put_color(out, color, COLOR_BOLD);
	field_text_number(out, class, value);
	put_color(out, color, COLOR_NONE);
	out_text(out, " )");
}

static const uint8_t *put_members(struct out *out,
				  const struct field_class *class,
				  const uint8_t *at, const uint8_t *end,
				  bool color)
{
	out_char(out, '{');
	for (size_t i = 0; i < class->nmembers; i++) {
		const struct field_class *member = &class->members[i];
		int64_t bytes = field_bytes(member, at, end);

		if (bytes < 0)
			break;
		out_text(out, i ? ", " : " ");
		put_color(out, color, COLOR_CYAN);
		out_text(out, member->name);
		put_color(out, color, COLOR_NONE);
		out_text(out, " = ");
		field_text_put(out, member, at, at + bytes, color);
		at += bytes;
	}
	out_text(out, " }");
	return at;
}

static void put_elements(struct out *out, const struct field_class *class,
			 uint64_t n, const uint8_t *at, const uint8_t *end,
			 bool color)
{
	const struct field_class *element = &class->members[0];

	out_char(out, '[');
	for (uint64_t i = 0; i < n; i++) {
		int64_t bytes = field_bytes(element, at, end);

		if (bytes < 0)
			break;
		out_room(out, 64);
		memcpy(out->p, i ? ", [" : " [", 3);
		out->p = number_u64(out->p + (i ? 3 : 2), i);
		memcpy(out->p, "] = ", 4);
		out->p += 4;
		field_text_put(out, element, at, at + bytes, color);
		at += bytes;
	}
	out_text(out, " ]");
}

static void put_real(struct out *out, const struct field_class *class,
		     const uint8_t *at)
{
	out_room(out, NUMBER_REAL_BYTES);
	out->p = number_real(out->p, field_real(class, at));
}

void field_text_put(struct out *out, const struct field_class *class,
		    const uint8_t *at, const uint8_t *end, bool color)
{
	const char *text = (const char *)at;
	bool leaf = class->kind == FIELD_INTEGER || class->kind == FIELD_REAL ||
		    class->kind == FIELD_STRING || class->kind == FIELD_TEXT;

	if (leaf)
		put_color(out, color, COLOR_BOLD);
	switch (class->kind) {
	case FIELD_INTEGER:
		field_text_number(out, class, field_integer(class, at));
		break;
	case FIELD_REAL:
		put_real(out, class, at);
		break;
	case FIELD_ENUM:
		put_enum(out, class, field_integer(class, at), color);
		break;
	case FIELD_STRING:
		string_text_put(out, text, (size_t)(end - at) - 1);
		break;
	case FIELD_TEXT:
		string_text_put(out, text, strnlen(text, field_text_bytes(
								class, at)));
		break;
	case FIELD_ARRAY:
		put_elements(out, class, class->count, at, end, color);
		break;
	case FIELD_SEQUENCE:
		put_elements(out, class, field_length(at), at, end, color);
		break;
	case FIELD_STRUCT:
		put_members(out, class, at, end, color);
		break;
	case FIELD_LIST:
		at += sizeof(uint32_t);
		put_elements(out, class, field_length(at), at, end, color);
		break;
	case FIELD_VARIANT:
		class = field_option(class, &at);
		out_text(out, "{ ");
		field_text_put(out, class, at, end, color);
		out_text(out, " }");
		break;
	}
	if (leaf)
		put_color(out, color, COLOR_NONE);
}

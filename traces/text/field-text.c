/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of fields as text, as babeltrace2 writes them, and as people want to
 * read them.
 *
 * Invariant: a string stands between double quotes in which none is bare, and
 * no byte of it is a control character that reaches the output.
 */
#include "traces/text/event-text.h"

#include "base/text.h"
#include "traces/read/visit.h"
#include "traces/text/characters.h"
#include "traces/text/number.h"
#include "traces/text/private.h"

/* The character behind the backslash; 'x': two digits. */
static const char escapes[256] = {
	'0', 'x', 'x', 'x', 'x', 'x', 'x', 'a', 'b', 't', 'n', 'v', 'f', 'r',
	[14 ... 26] = 'x', ['\033'] = 'e', [28 ... 31] = 'x', [127] = 'x',
	['\\'] = '\\', ['\''] = '\'', ['"'] = '"', ['?'] = '?',
};

#define ESCAPED_BYTES	4		/* the most that one byte becomes */

/* Writes a byte as \xNN, and returns the end. */
static char *put_hex(char *p, unsigned char c)
{
	static const char digits[] = "0123456789abcdef";

	*p++ = '\\';
	*p++ = 'x';
	*p++ = digits[c >> 4];
	*p++ = digits[c & 15];
	return p;
}

/* Writes a byte that has an escape, and returns the end. */
static char *put_escaped(char *p, unsigned char c)
{
	if (escapes[c] == 'x')
		return put_hex(p, c);
	*p++ = '\\';
	*p++ = escapes[c];
	return p;
}

/* Does as string_text_put() and string_text_inside() for a terminal: of the
 * bytes from 0x80 on, which babeltrace2 leaves as they are, those of controls
 * and those that are not UTF-8 are escaped. */
static void put_shown(struct out *out, const char *at, size_t n,
		      const char *plain)
{
	size_t bytes;

	for (; n; n -= bytes, at += bytes) {
		const unsigned char *c = (const unsigned char *)at;

		bytes = *c < 0x80 ? 1 : utf8_bytes(c, n);
		out_room(out, ESCAPED_BYTES);
		if (!bytes || (*c >= 0x80 && utf8_is_control(c))) {
			out->p = put_hex(out->p, *c);
			bytes = 1;
		} else if (*c < 0x80 && escapes[*c] &&
			   (!*c || !strchr(plain, *c))) {
			out->p = put_escaped(out->p, *c);
		} else {
			out->p = mempcpy(out->p, at, bytes);
		}
	}
}

/* Writes a string in double quotes. The characters of `plain` stay. */
static void put_quoted(struct out *out, const char *at, size_t n,
		       const char *plain)
{
	char *p;

	out_char(out, '"');
	if (out->terminal) {
		put_shown(out, at, n, plain);
		n = 0;
	}
	/* in pieces that have room though each byte becomes four */
	while (n) {
		size_t part = n < OUT_PIECE_BYTES / 8 ? n : OUT_PIECE_BYTES / 8;

		out_room(out, part * ESCAPED_BYTES + 1);
		n -= part;
		for (p = out->p; part; part--, at++) {
			if (escapes[(unsigned char)*at] &&
			    (!*at || !strchr(plain, *at)))
				p = put_escaped(p, (unsigned char)*at);
			else
				*p++ = *at;
		}
		out->p = p;
	}
	out_char(out, '"');
}

void string_text_put(struct out *out, const char *at, size_t n)
{
	put_quoted(out, at, n, "'?");
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

	out_room(out, 80);
	p = out->p;
	switch (class->base) {
	case 16:
		*p++ = '0';
		*p++ = 'x';
		/* of a negative number, the digits that the field's bits have
		 */
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
		for (int bit = (int)bits - 1; bit >= 0; bit--)
			*p++ = value >> bit & 1 ? '1' : '0';
		break;
	default:
		p = class->is_signed ? number_s64(p, (int64_t)value) :
				       number_u64(p, value);
	}
	out->p = p;
}

/* Where a value goes. */
struct target {
	struct out *out;
	bool color;
	bool plain;			/* for people */
};

/* Writes an integer or a number of floating point. */
static const uint8_t *put_number(void *to, const struct field_class *class,
				 const uint8_t *at)
{
	const struct target *target = to;
	struct out *out = target->out;

	put_color(out, target->color, COLOR_BOLD);
	if (class->kind == FIELD_REAL) {
		out_room(out, NUMBER_REAL_BYTES);
		out->p = number_real(out->p, field_real(class, at));
	} else if (!target->plain || !class->unit ||
		   !unit_text_put(out, class, field_integer(class, at))) {
		field_text_number(out, class, field_integer(class, at));
	}
	put_color(out, target->color, COLOR_NONE);
	return at + class->bytes;
}

/* Writes a string of n bytes, which has no NUL among them. */
static void put_string(const struct target *target, const uint8_t *at, size_t n)
{
	put_color(target->out, target->color, COLOR_BOLD);
	put_quoted(target->out, (const char *)at, n, target->plain ? "'?" : "");
	put_color(target->out, target->color, COLOR_NONE);
}

/* Writes an enumeration as babeltrace2 does: all labels of the value, and the
 * value. */
static const uint8_t *put_named(void *to, const struct field_class *class,
				const uint8_t *at)
{
	const struct target *target = to;
	struct out *out = target->out;
	uint64_t value = field_integer(class, at);
	const struct field_label *label = NULL;
	const char *found = NULL;

	out_text(out, "( ");
	while ((label = field_label_next(class, label, value))) {
		if (found)
			out_text(out, ", ");
		found = label->name;
		put_string(target, (const uint8_t *)found, strlen(found));
	}
	if (!found) {
		put_color(out, target->color, COLOR_BOLD COLOR_RED);
		out_text(out, "<unknown>");
		put_color(out, target->color, COLOR_NONE);
	}
	out_text(out, " : container = ");
	put_color(out, target->color, COLOR_BOLD);
	field_text_number(out, class, value);
	put_color(out, target->color, COLOR_NONE);
	out_text(out, " )");
	return at + class->bytes;
}

/* Returns whether a name is one word of letters, digits and _, or several with
 * colons and such between them, such as -EINTR: no number, and nothing that
 * ends a value. */
static bool is_word(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	size_t n = *name == '-';

	if (!name[n] || !strchr(letters, name[n]))
		return false;
	while (name[n]) {
		n += strspn(name + n, letters);
		n += strspn(name + n, "0123456789:.+-");
		if (name[n] && !strchr(letters, name[n]))
			return false;
	}
	return true;
}

/* Writes an enumeration for people: the name, several with bars between them,
 * or the value that has none. Names that are no words stand in quotes. */
static const uint8_t *put_name(void *to, const struct field_class *class,
			       const uint8_t *at)
{
	const struct target *target = to;
	struct out *out = target->out;
	uint64_t value = field_integer(class, at);
	const struct field_label *label = NULL;
	const char *found = NULL;

	put_color(out, target->color, COLOR_BOLD);
	while ((label = field_label_next(class, label, value))) {
		if (found)
			out_char(out, '|');
		found = label->name;
		if (is_word(found))
			out_text(out, found);
		else
			put_quoted(out, found, strlen(found), "'?");
	}
	if (!found)
		field_text_number(out, class, value);
	put_color(out, target->color, COLOR_NONE);
	return at + class->bytes;
}

/* Writes a string, or a text up to the first NUL. */
static const uint8_t *put_characters(void *to, const struct field_class *class,
				     const uint8_t *at)
{
	size_t n;
	const uint8_t *behind = field_characters(class, at, &n);

	put_string(to, at, n);
	return behind;
}

/* Writes the bracket before the parts. The blank behind it comes with the first
 * member or element; a variant has neither, and for people no bracket. */
static void begin_parts(void *to, const struct field_class *whole)
{
	const struct target *target = to;

	if (target->plain && whole->kind == FIELD_VARIANT)
		return;
	out_text(target->out, whole->kind == FIELD_STRUCT ? "{" :
			      whole->kind == FIELD_VARIANT ? "{ " : "[");
}

/* Writes the name before a member. Returns 0, as nothing is kept of it. */
static size_t begin_member(void *to, const struct field_class *class,
			   uint64_t i)
{
	const struct target *target = to;
	struct out *out = target->out;

	out_text(out, i ? ", " : target->plain ? "" : " ");
	put_color(out, target->color, COLOR_CYAN);
	out_text(out, class->name);
	put_color(out, target->color, COLOR_NONE);
	out_text(out, " = ");
	return 0;
}

/* Writes the index before an element. Returns 0, as nothing is kept of it. */
static size_t begin_element(void *to, uint64_t i)
{
	struct out *out = ((const struct target *)to)->out;

	out_room(out, 64);
	memcpy(out->p, i ? ", [" : " [", 3);
	out->p = number_u64(out->p + (i ? 3 : 2), i);
	memcpy(out->p, "] = ", 4);
	out->p += 4;
	return 0;
}

/* Writes what stands before an element, for people. */
static size_t begin_plain_element(void *to, uint64_t i)
{
	out_text(((const struct target *)to)->out, i ? ", " : "");
	return 0;
}

/* Writes the bracket behind the parts. */
static void end_parts(void *to, const struct field_class *whole)
{
	const struct target *target = to;

	if (target->plain && whole->kind == FIELD_VARIANT)
		return;
	if (!target->plain)
		out_char(target->out, ' ');
	out_char(target->out, whole->kind == FIELD_STRUCT ||
			      whole->kind == FIELD_VARIANT ? '}' : ']');
}

static field_put put_parts, put_plain_parts;

static const struct field_visitor visitor = {
	.put = {
		[FIELD_INTEGER] = put_number, [FIELD_REAL] = put_number,
		[FIELD_ENUM] = put_named, [FIELD_STRING] = put_characters,
		[FIELD_TEXT] = put_characters, [FIELD_PARTS] = put_parts,
	},
	.begin = begin_parts, .member = begin_member,
	.element = begin_element, .end = end_parts, .lengths = true,
};

static const struct field_visitor plain_visitor = {
	.put = {
		[FIELD_INTEGER] = put_number, [FIELD_REAL] = put_number,
		[FIELD_ENUM] = put_name, [FIELD_STRING] = put_characters,
		[FIELD_TEXT] = put_characters, [FIELD_PARTS] = put_plain_parts,
	},
	.begin = begin_parts, .member = begin_member,
	.element = begin_plain_element, .end = end_parts,
};

/* Writes a value that has parts, and the parts' own parts in them. */
static const uint8_t *put_parts(void *to, const struct field_class *class,
				const uint8_t *at)
{
	return field_visit(&visitor, to, class, at);
}

static const uint8_t *put_plain_parts(void *to, const struct field_class *class,
				      const uint8_t *at)
{
	return field_visit(&plain_visitor, to, class, at);
}

void field_text_plain(struct out *out, const struct field_class *class,
		      const uint8_t *at, const uint8_t *end, bool color)
{
	struct target target = { out, color, true };

	if (class->kind == FIELD_STRING)
		put_string(&target, at, (size_t)(end - at) - 1);
	else
		plain_visitor.put[class->kind](&target, class, at);
}

void field_text_put(struct out *out, const struct field_class *class,
		    const uint8_t *at, const uint8_t *end, bool color)
{
	struct target target = { out, color, false };

	/* quickly: where it ends is known */
	if (class->kind == FIELD_STRING)
		put_string(&target, at, (size_t)(end - at) - 1);
	else
		visitor.put[class->kind](&target, class, at);
}

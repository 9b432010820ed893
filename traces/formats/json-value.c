/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of fields as JSON.
 */
#include "traces/formats/json-value-private.h"

#include <math.h>

#include "traces/formats/utf8-private.h"
#include "traces/text/number.h"

#define PIECE_BYTES	(OUT_PIECE_BYTES / 8)
#define JOINED_BYTES	1024
#define ESCAPED_BYTES	6		/* the most that one byte becomes */

/* What a byte needs: 0 nothing, 'x' four digits, 'h' a look at UTF-8, or what
 * stands behind the backslash. */
static const char needs[256] = {
	[0 ... 7] = 'x', ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\v'] = 'x',
	['\f'] = 'f', ['\r'] = 'r', [14 ... 31] = 'x', ['"'] = '"',
	['\\'] = '\\',
	[127] = 'x', [128 ... 255] = 'h',
};

static char *put_code(char *p, const char *lead, uint8_t c)
{
	static const char digits[] = "0123456789abcdef";

	memcpy(p, lead, 4);
	p[4] = digits[c >> 4];
	p[5] = digits[c & 15];
	return p + 6;
}

/* Writes the character at `at` that is not itself, and sets *bytes to what it
 * takes. */
static char *put_escaped(char *p, const uint8_t *at, size_t n, size_t *bytes)
{
	char need = needs[*at];

	*bytes = 1;
	if (need == 'x')
		return put_code(p, "\\u00", *at);
	if (need != 'h') {
		p[0] = '\\';
		p[1] = need;
		return p + 2;
	}
	*bytes = utf8_bytes(at, n);
	if (!*bytes) {
		*bytes = 1;
		return put_code(p, "\\uef", *at);
	}
	memcpy(p, at, *bytes);
	return p + *bytes;
}

void json_put_string(struct out *out, const char *text, size_t n)
{
	const uint8_t *at = (const uint8_t *)text;
	const uint8_t *end = at + n;

	out_char(out, '"');
	while (at < end) {
		const uint8_t *stop = (size_t)(end - at) > PIECE_BYTES ?
				      at + PIECE_BYTES : end;
		char *p;

		out_room(out, PIECE_BYTES * ESCAPED_BYTES);
		p = out->p;
		while (at < stop) {
			size_t bytes = 1;

			if (!needs[*at])
				*p++ = (char)*at;
			else
				p = put_escaped(p, at, (size_t)(end - at),
						&bytes);
			at += bytes;
		}
		out->p = p;
	}
	out_char(out, '"');
}

static const uint8_t *put_signed(struct out *out,
				 const struct field_class *class,
				 const uint8_t *at)
{
	out_room(out, NUMBER_S64_BYTES);
	out->p = number_s64(out->p, (int64_t)field_integer(class, at));
	return at + class->bytes;
}

static const uint8_t *put_unsigned(struct out *out,
				   const struct field_class *class,
				   const uint8_t *at)
{
	out_room(out, NUMBER_U64_BYTES);
	out->p = number_u64(out->p, field_integer(class, at));
	return at + class->bytes;
}

void json_put_real(struct out *out, double value)
{
	if (isnan(value)) {
		out_text(out, "\"NaN\"");
	} else if (isinf(value)) {
		out_text(out, value < 0 ? "\"-Infinity\"" : "\"Infinity\"");
	} else {
		out_room(out, NUMBER_REAL_BYTES);
		out->p = number_exact(out->p, value);
	}
}

static const uint8_t *put_real(struct out *out, const struct field_class *class,
			       const uint8_t *at)
{
	json_put_real(out, field_real(class, at));
	return at + class->bytes;
}

/* Adds a name behind others; what has no room is left out. */
static const char *join(const char *found, const char *name)
{
	static char joined[JOINED_BYTES];
	size_t used = strlen(found);
	size_t n = strlen(name);

	if (used + n + 2 > sizeof(joined))
		return found;
	memmove(joined, found, used);
	joined[used] = '|';
	memcpy(joined + used + 1, name, n + 1);
	return joined;
}

const char *label_of(const struct field_class *class, uint64_t value)
{
	const struct field_label *label = NULL;
	const char *found = NULL;

	while ((label = field_label_next(class, label, value)))
		found = found ? join(found, label->name) : label->name;
	return found;
}

static const uint8_t *put_enum(struct out *out, const struct field_class *class,
			       const uint8_t *at)
{
	const char *name = label_of(class, field_integer(class, at));

	out_text(out, "{\"value\":");
	if (class->is_signed)
		put_signed(out, class, at);
	else
		put_unsigned(out, class, at);
	out_text(out, ",\"name\":");
	if (name)
		json_put_string(out, name, strlen(name));
	else
		out_text(out, "null");
	out_char(out, '}');
	return at + class->bytes;
}

static const uint8_t *put_string(struct out *out,
				 const struct field_class *class,
				 const uint8_t *at)
{
	size_t n = strlen((const char *)at);

	json_put_string(out, (const char *)at, n);
	return at + n + 1;
}

static const uint8_t *put_text(struct out *out, const struct field_class *class,
			       const uint8_t *at)
{
	uint64_t bytes = field_text_bytes(class, at);

	json_put_string(out, (const char *)at,
			strnlen((const char *)at, bytes));
	return at + bytes;
}

static const uint8_t *put_elements(struct out *out,
				   const struct field_class *class, uint64_t n,
				   const uint8_t *at)
{
	const struct field_class *element = &class->members[0];
	struct json_writer writer = json_writer_of(element);

	out_char(out, '[');
	for (uint64_t i = 0; i < n; i++) {
		if (i)
			out_char(out, ',');
		at = writer.put(out, element, at);
	}
	out_char(out, ']');
	return at;
}

static const uint8_t *put_array(struct out *out,
				const struct field_class *class,
				const uint8_t *at)
{
	return put_elements(out, class, class->count, at);
}

static const uint8_t *put_sequence(struct out *out,
				   const struct field_class *class,
				   const uint8_t *at)
{
	return put_elements(out, class, field_length(at), at);
}

static const uint8_t *put_list(struct out *out, const struct field_class *class,
			       const uint8_t *at)
{
	return put_sequence(out, class, at + sizeof(uint32_t));
}

static const uint8_t *put_variant(struct out *out,
				  const struct field_class *class,
				  const uint8_t *at)
{
	class = field_option(class, &at);
	return json_value(out, class, at);
}

static const uint8_t *put_struct(struct out *out,
				 const struct field_class *class,
				 const uint8_t *at)
{
	bool any = false;

	out_char(out, '{');
	for (size_t i = 0; i < class->nmembers; i++) {
		const struct field_class *member = &class->members[i];

		if (member->is_length) {
			at += member->bytes;
			continue;
		}
		if (any)
			out_char(out, ',');
		any = true;
		json_put_string(out, member->name, strlen(member->name));
		out_char(out, ':');
		at = json_value(out, member, at);
	}
	out_char(out, '}');
	return at;
}

struct json_writer json_writer_of(const struct field_class *class)
{
	switch (class->kind) {
	case FIELD_INTEGER:
		return (struct json_writer){ class->is_signed ? put_signed :
								put_unsigned };
	case FIELD_REAL:
		return (struct json_writer){ put_real };
	case FIELD_ENUM:
		return (struct json_writer){ put_enum };
	case FIELD_STRING:
		return (struct json_writer){ put_string };
	case FIELD_TEXT:
		return (struct json_writer){ put_text };
	case FIELD_ARRAY:
		return (struct json_writer){ put_array };
	case FIELD_SEQUENCE:
		return (struct json_writer){ put_sequence };
	case FIELD_LIST:
		return (struct json_writer){ put_list };
	case FIELD_VARIANT:
		return (struct json_writer){ put_variant };
	default:
		return (struct json_writer){ put_struct };
	}
}

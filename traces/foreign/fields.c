/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fields of other tracers' events in the packed form of classes.h.
 *
 * Invariant: the bytes are those that field_bytes() of the class finds, so no
 * reader of them can go beyond.
 */
#ifdef HAVE_BABELTRACE2
#include <stdlib.h>
#include <string.h>

#include "traces/foreign/library-private.h"

/* Appends bytes. Returns false without memory; those that are there stay. The
 * place may move, so an event points to it only when it is whole. */
static bool put_value(struct foreign_bytes *to, const void *bytes, size_t n)
{
	if (to->room - to->used < n) {
		size_t room = 2 * to->room + n + 256;
		uint8_t *more = realloc(to->at, room);

		if (!more)
			return false;
		to->at = more;
		to->room = room;
	}
	memcpy(to->at + to->used, bytes, n);
	to->used += n;
	return true;
}

/* Appends a number of four bytes. Returns false without memory. */
static bool put_u32(struct foreign_bytes *to, uint64_t value)
{
	uint32_t u32 = (uint32_t)value;

	return put_value(to, &u32, sizeof(u32));
}

/* Writes an integer in the bytes that the class has. Returns false without
 * memory. */
static bool put_integer(struct foreign_bytes *to,
			const struct field_class *class, const bt_field *field)
{
	uint64_t value = class->is_signed ?
			 (uint64_t)bt.field_integer_signed_get_value(field) :
			 bt.field_integer_unsigned_get_value(field);
	uint8_t u8 = (uint8_t)value;
	uint16_t u16 = (uint16_t)value;

	switch (class->bytes) {
	case 1:
		return put_value(to, &u8, sizeof(u8));
	case 2:
		return put_value(to, &u16, sizeof(u16));
	case 4:
		return put_u32(to, value);
	default:
		return put_value(to, &value, sizeof(value));
	}
}

bool foreign_encode(struct foreign_bytes *to, const struct field_class *class,
		    const bt_field *field)
{
	const char *text;
	uint64_t n;
	double f64;
	float f32;

	switch (class->kind) {
	case FIELD_INTEGER:
	case FIELD_ENUM:
		return put_integer(to, class, field);
	case FIELD_REAL:
		if (class->bytes == sizeof(f32)) {
			f32 = bt.field_real_single_precision_get_value(field);
			return put_value(to, &f32, sizeof(f32));
		}
		f64 = bt.field_real_double_precision_get_value(field);
		return put_value(to, &f64, sizeof(f64));
	case FIELD_STRING:
		/* before 2.0.5, the bytes of an empty string are those of an
		 * older one; the length is right */
		text = bt.field_string_get_value(field);
		n = strnlen(text, bt.field_string_get_length(field));
		return put_value(to, text, n) && put_value(to, "", 1);
	case FIELD_ARRAY:
	case FIELD_LIST:
		n = bt.field_array_get_length(field);
		if (class->kind == FIELD_LIST &&
		    (n > UINT32_MAX || !put_u32(to, n)))
			return false;
		for (uint64_t i = 0; i < n; i++)
			if (!foreign_encode(to, &class->members[0],
					    bt.field_element(field, i)))
				return false;
		return true;
	case FIELD_VARIANT:
		n = bt.field_variant_get_selected_option_index(field);
		return put_u32(to, n) &&
		       foreign_encode(to, &class->members[n],
				      bt.field_option(field));
	default:
		for (size_t i = 0; i < class->nmembers; i++)
			if (!foreign_encode(to, &class->members[i],
					    bt.field_member(field, i)))
				return false;
		return true;
	}
}
#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fields and contexts of events, as columns: the members that have always the
 * same size, byte by byte as the difference to the record before, and the rest
 * one record after the other. A number that grows or that stays is then a row
 * of equal bytes, which packs to nothing.
 *
 * Invariant: a record has as many fixed bytes as the shape says and each loose
 * member, however damaged the event is. Else all records behind it are wrong.
 */
#include <errno.h>
#include <stdlib.h>

#include "command/timeline/private.h"

void shape_free(struct shape *shape)
{
	free(shape->sizes);
}

int shape_make(struct shape *shape, const struct field_class *fields)
{
	shape->fixed = true;
	if (!fields)
		return 0;
	shape->sizes = calloc(fields->nmembers + 1, sizeof(*shape->sizes));
	if (!shape->sizes)
		return -ENOMEM;
	shape->fields = fields;
	for (size_t i = 0; i < fields->nmembers; i++) {
		int64_t bytes = field_always_bytes(&fields->members[i]);

		/* 0: read piece by piece, whatever it is */
		if (bytes <= 0) {
			shape->fixed &= !bytes;
			continue;
		}
		shape->sizes[i] = (uint32_t)bytes;
		shape->bytes += (uint32_t)bytes;
	}
	return 0;
}

void records_put(struct records *records, const struct shape *shape,
		 const uint8_t *at, const uint8_t *end)
{
	const struct field_class *fields = shape->fields;
	bool whole = true;

	records->n++;
	if (!fields)
		return;
	if (shape->fixed && (size_t)(end - at) >= shape->bytes) {
		bytes_put(&records->fixed, at, shape->bytes);
		return;
	}
	/* of a damaged record the rest is zero */
	for (size_t i = 0; i < fields->nmembers; i++) {
		uint32_t size = shape->sizes[i];
		int64_t bytes = whole ?
			field_bytes(&fields->members[i], at, end) : -1;

		whole = bytes >= 0;
		if (!whole && size) {
			uint8_t *zero = bytes_take(&records->fixed, size);

			if (zero)
				memset(zero, 0, size);
		} else if (!whole) {
			bytes_put(&records->loose, "", 1);
		} else {
			bytes_put(size ? &records->fixed : &records->loose,
				  at, (size_t)bytes);
			at += bytes;
		}
	}
}

void records_flush(struct records *records, uint32_t bytes, struct bytes *to)
{
	uint32_t n = records->n;

	bytes_number(to, n);
	to->failed |= records->fixed.failed;
	/* a column is the bytes at one place of all records, each less that of
	 * the record before; the first is as it is */
	for (uint32_t column = 0; !to->failed && column < bytes; column++) {
		const uint8_t *from = records->fixed.p + column;
		uint8_t *p = bytes_take(to, n), before = 0;

		if (!p)
			break;
		for (uint32_t i = 0; i < n; i++, from += bytes) {
			p[i] = (uint8_t)(*from - before);
			before = *from;
		}
	}
	bytes_section(to, &records->loose);
	records->n = 0;
	records->fixed.n = 0;
	records->loose.n = 0;
}

void records_free(struct records *records)
{
	bytes_free(&records->fixed);
	bytes_free(&records->loose);
}

void describe_field(struct bytes *b, const struct field_class *class)
{
	bytes_number(b, class->kind);
	bytes_text(b, class->name ? class->name : "");
	/* 0: the size varies */
	bytes_number(b, (uint64_t)field_always_bytes(class) + 1);
	switch (class->kind) {
	case FIELD_INTEGER:
	case FIELD_ENUM:
	case FIELD_REAL:
		bytes_number(b, class->bytes);
		bytes_number(b, class->is_signed | class->is_length << 1);
		bytes_number(b, class->base);
		bytes_number(b, class->bits ? class->bits : 8u * class->bytes);
		bytes_number(b, class->unit);
		bytes_number(b, class->nlabels);
		for (size_t i = 0; i < class->nlabels; i++) {
			bytes_text(b, class->labels[i].name);
			bytes_put(b, &class->labels[i].from, sizeof(uint64_t));
			bytes_put(b, &class->labels[i].to, sizeof(uint64_t));
		}
		break;
	case FIELD_TEXT:
		bytes_number(b, class->counted);
		bytes_number(b, class->count);
		break;
	case FIELD_ARRAY:
	case FIELD_SEQUENCE:
	case FIELD_LIST:
		bytes_number(b, class->count);
		describe_field(b, &class->members[0]);
		break;
	case FIELD_STRUCT:
	case FIELD_VARIANT:
		bytes_number(b, class->counted);
		bytes_number(b, class->nmembers);
		for (size_t i = 0; i < class->nmembers; i++)
			describe_field(b, &class->members[i]);
		break;
	case FIELD_STRING:
		break;
	}
}

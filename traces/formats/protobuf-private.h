/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Messages of protobuf, as they are written: tags, varints, lengths. Facts:
 * protobuf.dev, "Encoding".
 *
 * A message inside another is opened, written and closed; the length is filled
 * in when it is closed. The buffer grows, so the place of a message is an
 * offset, not a pointer.
 */
#ifndef TRACES_FORMATS_PROTOBUF_PRIVATE_H
#define TRACES_FORMATS_PROTOBUF_PRIVATE_H

#include "traces/text/out.h"

#define PROTOBUF_ROOM	32u		/* a tag and a number */
#define PROTOBUF_LENGTH	4u		/* the bytes of a length, while open */

/* The form of a value, which a tag says. */
enum protobuf_wire {
	PROTOBUF_VARINT = 0, PROTOBUF_FIXED64 = 1, PROTOBUF_BYTES = 2,
};

/* Writes a number, seven bits a byte, at most ten bytes. The caller has made
 * room. Returns the place behind it. */
static inline char *protobuf_varint(char *p, uint64_t value)
{
	for (; value > 127; value >>= 7)
		*p++ = (char)(value | 128);
	*p++ = (char)value;
	return p;
}

/* Writes the number of a field and the form of the value. The caller has made
 * room. */
static inline char *protobuf_tag(char *p, uint32_t field,
				 enum protobuf_wire wire)
{
	return protobuf_varint(p, field << 3 | wire);
}

/* Writes a field of a number; a signed one in two's complement. */
static inline void protobuf_u64(struct out *out, uint32_t field, uint64_t value)
{
	out_room(out, PROTOBUF_ROOM);
	out->p = protobuf_varint(protobuf_tag(out->p, field, PROTOBUF_VARINT),
				 value);
}

/* Writes a field of eight bytes, of any type, in the order of the host. */
static inline void protobuf_fixed64(struct out *out, uint32_t field,
				    const void *value)
{
	char *p;

	out_room(out, PROTOBUF_ROOM);
	p = protobuf_tag(out->p, field, PROTOBUF_FIXED64);
	memcpy(p, value, 8);
	out->p = p + 8;
}

/* Returns the place of the message, for protobuf_close(). */
static inline size_t protobuf_open(struct out *out, uint32_t field)
{
	out_room(out, PROTOBUF_ROOM);
	out->p = protobuf_tag(out->p, field, PROTOBUF_BYTES) + PROTOBUF_LENGTH;
	return (size_t)(out->p - out->start);
}

/* Fills in the length of a message. A short message is moved, so its length
 * takes one byte. */
static inline void protobuf_close(struct out *out, size_t at)
{
	char *p = out->start + at;
	size_t n = (size_t)(out->p - p);
	char *length = p - PROTOBUF_LENGTH;
	uint32_t i;

	if (n < 128) {
		length[0] = (char)n;
		memmove(length + 1, p, n);
		out->p = length + 1 + n;
		return;
	}
	/* a varint may have more bytes than it needs */
	for (i = 0; i < PROTOBUF_LENGTH - 1; i++, n >>= 7)
		length[i] = (char)(n | 128);
	length[i] = (char)n;
}

#endif

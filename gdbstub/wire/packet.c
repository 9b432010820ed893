/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Packets. See packet.h.
 */
#include "gdbstub/wire/packet.h"

#include "base/text.h"
#include "gdbstub/wire/rsp.h"

#define TRAILER_BYTES	3u		/* # and two digits */

enum { OUTSIDE, PAYLOAD, DIGIT_HIGH, DIGIT_LOW };

static const char digits[] = "0123456789abcdef";

/* Returns the value of a hex digit of either case, or -1. */
static int hex_value(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

void packet_reader_open(struct packet_reader *reader, char *buffer,
			uint32_t size)
{
	*reader = (struct packet_reader){ .data = buffer, .size = size };
	buffer[0] = 0;
}

enum packet_event packet_take(struct packet_reader *reader, uint8_t byte)
{
	int value;

	if (byte == RSP_BEGIN && reader->state <= PAYLOAD) {
		/* in a payload: the end of the last one was lost */
		reader->state = PAYLOAD;
		reader->used = 0;
		reader->sum = 0;
		reader->escaped = 0;
		reader->cut = 0;
		return PACKET_MORE;
	}
	if (reader->state == PAYLOAD) {
		/* bytes beyond the room are only summed */
		if (byte == RSP_END) {
			reader->state = DIGIT_HIGH;
			return PACKET_MORE;
		}
		reader->sum += byte;
		if (byte == RSP_ESCAPE && !reader->escaped) {
			reader->escaped = 1;
			return PACKET_MORE;
		}
		if (reader->escaped)
			byte ^= RSP_ESCAPE_XOR;
		reader->escaped = 0;
		if (reader->used + 1 < reader->size)
			reader->data[reader->used++] = (char)byte;
		else
			reader->cut = 1;
		return PACKET_MORE;
	}
	if (reader->state == OUTSIDE)
		return byte == RSP_ACK ? PACKET_ACKED :
		       byte == RSP_NAK ? PACKET_AGAIN :
		       byte == RSP_INTERRUPT ? PACKET_INTERRUPT : PACKET_NOISE;
	value = hex_value(byte);
	if (value < 0) {
		reader->state = OUTSIDE;
		return PACKET_BROKEN;
	}
	if (reader->state == DIGIT_HIGH) {
		reader->told = (uint8_t)(value << 4);
		reader->state = DIGIT_LOW;
		return PACKET_MORE;
	}
	reader->state = OUTSIDE;
	reader->data[reader->used] = 0;
	if ((reader->told | value) != reader->sum)
		return PACKET_BROKEN;
	return reader->cut ? PACKET_LONG : PACKET_READY;
}

void packet_open(struct packet *packet, char *buffer, uint32_t size)
{
	*packet = (struct packet){ .start = buffer, .size = size, .used = 1 };
	buffer[0] = RSP_BEGIN;
}

/* Adds a byte as it is sent. The caller has left room for the trailer. */
static void add_raw(struct packet *packet, uint8_t byte)
{
	packet->start[packet->used++] = (char)byte;
	packet->sum += byte;
}

void packet_add_byte(struct packet *packet, uint8_t byte)
{
	int special = byte == RSP_BEGIN || byte == RSP_END ||
		      byte == RSP_ESCAPE || byte == RSP_REPEAT;

	if (packet->used + 1 + special + TRAILER_BYTES > packet->size) {
		packet->cut = 1;
		return;
	}
	if (special) {
		add_raw(packet, RSP_ESCAPE);
		byte ^= RSP_ESCAPE_XOR;
	}
	add_raw(packet, byte);
}

void packet_add_bytes(struct packet *packet, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	while (n--)
		packet_add_byte(packet, *p++);
}

void packet_add(struct packet *packet, const char *string)
{
	while (*string)
		packet_add_byte(packet, (uint8_t)*string++);
}

void packet_add_number(struct packet *packet, uint64_t number)
{
	int shift = 60;

	while (shift && !(number >> shift))
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		packet_add_byte(packet, (uint8_t)digits[number >> shift & 15]);
}

void packet_add_hex(struct packet *packet, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	for (; n; n--, p++) {
		packet_add_byte(packet, (uint8_t)digits[*p >> 4]);
		packet_add_byte(packet, (uint8_t)digits[*p & 15]);
	}
}

void packet_close(struct packet *packet)
{
	char *end = packet->start + packet->used;

	end[0] = RSP_END;
	end[1] = digits[packet->sum >> 4];
	end[2] = digits[packet->sum & 15];
	packet->used += TRAILER_BYTES;
}

bool packet_empty(const struct packet *packet)
{
	return packet->used == 1;
}

bool packet_read_char(const char **p, char c)
{
	if (**p != c)
		return false;
	(*p)++;
	return true;
}

bool packet_read_number(const char **p, uint64_t *number)
{
	const char *start = *p;
	int value;

	*number = 0;
	while ((value = hex_value(**p)) >= 0) {
		if (*number >> 60)
			return false;
		*number = *number << 4 | (uint64_t)value;
		(*p)++;
	}
	return *p != start;
}

bool packet_read_hex(const char **p, void *bytes, size_t n)
{
	const char *from = *p;
	uint8_t *to = bytes;

	for (; n; n--, from += 2) {
		int high = hex_value(from[0]);
		int low = high < 0 ? -1 : hex_value(from[1]);

		if (low < 0)
			return false;
		*to++ = (uint8_t)(high << 4 | low);
	}
	*p = from;
	return true;
}

bool packet_read_text(const char **p, char *text, size_t size)
{
	size_t used = 0;
	int high, low;

	while ((high = hex_value((*p)[0])) >= 0) {
		low = hex_value((*p)[1]);
		if (low < 0 || used + 1 >= size || !(high | low))
			return false;
		text[used++] = (char)(high << 4 | low);
		*p += 2;
	}
	text[used] = 0;
	return true;
}

/* A string of so many bytes and its NUL take a chunk of glibc's malloc() of the
 * same size as gdb's struct tracepoint does. The struct has 272 bytes in gdb
 * 13.1, and 296 in 16.3 and 18.1, which take error messages as text. */
#define ROOM		272
#define ROOM_MESSAGES	288

uint32_t marker_room(const char *supported)
{
	for (; *supported; supported++)
		if (text_after(supported, "error-message+"))
			return ROOM_MESSAGES;
	return ROOM;
}

void marker_packet_add(struct packet *out, uint64_t address, const char *id,
		       const char *extra, uint32_t room)
{
	size_t n = text_length(extra);

	packet_add(out, "m");
	packet_add_number(out, address);
	packet_add(out, ":");
	packet_add_hex(out, id, text_length(id));
	packet_add(out, ":");
	packet_add_hex(out, extra, n);
	for (; n < room; n++)
		packet_add_hex(out, "", 1);
}

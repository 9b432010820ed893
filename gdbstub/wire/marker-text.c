/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The packet that tells gdb of a marker; see marker-text.h.
 */
#include "gdbstub/wire/marker-text.h"

#include "base/text.h"

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

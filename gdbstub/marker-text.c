/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The answer that tells gdb of a marker; see marker-text.h.
 */
#include "gdbstub/marker-text.h"

#include "buffers/text.h"

void marker_packet_add(struct packet *out, uint64_t address, const char *id,
		       const char *extra)
{
	packet_add(out, "m");
	packet_add_number(out, address);
	packet_add(out, ":");
	packet_add_hex(out, id, text_length(id));
	packet_add(out, ":");
	packet_add_hex(out, extra, text_length(extra));
}

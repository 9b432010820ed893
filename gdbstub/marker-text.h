/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A marker as gdb is told of it, by the stub and by the filter for gdbserver.
 */
#ifndef GDBSTUB_MARKER_TEXT_H
#define GDBSTUB_MARKER_TEXT_H

#include "gdbstub/packet.h"

#define MARKER_EXTRA_BYTES	1024	/* fields_signature_add() is cut at */

/* m ADDRESS:ID:EXTRA, both texts in hex. SIGSAFE. */
void marker_packet_add(struct packet *out, uint64_t address, const char *id,
		       const char *extra);

#endif

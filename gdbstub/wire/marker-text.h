/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The packet that tells gdb of a marker, for the stub and for the filter before
 * gdbserver.
 */
#ifndef GDBSTUB_WIRE_MARKER_TEXT_H
#define GDBSTUB_WIRE_MARKER_TEXT_H

#include "gdbstub/wire/packet.h"

#define MARKER_EXTRA_BYTES	1024	/* a longer signature is cut */

/*
 * Adds m ADDRESS:ID:EXTRA, both texts in hex. EXTRA has at least `room` bytes:
 * NULs follow the text. SIGSAFE.
 *
 * The room keeps gdb's own `strace -m` alive (docs/gdb-defects.md). The
 * constructor of a tracepoint assigns to a string that is not constructed yet,
 * in memory that malloc() gave out before. gdb frees the marker's EXTRA shortly
 * before it allocates the tracepoint. So the tracepoint gets the memory of an
 * EXTRA of its size, where the NULs are an empty string. gdb shows an EXTRA up
 * to its first NUL.
 */
void marker_packet_add(struct packet *out, uint64_t address, const char *id,
		       const char *extra, uint32_t room);

/* Returns the room for a gdb that has sent these words behind qSupported.
 * SIGSAFE. */
uint32_t marker_room(const char *supported);

#endif

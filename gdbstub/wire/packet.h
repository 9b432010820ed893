/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Packets of the remote protocol (gdbstub/wire/rsp.h): framing, checksums,
 * escapes.
 *
 * Pure functions on the caller's buffers, without libc. All input is hostile:
 * nothing is written past a buffer, and a packet that does not fit is reported
 * (PACKET_LONG, `cut`).
 */
#ifndef GDBSTUB_WIRE_PACKET_H
#define GDBSTUB_WIRE_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum packet_event {
	PACKET_MORE,		/* nothing yet */
	PACKET_READY,		/* in reader->data, ended by a NUL */
	PACKET_BROKEN,		/* wrong checksum: ask for it again */
	PACKET_LONG,		/* whole, but too long for the buffer */
	PACKET_ACKED,
	PACKET_AGAIN,		/* gdb wants the last answer again */
	PACKET_INTERRUPT,
	PACKET_NOISE,		/* a byte that no gdb sends there */
};

struct packet_reader {
	char *data;		/* of the packet, unescaped */
	uint32_t size;		/* of the buffer */
	uint32_t used;
	uint8_t state;
	uint8_t sum;		/* of the bytes as they came */
	uint8_t told;		/* the checksum that came with them */
	uint8_t escaped;
	uint8_t cut;
};

/* Prepares a reader between packets. `buffer` has room for one payload and a
 * NUL. */
void packet_reader_open(struct packet_reader *reader, char *buffer,
			uint32_t size);

/* Takes the next byte. After PACKET_READY the data stays until the next call.
 */
enum packet_event packet_take(struct packet_reader *reader, uint8_t byte);

/* An answer being made. Bytes that do not fit are left out, and set `cut`. */
struct packet {
	char *start;
	uint32_t size;
	uint32_t used;
	uint8_t sum;
	uint8_t cut;
};

/* Begins an answer in `buffer`. `size` is at least 4. */
void packet_open(struct packet *packet, char *buffer, uint32_t size);

/* Adds one byte of the payload, escaped where it must be. */
void packet_add_byte(struct packet *packet, uint8_t byte);
void packet_add_bytes(struct packet *packet, const void *bytes, size_t n);
void packet_add(struct packet *packet, const char *string);
/* Adds a number in hex, without leading zeros. */
void packet_add_number(struct packet *packet, uint64_t number);
/* Adds bytes, two hex digits each. */
void packet_add_hex(struct packet *packet, const void *bytes, size_t n);

/* Ends an answer: start[0 .. used) can be sent. */
void packet_close(struct packet *packet);

/* Returns true while an answer has no payload. */
bool packet_empty(const struct packet *packet);

/*
 * Reading payloads. Each function moves *p behind the bytes that it has read
 * and returns true. It returns false when something else is there.
 */
bool packet_read_char(const char **p, char c);
bool packet_read_number(const char **p, uint64_t *number);
/* Reads exactly n bytes, each a pair of hex digits; else *p does not move. */
bool packet_read_hex(const char **p, void *bytes, size_t n);
/* Reads pairs of hex digits, up to another character, as text ended by a NUL.
 * Returns false also when the text is longer than size - 1 or holds a NUL. */
bool packet_read_text(const char **p, char *text, size_t size);

#define MARKER_EXTRA_BYTES	1024	/* a longer signature is cut */

/*
 * Adds m ADDRESS:ID:EXTRA, both texts in hex. EXTRA has at least `room` bytes:
 * NULs follow the text. SIGSAFE.
 *
 * The room keeps gdb's own `strace -m` alive (docs/gdb-defects.md). The
 * constructor of a tracepoint assigns to a string that is not constructed yet,
 * in memory that malloc() gave out before. gdb frees the marker's EXTRA shortly
 * before it allocates the tracepoint. So the tracepoint gets the memory of an
 * EXTRA of this size, where the NULs are an empty string. gdb shows an EXTRA up
 * to the first NUL.
 */
void marker_packet_add(struct packet *out, uint64_t address, const char *id,
		       const char *extra, uint32_t room);

/* Returns the room for a gdb that has sent these words behind qSupported.
 * SIGSAFE. */
uint32_t marker_room(const char *supported);

#endif

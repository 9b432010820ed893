/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The filter: the trace buffer, as gdb saves it (tsave).
 *
 *	u16 tracepoint | u32 bytes | blocks		a frame; no gap
 *	'R' registers | 'M' u64 address, u16 n, n bytes | 'V' i32, i64
 *	'S' u16 n, n bytes				static data
 *	'M' at the address for static data		the same
 *
 * No reader of trace files knows 'S': for a reader the file ends there. The 'M'
 * is at an address that the program does not have. So the filter leaves both
 * out, and their bytes are not counted: gdb's offsets and the server's offsets
 * from the start of the buffer differ.
 *
 * Invariant: bytes that are not such a frame pass as they are. So does a frame
 * that is too large to be kept. All bytes pass while the size of the registers
 * is not known, or when packets are acknowledged (`set remote noack-packet
 * off`): gdb would not acknowledge packets that it does not see.
 */
#include <string.h>

#include "gdbstub/filter/private.h"

#define HEADER_BYTES	6u
#define PIECE_BYTES	4096u		/* of an answer of the server */
#define FRAME_MAX	(FILTER_FRAME_BYTES - PIECE_BYTES)

/* Returns a little-endian number. */
static uint32_t number_read(const uint8_t *p, uint32_t bytes)
{
	uint32_t n = 0;

	while (bytes--)
		n = n << 8 | p[bytes];
	return n;
}

/* Returns the length of the block at p, at most n; 0 when there is none. */
static uint32_t block_length(const struct filter_buffer *b, const uint8_t *p,
			     uint32_t n)
{
	uint64_t length = 0;

	if (*p == 'R')
		length = 1 + (uint64_t)b->registers;
	else if (*p == 'V')
		length = 13;
	else if (*p == 'M' && n >= 11)
		length = 11 + (uint64_t)number_read(p + 9, 2);
	else if (*p == 'S' && n >= 3)
		length = 3 + (uint64_t)number_read(p + 1, 2);
	return length <= n ? (uint32_t)length : 0;
}

/* Takes the static data out of a whole frame, unless its blocks do not fill the
 * frame exactly. Returns the frame's new length. */
static uint32_t static_strip(const struct filter_buffer *b, uint8_t *frame,
			     uint32_t bytes)
{
	uint32_t at = HEADER_BYTES, to = HEADER_BYTES, length;

	for (; at < bytes; at += length) {
		length = block_length(b, frame + at, bytes - at);
		if (!length)
			return bytes;
	}
	for (at = HEADER_BYTES; at < bytes; at += length) {
		length = block_length(b, frame + at, bytes - at);
		if (filter_static_is_block(frame + at))
			continue;
		memmove(frame + to, frame + at, length);
		to += length;
	}
	for (uint32_t i = 0; i < 4; i++)
		frame[2 + i] = (uint8_t)((to - HEADER_BYTES) >> 8 * i);
	return to;
}

/* Makes as many bytes as possible ready for gdb. */
static void frames_settle(struct filter_buffer *b)
{
	while (b->ready < b->used) {
		uint8_t *frame = b->bytes + b->ready;
		uint32_t here = b->used - b->ready;
		uint64_t bytes;
		uint32_t kept;

		if (b->passing) {
			kept = b->passing < here ? (uint32_t)b->passing : here;
			b->ready += kept;
			b->passing -= kept;
			continue;
		}
		if (here < HEADER_BYTES)
			break;
		bytes = HEADER_BYTES + (uint64_t)number_read(frame + 2, 4);
		if (bytes > FRAME_MAX) {
			b->passing = bytes;
			continue;
		}
		if (here < bytes)
			break;
		kept = static_strip(b, frame, (uint32_t)bytes);
		memmove(frame + kept, frame + bytes, here - bytes);
		b->ready += kept;
		b->used -= (uint32_t)bytes - kept;
	}
}

/* Answers with bytes of whole frames only, at most one piece. */
static void bytes_give(struct filter_buffer *b, struct packet *out)
{
	uint32_t n = b->ready < PIECE_BYTES ? b->ready : PIECE_BYTES;

	if (n > b->wanted)
		n = (uint32_t)b->wanted;
	packet_add_hex(out, b->bytes + b->start, n);
	b->start += n;
	b->used -= n;
	b->ready -= n;
	b->at += n;
	if (b->ready)
		return;
	/* behind the whole frames is the beginning of one, to move back */
	memmove(b->bytes, b->bytes + b->start, b->used);
	b->start = 0;
}

/* Asks the server for the next bytes. */
static void bytes_ask(struct filter_buffer *b, struct packet *out)
{
	packet_add(out, "qTBuffer:");
	packet_add_number(out, b->server_at);
	packet_add(out, ",");
	packet_add_number(out, PIECE_BYTES);
}

enum filter_verdict filter_buffer_request(struct filter *f, const char *p,
					  struct packet *out)
{
	struct filter_buffer *b = &f->buffer;
	uint64_t at;

	if (!f->no_ack || !b->registers || !packet_read_number(&p, &at) ||
	    !packet_read_char(&p, ',') || !packet_read_number(&p, &b->wanted) ||
	    *p)
		return VERDICT_PASS;
	if (!at) {
		b->at = b->server_at = b->passing = 0;
		b->start = b->ready = b->used = 0;
	}
	if (at != b->at || !b->wanted) {
		packet_add(out, "E.the trace buffer is read from its start");
		return VERDICT_ANSWERED;
	}
	if (b->ready) {
		bytes_give(b, out);
		return VERDICT_ANSWERED;
	}
	bytes_ask(b, out);
	f->kind = KIND_BUFFER;
	return VERDICT_CHANGED;
}

enum filter_verdict filter_buffer_answer(struct filter *f, const char *p,
					 struct packet *out)
{
	struct filter_buffer *b = &f->buffer;
	size_t n = strlen(p) / 2;

	if (n && n <= PIECE_BYTES &&
	    packet_read_hex(&p, b->bytes + b->used, n) && !*p) {
		b->used += (uint32_t)n;
		b->server_at += n;
		frames_settle(b);
	} else {
		/* the end of the buffer, or an error: the bytes that are left
		 * are no whole frame */
		b->ready = b->used;
		if (!b->ready)
			return VERDICT_PASS;
	}
	if (!b->ready) {
		bytes_ask(b, out);
		return VERDICT_MORE;
	}
	bytes_give(b, out);
	return VERDICT_CHANGED;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * qTBuffer: all frames as one stream, in the form of trace files, for tsave.
 *
 *	u16 tracepoint | u32 bytes of the blocks | blocks
 *
 * The blocks of static data are left out, because GDB's readers do not know
 * them. gdb goes on where the last packet ended, so the connection keeps that
 * place.
 */

#include "base/base.h"
#include "gdbstub/tracing/run.h"
#include "gdbstub/wire/connection.h"
#include "tracepoints/frames/collect.h"

#define HEAD_BYTES	6u

/* Adds to `out` the bytes of a stream that lie in [from, end). */
struct window {
	struct packet *out;
	uint64_t at;		/* of the stream */
	uint64_t from;
	uint64_t end;
};

/* Adds the part of the bytes that lies in the window, and moves on by all of
 * them. */
static void window_put(struct window *w, const void *bytes, uint64_t n)
{
	const char *p = bytes;
	uint64_t skip = w->from > w->at ? min_u64(w->from - w->at, n) : 0;
	uint64_t left = w->end > w->at + skip ? w->end - w->at - skip : 0;

	w->at += n;
	packet_add_hex(w->out, p + skip, min_u64(n - skip, left));
}

/* OFFSET,BYTES. The blocks of a frame are walked twice: their bytes come before
 * them. */
int serve_frame_buffer(struct connection *c, const char *p)
{
	const struct frames *frames;
	struct run_state state;
	struct window w = { .out = &c->out };
	struct frame_block block;
	struct frame frame;
	uint64_t n;

	if (!packet_read_number(&p, &w.from) || !packet_read_char(&p, ',') ||
	    !packet_read_number(&p, &n)) {
		connection_error(c, 1);
		return 0;
	}
	run_look(&state);
	if (state.phase == RUN_ON) {
		connection_refuse(c, "the trace runs: tstop first");
		return 0;
	}
	frames = run_frames();
	w.end = w.from + min_u64(n, CONNECTION_CHUNK_BYTES);
	if (w.from < c->saved_at)
		c->saved_frame = c->saved_at = 0;
	w.at = c->saved_at;
	while (frames && w.at < w.end &&
	       !frames_get(frames, (uint32_t)c->saved_frame, &frame)) {
		uint16_t number = (uint16_t)frame.tracepoint;
		uint32_t bytes = 0;
		uint32_t at = 0;

		while (frame_block_next(&frame, &at, &block))
			if (block.kind != COLLECT_BLOCK_STATIC)
				bytes += block.size;
		window_put(&w, &number, sizeof(number));
		window_put(&w, &bytes, sizeof(bytes));
		for (at = 0; frame_block_next(&frame, &at, &block);)
			if (block.kind != COLLECT_BLOCK_STATIC)
				window_put(&w, frame.blocks + block.start,
					   block.size);
		if (w.at > w.end)
			break;		/* the next packet goes on here */
		c->saved_frame++;
		c->saved_at = w.at;
	}
	if (packet_empty(&c->out))
		packet_add(&c->out, "l");
	return 0;
}

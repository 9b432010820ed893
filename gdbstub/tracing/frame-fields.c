/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * qTaffrail:frame: a trace frame with the marker's fields. Only Taffrail's
 * extension of gdb sends this packet.
 *
 *	qTaffrail:frame:NUMBER		hex
 *	answer: E01, or in hex the lines
 *		tracepoint=N		decimal
 *		vtid=TID
 *		time_ns=T		nanoseconds of the real-time clock
 *		address=0xADDRESS
 *		marker=CHANNEL/NAME	also if its module was unloaded
 *		field NAME=TYPE:VALUE	a line for each field, if static
 *					data was collected
 *		shown NAME=TEXT		behind it, if $_sdata has another text
 *					than the number
 */
#include "gdbstub/tracing/forms-private.h"

#include "buffers/clock.h"
#include "buffers/rings/channel.h"
#include "gdbstub/tracing/run.h"
#include "gdbstub/wire/connection.h"
#include "tracepoints/frames/collect.h"
#include "tracepoints/sites/lock.h"

static void add_number(struct text *out, const char *name, uint64_t number)
{
	text_add(out, name);
	text_add_unsigned(out, number);
	text_add_char(out, '\n');
}

/* Adds the lines of the marker and of the fields. Adds none when no form of the
 * marker is known. */
static void add_marker(struct text *out, const struct frame *frame)
{
	struct frame_block block;
	const struct form *form;
	struct field_event event;
	uint32_t at = 0;

	registry_lock();
	form = forms_find(frame);
	registry_unlock();
	if (!form)
		return;
	event = form_event(form);
	text_add(out, "marker=");
	text_add(out, form->id);
	text_add_char(out, '\n');
	while (frame_block_next(frame, &at, &block))
		if (block.kind == COLLECT_BLOCK_STATIC)
			field_lines(out, &event, block.bytes, block.nbytes);
}

/* Adds all lines of the frame. */
static void frame_add(struct text *out, const struct frame *frame)
{
	add_number(out, "tracepoint=", frame->tracepoint);
	add_number(out, "vtid=", (uint32_t)frame->tid);
	add_number(out, "time_ns=",
		   clock_to_realtime_ns(&process.page->start, clock_hz(),
					frame->clock));
	text_add(out, "address=0x");
	text_add_hex(out, frame->address, 1);
	text_add_char(out, '\n');
	add_marker(out, frame);
}

int serve_frame_fields(struct connection *c, const char *p)
{
	const struct frames *frames;
	struct run_state state;
	struct frame frame;
	struct text text;
	uint64_t number;

	run_look(&state);
	frames = run_frames();
	if (!packet_read_number(&p, &number) || !frames || number >> 32 ||
	    frames_get(frames, (uint32_t)number, &frame)) {
		connection_error(c, 1);
		return 0;
	}
	text_open(&text, c->chunk, sizeof(c->chunk));
	frame_add(&text, &frame);
	packet_add_hex(&c->out, text.start, text.used);
	return 0;
}

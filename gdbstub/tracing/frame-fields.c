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

/* Adds a line; `name` ends with '='. */
static void add_number(struct text *out, const char *name, uint64_t number)
{
	text_add(out, name);
	text_add_unsigned(out, number);
	text_add_char(out, '\n');
}

int serve_frame_fields(struct connection *c, const char *p)
{
	const struct frames *frames;
	struct frame_block block;
	struct field_event event;
	const struct form *form;
	struct run_state state;
	struct frame frame;
	struct text text;
	uint64_t number;
	uint32_t at = 0;

	run_look(&state);
	frames = run_frames();
	if (!packet_read_number(&p, &number) || !frames || number >> 32 ||
	    frames_get(frames, (uint32_t)number, &frame)) {
		connection_error(c, 1);
		return 0;
	}
	text_open(&text, c->chunk, sizeof(c->chunk));
	add_number(&text, "tracepoint=", frame.tracepoint);
	add_number(&text, "vtid=", (uint32_t)frame.tid);
	add_number(&text, "time_ns=",
		   clock_to_realtime_ns(&process.page->start, clock_hz(),
					frame.clock));
	text_add(&text, "address=0x");
	text_add_hex(&text, frame.address, 1);
	text_add_char(&text, '\n');
	registry_lock();
	form = forms_find(&frame);
	registry_unlock();
	if (form) {
		event = form_event(form);
		text_add(&text, "marker=");
		text_add(&text, form->id);
		text_add_char(&text, '\n');
	}
	while (form && frame_block_next(&frame, &at, &block))
		if (block.kind == COLLECT_BLOCK_STATIC)
			field_lines(&text, &event, block.bytes, block.nbytes);
	packet_add_hex(&c->out, text.start, text.used);
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Trace frames: how gdb finds them and reads them.
 */
#include "gdbstub/tracing/frame.h"

#include "base/base.h"
#include "gdbstub/tracing/forms-private.h"
#include "gdbstub/tracing/run.h"
#include "tracepoints/frames/collect.h"
#include "tracepoints/sites/lock.h"

/* the number in QTFrame for `tfind none` */
#define FRAME_NONE	0xffffffffu

/* The goals of a search by QTFrame. */
struct search {
	enum { BY_NUMBER, BY_TRACEPOINT, BY_RANGE } by;
	uint64_t low;
	uint64_t high;
	int outside;
};

void frame_leave(struct connection *c)
{
	c->in_frame = 0;
}

bool frame_now(struct connection *c, struct frame *frame)
{
	const struct frames *frames = c->in_frame ? run_frames() : NULL;

	return frames && !frames_get(frames, c->frame, frame);
}

/* Finds the frame of that number; or the next match behind the frame that gdb
 * looks at, from the first frame on if gdb looks at none. Returns 0 when there
 * is no match. */
static bool search_run(const struct connection *c, const struct search *search,
		       const struct frames *frames, uint32_t *number,
		       struct frame *frame)
{
	uint32_t n = c->in_frame ? c->frame + 1 : 0;

	if (search->by == BY_NUMBER) {
		*number = (uint32_t)search->low;
		return search->low < FRAME_NONE &&
		       !frames_get(frames, *number, frame);
	}
	for (; !frames_get(frames, n, frame); n++) {
		bool is_match = frame->tracepoint == search->low;

		if (search->by == BY_RANGE)
			is_match = (frame->address >= search->low &&
				    frame->address <= search->high) !=
				   search->outside;
		if (!is_match)
			continue;
		*number = n;
		return true;
	}
	return false;
}

/* Reads NUMBER, tdp:N, pc:ADDRESS, range:A:B or outside:A:B. Returns 0 at
 * another form. */
static bool search_read(const char *p, struct search *search)
{
	const char *outside = text_after(p, "outside:");
	const char *range = outside ? outside : text_after(p, "range:");
	const char *pc = text_after(p, "pc:");
	const char *point = text_after(p, "tdp:");

	*search = (struct search){ .by = range || pc ? BY_RANGE :
					 point ? BY_TRACEPOINT : BY_NUMBER,
				   .outside = outside != NULL };
	p = range ? range : pc ? pc : point ? point : p;
	if (!packet_read_number(&p, &search->low))
		return false;
	search->high = search->low;
	return (!range || (packet_read_char(&p, ':') &&
			   packet_read_number(&p, &search->high))) && !*p;
}

int serve_frame(struct connection *c, const char *p)
{
	const struct frames *frames;
	struct run_state state;
	struct search search;
	struct frame frame;
	uint32_t number;
	bool is_none;

	if (!search_read(p, &search)) {
		connection_error(c, 1);
		return 0;
	}
	run_look(&state);
	frames = run_frames();
	is_none = search.by == BY_NUMBER && search.low == FRAME_NONE;
	if (!frames || is_none ||
	    !search_run(c, &search, frames, &number, &frame)) {
		/* after a search that failed, also one by number, gdb goes on
		 * to show the frame that was selected */
		if (!frames || is_none)
			frame_leave(c);
		packet_add(&c->out, "F-1");
		return 0;
	}
	c->in_frame = 1;
	c->frame = number;
	packet_add(&c->out, "F");
	packet_add_number(&c->out, number);
	packet_add(&c->out, "T");
	packet_add_number(&c->out, frame.tracepoint);
	return 0;
}

/* Finds the first block of a kind. */
static bool block_find(const struct frame *frame, uint8_t kind,
		       struct frame_block *block)
{
	uint32_t at = 0;

	while (frame_block_next(frame, &at, block))
		if (block->kind == kind)
			return true;
	return false;
}

void frame_registers(const struct frame *frame, struct registers *registers,
		     int *known)
{
	struct frame_block block;

	*registers = (struct registers){ .rip = frame->address };
	*known = block_find(frame, COLLECT_BLOCK_REGISTERS, &block) &&
		 block.nbytes == REGISTERS_BLOCK_BYTES;
	if (*known)
		__builtin_memcpy(registers, block.bytes, REGISTERS_BLOCK_BYTES);
}

uint64_t frame_memory(const struct frame *frame, uint64_t address, void *to,
		      uint64_t n)
{
	uint64_t done = 0;
	uint64_t got = 1;

	while (done < n && got) {
		struct frame_block block;
		uint32_t at = 0;

		got = 0;
		while (!got && frame_block_next(frame, &at, &block)) {
			uint64_t offset = address + done - block.address;

			if (block.kind != COLLECT_BLOCK_MEMORY ||
			    offset >= block.nbytes)
				continue;
			got = min_u64(n - done, block.nbytes - offset);
			__builtin_memcpy((char *)to + done,
					 block.bytes + offset, got);
		}
		done += got;
	}
	return done;
}

bool frame_variable(struct connection *c, uint64_t number, int64_t *value)
{
	struct frame_block block;
	struct frame frame;
	uint32_t at = 0;

	if (!frame_now(c, &frame))
		return false;
	while (frame_block_next(&frame, &at, &block)) {
		if (block.kind != COLLECT_BLOCK_VARIABLE ||
		    (uint64_t)block.variable != number)
			continue;
		*value = block.value;
		return true;
	}
	return false;
}

static void add_attribute(struct text *out, const char *name, uint64_t value)
{
	text_add(out, name);
	text_add(out, "=\"0x");
	text_add_hex(out, value, 1);
	text_add_char(out, '"');
}

/* gdb takes this list as complete: memory that is not listed was not collected.
 */
void frame_describe(struct connection *c, struct text *out)
{
	struct frame_block block;
	struct frame frame;
	uint32_t at = 0;

	if (!frame_now(c, &frame))
		return;
	text_add(out, "<traceframe-info>");
	while (frame_block_next(&frame, &at, &block)) {
		if (block.kind == COLLECT_BLOCK_MEMORY) {
			add_attribute(out, "<memory start", block.address);
			add_attribute(out, " length", block.nbytes);
			text_add(out, "/>");
		} else if (block.kind == COLLECT_BLOCK_VARIABLE) {
			add_attribute(out, "<tvar id",
				      (uint64_t)block.variable);
			text_add(out, "/>");
		}
	}
	text_add(out, "</traceframe-info>");
}

/* The form may be of a library that has been unloaded since. */
void frame_static(struct connection *c, struct text *out)
{
	struct frame_block block;
	const struct form *form;
	struct frame frame;

	if (!frame_now(c, &frame) ||
	    !block_find(&frame, COLLECT_BLOCK_STATIC, &block))
		return;
	registry_lock();
	form = forms_find(&frame);
	registry_unlock();
	if (form) {
		struct field_event event = form_event(form);

		field_text(out, &event, block.bytes, block.nbytes);
	}
}

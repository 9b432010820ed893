/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The filter: trace frames. A frame of a tracepoint at a marker's SITE is, for
 * the server, at the place where it has that tracepoint. If registers were
 * collected, the frame is at SITE, or behind it. When that changes the result
 * of a search for an address, the filter walks through the frames:
 *
 *	gdb	filter				server
 *	QTFrame:pc:SITE ----> QTFrame:N+1 ---->
 *				<---- F..T..	or F-1: the end
 *			g ---->		if the address is not known
 *				<---- registers		and so on, to a match
 *	F..T.. <----
 *
 * Invariant: after a search that finds nothing, the same frame is selected as
 * before.
 */
#include <string.h>

#include "gdbstub/filter/machine-x86_64.h"
#include "gdbstub/filter/private.h"

#define NO_FRAME	0xffffffffu	/* gdb's number for `tfind none` */

/* The request that the next answer belongs to. */
enum {
	WALK_FRAME, WALK_PC, WALK_BACK,
};

/* Returns the tracepoint at a marker that a program counter of the frame stands
 * for, or NULL. */
static const struct filter_point *point_of(struct filter *f, uint64_t pc)
{
	return f->frame_point ? filter_point_behind(f, f->frame_point, pc) :
				NULL;
}

/* Reads the program counter at an offset among registers. */
static bool pc_read(const char *p, uint32_t offset, uint64_t *pc)
{
	uint8_t bytes[FILTER_PC_BYTES];

	if (strlen(p) < 2 * (offset + FILTER_PC_BYTES))
		return false;
	p += 2 * offset;
	if (!packet_read_hex(&p, bytes, sizeof(bytes)))
		return false;
	*pc = 0;
	for (uint32_t i = FILTER_PC_BYTES; i--;)
		*pc = *pc << 8 | bytes[i];
	return true;
}

enum filter_verdict filter_frame_registers(struct filter *f, const char *p,
					   uint32_t offset, struct packet *out)
{
	const struct filter_point *point;
	uint8_t bytes[FILTER_PC_BYTES];
	uint64_t pc;

	if (!pc_read(p, offset, &pc))
		return VERDICT_PASS;
	point = point_of(f, pc);
	if (!point)
		return VERDICT_PASS;
	packet_add_bytes(out, p, 2 * offset);
	for (uint32_t i = 0; i < FILTER_PC_BYTES; i++)
		bytes[i] = (uint8_t)(point->site >> 8 * i);
	packet_add_hex(out, bytes, sizeof(bytes));
	packet_add(out, p + 2 * (offset + FILTER_PC_BYTES));
	return VERDICT_CHANGED;
}

/* Reads FN, then TN of its tracepoint. */
static bool frame_read(const char *p, uint64_t *frame, uint64_t *number)
{
	return packet_read_char(&p, 'F') && packet_read_number(&p, frame) &&
	       packet_read_char(&p, 'T') && packet_read_number(&p, number);
}

/* Notes the frame that is selected, and the tracepoint if the filter knows
 * it. */
static void frame_set(struct filter *f, uint64_t frame, uint64_t number)
{
	f->frames = frame + 1;
	f->frame_point = filter_point_number(f, number) ? number : 0;
}

void filter_frame_selected(struct filter *f, const char *p)
{
	uint64_t frame, number;

	if (frame_read(p, &frame, &number))
		frame_set(f, frame, number);
	else if (!strcmp(p, "OK"))
		f->frames = f->frame_point = 0;
}

/* Returns true for an address in the range of a search; both ends belong to it.
 */
static bool is_inside(const struct filter_walk *walk, uint64_t address)
{
	return address >= walk->low && address <= walk->high;
}

/* Makes the filter's own request for a frame. */
static enum filter_verdict select_frame(struct filter *f, uint32_t stage,
					uint64_t frame, struct packet *out)
{
	packet_add(out, "QTFrame:");
	packet_add_number(out, frame);
	f->walk.stage = (uint8_t)stage;
	f->kind = KIND_WALK;
	return VERDICT_MORE;
}

/* Begins a search by address. It passes when the server would neither find a
 * frame that gdb does not look for, nor miss one that gdb looks for. */
static enum filter_verdict frame_search(struct filter *f, uint64_t low,
					uint64_t high, int outside,
					struct packet *out)
{
	struct filter_walk walk = { .low = low, .high = high,
				    .outside = (uint8_t)outside,
				    .from = f->frames,
				    .from_point = f->frame_point };
	uint32_t i = 0;

	f->kind = KIND_FRAME;
	while (i < f->npoints && is_inside(&walk, f->points[i].site) ==
					 is_inside(&walk, f->points[i].place))
		i++;
	if (i == f->npoints)
		return VERDICT_PASS;
	f->walk = walk;
	select_frame(f, WALK_FRAME, f->frames, out);
	return VERDICT_CHANGED;
}

enum filter_verdict filter_frame_pc(struct filter *f, const char *p,
				    struct packet *out)
{
	uint64_t pc;

	f->kind = KIND_FRAME;
	if (!packet_read_number(&p, &pc) || *p)
		return VERDICT_PASS;
	return frame_search(f, pc, pc, 0, out);
}

/* Serves a search in a range of addresses, or outside of it. */
static enum filter_verdict search_range(struct filter *f, const char *p,
					int outside, struct packet *out)
{
	uint64_t low, high;

	f->kind = KIND_FRAME;
	if (!packet_read_number(&p, &low) || !packet_read_char(&p, ':') ||
	    !packet_read_number(&p, &high) || *p)
		return VERDICT_PASS;
	return frame_search(f, low, high, outside, out);
}

enum filter_verdict filter_frame_inside(struct filter *f, const char *p,
					struct packet *out)
{
	return search_range(f, p, 0, out);
}

enum filter_verdict filter_frame_outside(struct filter *f, const char *p,
					 struct packet *out)
{
	return search_range(f, p, 1, out);
}

/* Decides about the selected frame, which is at `address`; 0: not known. Goes
 * on to the next frame, or answers this one. */
static enum filter_verdict frame_decide(struct filter *f, uint64_t address,
					struct packet *out)
{
	struct filter_walk *walk = &f->walk;

	if (!address || is_inside(walk, address) == walk->outside)
		return select_frame(f, WALK_FRAME, f->frames, out);
	packet_add(out, "F");
	packet_add_number(out, f->frames - 1);
	packet_add(out, "T");
	packet_add_number(out, walk->number);
	return VERDICT_CHANGED;
}

/* Without a further frame, the one before the search is selected again. A
 * tracepoint at several addresses is told apart by the program counter. */
enum filter_verdict filter_walk(struct filter *f, const char *p,
				struct packet *out)
{
	struct filter_walk *walk = &f->walk;
	const struct filter_point *point;
	uint64_t frame, pc;

	switch (walk->stage) {
	case WALK_FRAME:
		if (!frame_read(p, &frame, &walk->number) ||
		    frame != f->frames)
			return select_frame(f, WALK_BACK, walk->from ?
					    walk->from - 1 : NO_FRAME, out);
		frame_set(f, frame, walk->number);
		point = filter_point_only(f, walk->number);
		if (point && point->kind != POINT_PLAIN)
			return frame_decide(f, point->site, out);
		packet_add(out, "g");
		walk->stage = WALK_PC;
		return VERDICT_MORE;
	case WALK_PC:
		if (!pc_read(p, FILTER_PC_OFFSET, &pc))
			return frame_decide(f, 0, out);
		point = point_of(f, pc);
		return frame_decide(f, point ? point->site : pc, out);
	default:
		f->frames = walk->from;
		f->frame_point = walk->from_point;
		packet_add(out, "F-1");
		return VERDICT_CHANGED;
	}
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the exits of a function; see exits.h.
 *
 * A jump through a register or memory either goes on in the function, by a
 * table that a compiler made for a switch, or is a tail call. Tables are read
 * with an index: from memory at base + index * 8 by the jump, or before it by
 * a load of four bytes, to which the table's address is added.
 */
#include "tracepoints/usdt/plan/exits.h"

#include <errno.h>

#include "base/base.h"

#define PARTS_MAX	8
#define LOOK_BACK	12	/* instructions before a jump */
#define NO_REGISTER	0xff

/* A function, and its parts put apart. */
struct leaving {
	const struct usdt_image *image;
	const struct usdt_decoder *decoder;
	uint64_t area;			/* of all parts put apart */
	uint64_t area_end;
	struct usdt_function parts[PARTS_MAX];
	uint32_t nparts;
	struct usdt_exit *exits;
	uint32_t room;
	uint32_t count;
};

/* The last instructions that run one after the other. */
struct line {
	uint64_t starts[LOOK_BACK];
	uint32_t count;
};

/* Forgets the first one if there is no room. */
static void line_add(struct line *line, uint64_t start)
{
	if (line->count == LOOK_BACK) {
		__builtin_memmove(line->starts, line->starts + 1,
				  (LOOK_BACK - 1) * sizeof(*line->starts));
		line->count--;
	}
	line->starts[line->count++] = start;
}

/* Returns where the opcode is: behind prefixes. */
static const uint8_t *opcode_of(const uint8_t *p, uint32_t *rex)
{
	*rex = 0;
	while (*p == 0xf2 || *p == 0xf3 || *p == 0x3e || *p == 0x66)
		p++;
	if ((*p & 0xf0) == 0x40)
		*rex = *p++;
	return p;
}

/* Returns 1 for a return, which may have prefixes. */
static int is_return(const uint8_t *p)
{
	uint32_t rex;

	p = opcode_of(p, &rex);
	return *p == 0xc3 || *p == 0xc2;
}

/* Returns the register that an instruction adds to (`load` 0) or loads (1), or
 * NO_REGISTER. */
static uint32_t register_of(const uint8_t *p, int load)
{
	uint32_t rex;

	p = opcode_of(p, &rex);
	if (*p == (load ? 0x8b : 0x03))
		return (p[1] >> 3 & 7) | (rex & 4) << 1;
	/* a copy of another register is as good as a load */
	if (*p == (load ? 0x89 : 0x01) && p[1] >= 0xc0)
		return (p[1] & 7) | (rex & 1) << 3;
	return NO_REGISTER;
}

/* Tells of a jump through a register or memory: 1: it leaves the function, 0:
 * it does not; or -ENOTUNIQ. */
static int through_leaves(const struct leaving *l, const struct line *line,
			  const uint8_t *p)
{
	const uint8_t *before;
	uint32_t rex, to;
	uint32_t i;

	p = opcode_of(p, &rex);
	if (p[1] < 0xc0)	/* memory; with an index it is a table */
		return (p[1] & 7) != 4 || (p[2] & 0x38) == 0x20;
	to = (p[1] & 7) | (rex & 1) << 3;
	for (i = line->count; i-- > 0;) {
		before = usdt_image_at(l->image, line->starts[i], 16, PF_X,
				       NULL);
		if (!before)
			break;
		if (register_of(before, 0) == to)
			return 0;
		if (register_of(before, 1) == to) {
			p = opcode_of(before, &rex);
			if (*p == 0x89)
				return 1;
			/* from memory at base + index * 8 */
			return (p[1] & 7) != 4 || p[1] >= 0xc0 ||
			       (p[2] & 0x38) == 0x20;
		}
	}
	return -ENOTUNIQ;
}

/* Tells whether a linkage stub is at an address: a jump through a word near by,
 * perhaps behind endbr64. All stubs together have one frame, like a part. */
static int is_linkage(const struct usdt_image *image, uint64_t address)
{
	const uint8_t *p = usdt_image_at(image, address, 16, PF_X, NULL);

	if (p && p[0] == 0xf3 && p[1] == 0x0f && p[2] == 0x1e && p[3] == 0xfa)
		p += 4;
	if (p && *p == 0xf2)
		p++;
	return p && p[0] == 0xff && p[1] == 0x25;
}

/* Tells whether an address is in the function or in a part of it. A part that
 * was not known is added. */
static int is_inside(struct leaving *l, uint64_t address)
{
	struct usdt_function part;
	uint32_t i;

	for (i = 0; i < l->nparts; i++)
		if (address >= l->parts[i].start && address < l->parts[i].end)
			return 1;
	if (is_linkage(l->image, address) ||
	    !usdt_image_function(l->image, address, &part))
		return 0;
	if (!part.part && address == part.start) {
		/* a part may begin without a frame, as a function does */
		return address >= l->area && address < l->area_end ?
			       -ENOTUNIQ : 0;
	}
	if (l->nparts == PARTS_MAX)
		return -E2BIG;
	l->parts[l->nparts++] = part;
	return 1;
}

/* Adds an exit. Returns 0 or -E2BIG. */
static int exit_add(struct leaving *l, const struct line *line,
		    uint64_t address, const struct usdt_decoded *insn,
		    enum usdt_leaving leaving)
{
	struct usdt_exit *exit = &l->exits[l->count];
	uint32_t i;

	if (l->count == l->room)
		return -E2BIG;
	l->count++;
	exit->address = address;
	exit->target = insn->target;
	exit->length = insn->length;
	exit->leaving = (uint8_t)leaving;
	exit->starts[0] = address;
	exit->count = 1;
	for (i = line->count; i-- > 0 && exit->count < USDT_STARTS_MAX &&
	     address - line->starts[i] < USDT_PATCH_MAX;)
		exit->starts[exit->count++] = line->starts[i];
	return 0;
}

/* Adds the exit that an instruction is, if it is one. */
static int insn_look(struct leaving *l, const struct line *line,
		     uint64_t address, const uint8_t *p,
		     const struct usdt_decoded *insn)
{
	int ret;

	if (is_return(p))
		return exit_add(l, line, address, insn, USDT_RETURNS);
	if (insn->through) {
		ret = through_leaves(l, line, p);
		return ret > 0 ? exit_add(l, line, address, insn,
					  USDT_JUMPS_THROUGH) : ret;
	}
	if (!insn->leads || insn->field || insn->move == USDT_CALL)
		return 0;
	ret = is_inside(l, insn->target);
	if (ret)
		return ret < 0 ? ret : 0;
	/* loop and jrcxz lead near: never out of a function */
	return exit_add(l, line, address, insn,
			insn->ends ? USDT_JUMPS : USDT_JUMPS_IF);
}

/* Adds the exits of a part. */
static int part_look(struct leaving *l, struct usdt_function part)
{
	struct line line = { .count = 0 };
	struct usdt_decoded insn;
	const uint8_t *bytes;
	uint64_t at, left;
	int ret = 0;

	for (at = part.start; at < part.end && !ret; at += insn.length) {
		bytes = usdt_image_at(l->image, at, 1, PF_R | PF_X, &left);
		if (!bytes || left < 16 ||
		    !usdt_decode(l->decoder, bytes, left, at, &insn))
			return -EILSEQ;
		ret = insn_look(l, &line, at, bytes, &insn);
		if (insn.ends)
			line.count = 0;
		else
			line_add(&line, at);
	}
	return ret;
}

int usdt_exits_find(const struct usdt_image *image,
		    const struct usdt_decoder *decoder, uint64_t area,
		    uint64_t area_end, uint64_t address,
		    struct usdt_exit *exits, uint32_t room)
{
	struct leaving l = { .image = image, .decoder = decoder,
			     .area = area, .area_end = area_end,
			     .exits = exits, .room = room, .nparts = 1 };
	uint32_t i;
	int ret = 0;

	if (!usdt_image_function(image, address, &l.parts[0]))
		return -ENOENT;
	/* a function in that area is none of its own parts */
	if (l.parts[0].start >= l.area && l.parts[0].start < l.area_end)
		l.area = l.area_end = 0;
	for (i = 0; i < l.nparts && !ret; i++)
		ret = part_look(&l, l.parts[i]);
	return ret ? ret : (int)l.count;
}

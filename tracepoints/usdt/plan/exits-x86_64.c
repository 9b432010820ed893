/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the exits of a function; see exits.h.
 *
 * A jump through a register or memory either goes on in the function, by a
 * table that a compiler made for a switch or to a label of it, or is a tail
 * call. It goes on where the stack has more than the return address, as
 * .eh_frame tells, and where the register is the sum of a table's address and a
 * word of four bytes that was loaded. Otherwise it needs the address of a place
 * in the function, which data or an instruction has: if there is none, it is a
 * tail call.
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
	const struct usdt_layout *layout;
	int apart;			/* it is in the area of parts itself */
	int framed;			/* a jump stays, by .eh_frame */
	int bare;			/* a jump leaves, if nothing has the
					 * address of a place in the function */
	int labels;			/* an instruction has one */
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

/* Returns true for a return, which may have prefixes. */
static bool is_return(const uint8_t *p)
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

/* Tells how a register was set before a jump through it: 1: by a load or copy,
 * 0: by an addition, or -ENOTUNIQ. */
static int register_set(const struct leaving *l, const struct line *line,
			uint32_t to)
{
	for (uint32_t i = line->count; i-- > 0;) {
		const uint8_t *p = usdt_image_at(l->image, line->starts[i], 16,
						 PF_X, NULL);

		if (!p)
			break;
		if (register_of(p, 0) == to)
			return 0;
		if (register_of(p, 1) == to)
			return 1;
	}
	return -ENOTUNIQ;
}

/* Returns where a jump leads by the first word of its table, whose address is
 * in the jump: table + index * 8; or 0: it is no such jump. */
static uint64_t table_target(const struct leaving *l, const uint8_t *p)
{
	const uint8_t *word;
	uint64_t target = 0;
	uint32_t table;

	if ((p[1] & 0xc7) != 4 || (p[2] & 0xc7) != 0xc5)
		return 0;
	__builtin_memcpy(&table, p + 3, 4);
	word = usdt_image_at(l->image, table, 8, PF_R, NULL);
	if (word)
		__builtin_memcpy(&target, word, 8);
	return target;
}

/* Tells whether an address is in a part that is known. */
static bool is_known(const struct leaving *l, uint64_t address)
{
	for (uint32_t i = 0; i < l->nparts; i++)
		if (address >= l->parts[i].start && address < l->parts[i].end)
			return true;
	return false;
}

/* Tells of a jump through a register or memory: 1: it leaves the function, 0:
 * it does not; or -ENOTUNIQ. */
static int through_leaves(struct leaving *l, const struct line *line,
			  const struct usdt_function *part, uint64_t address,
			  const uint8_t *p)
{
	int bare = usdt_image_bare(l->image, part, address);
	uint64_t target;
	uint32_t rex;
	int ret;

	p = opcode_of(p, &rex);
	if (p[1] >= 0xc0) {
		ret = register_set(l, line, (p[1] & 7) | (rex & 1) << 3);
		if (!ret || (ret < 0 && bare))
			return ret;
	}
	if (!bare) {
		l->framed = 1;
		return 0;
	}
	target = table_target(l, p);
	if (target)
		return !is_known(l, target);
	l->bare = 1;
	return 1;
}

bool usdt_is_linkage(const struct usdt_image *image, uint64_t address)
{
	const uint8_t *p = usdt_image_at(image, address, 16, PF_X, NULL);

	if (p && p[0] == 0xf3 && p[1] == 0x0f && p[2] == 0x1e && p[3] == 0xfa)
		p += 4;
	if (p && *p == 0xf2)
		p++;
	return p && p[0] == 0xff && p[1] == 0x25;
}

/* Tells whether code is a part of the function: it jumps back into the middle
 * of it, which no other function does. Or whether that does not matter, as it
 * does not return at all. */
static bool is_returning(const struct leaving *l,
			 const struct usdt_function *part)
{
	struct usdt_decoded insn;
	bool leaves = false;
	const uint8_t *bytes;
	uint64_t left;
	uint8_t copy[16];

	for (uint64_t at = part->start; at < part->end; at += insn.length) {
		bytes = usdt_image_at(l->image, at, 1, PF_R | PF_X, &left);
		if (!bytes || !usdt_decode(l->decoder, bytes, left, at, &insn))
			return false;
		__builtin_memset(copy, 0, sizeof(copy));
		__builtin_memcpy(copy, bytes, insn.length);
		leaves |= is_return(copy) || insn.through;
		if (!insn.leads || insn.field || insn.move == USDT_CALL)
			continue;
		if (insn.target != l->parts[0].start &&
		    is_known(l, insn.target))
			return true;
		leaves |= insn.target < part->start || insn.target >= part->end;
	}
	return !leaves;
}

/* Tells whether an address is in the function or in a part of it. A part that
 * was not known is added. */
static int is_inside(struct leaving *l, uint64_t address)
{
	struct usdt_function part;

	if (is_known(l, address))
		return 1;
	if (usdt_is_linkage(l->image, address) ||
	    !usdt_image_function(l->image, address, &part))
		return 0;
	if (!part.part && address == part.start) {
		if (l->apart || address < l->layout->area ||
		    address >= l->layout->area_end)
			return 0;
		/* a part may begin without a frame, as a function does */
		if (!is_returning(l, &part))
			return -ENOTUNIQ;
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
		     const struct usdt_function *part, uint64_t address,
		     const uint8_t *p, const struct usdt_decoded *insn)
{
	int ret;

	if (is_return(p))
		return exit_add(l, line, address, insn, USDT_RETURNS);
	if (insn->through) {
		ret = through_leaves(l, line, part, address, p);
		return ret > 0 ? exit_add(l, line, address, insn,
					  USDT_JUMPS_THROUGH) : ret;
	}
	if (insn->leads && insn->field && insn->move != USDT_CALL &&
	    insn->target != l->parts[0].start && is_known(l, insn->target))
		l->labels = 1;
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
	uint8_t copy[16];
	int ret = 0;

	for (at = part.start; at < part.end && !ret; at += insn.length) {
		bytes = usdt_image_at(l->image, at, 1, PF_R | PF_X, &left);
		if (!bytes || !usdt_decode(l->decoder, bytes, left, at, &insn))
			return -EILSEQ;
		/* the file may end behind the instruction */
		__builtin_memset(copy, 0, sizeof(copy));
		__builtin_memcpy(copy, bytes, insn.length);
		ret = insn_look(l, &line, &part, at, copy, &insn);
		if (insn.ends)
			line.count = 0;
		else
			line_add(&line, at);
	}
	return ret;
}

/* Tells whether data has the address of a place in the function, or that is not
 * known. */
static bool is_labelled(const struct leaving *l)
{
	const struct usdt_layout *layout = l->layout;

	for (uint32_t i = 0; i < l->nparts && layout->labels; i++)
		for (uint64_t at = l->parts[i].start + 1 - layout->low;
		     at < l->parts[i].end - layout->low; at++)
			if (at >= layout->bytes ||
			    layout->labels[at / 64] >> at % 64 & 1)
				return true;
	return !layout->labels;
}

/* Tells whether .eh_frame says of all returns that they are ones. It does not
 * where a compiler describes no epilogues. */
static bool is_described(const struct leaving *l)
{
	for (uint32_t i = 0; i < l->count; i++)
		for (uint32_t k = 0; k < l->nparts; k++)
			if (l->exits[i].leaving == USDT_RETURNS &&
			    l->exits[i].address >= l->parts[k].start &&
			    l->exits[i].address < l->parts[k].end &&
			    usdt_image_bare(l->image, &l->parts[k],
					    l->exits[i].address) <= 0)
				return false;
	return true;
}

int usdt_exits_find(const struct usdt_image *image,
		    const struct usdt_decoder *decoder,
		    const struct usdt_layout *layout, uint64_t address,
		    struct usdt_exit *exits, uint32_t room)
{
	struct leaving l = { .image = image, .decoder = decoder,
			     .layout = layout, .exits = exits, .room = room,
			     .nparts = 1 };
	int ret = 0;

	if (!usdt_image_function(image, address, &l.parts[0]))
		return -ENOENT;
	/* a function in that area is none of its own parts */
	l.apart = l.parts[0].start >= layout->area &&
		  l.parts[0].start < layout->area_end;
	for (uint32_t i = 0; i < l.nparts && !ret; i++)
		ret = part_look(&l, l.parts[i]);
	if (!ret && ((l.bare && (l.labels || is_labelled(&l))) ||
		     (l.framed && !is_described(&l))))
		ret = -ENOTUNIQ;
	return ret ? ret : (int)l.count;
}

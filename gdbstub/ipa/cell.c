/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cells: the filter makes gdbserver put the tracepoints of markers there.
 *
 *	cell:	nop			no tracepoint
 *	cell:	jmp pad			a tracepoint, or several
 *	pad:	... ; mov $point,%rdi ; ... ; call ipa_collect_entry ; ...
 *
 * A site cannot always be used. It may be out of the pads' reach. And where a
 * breakpoint or a plain tracepoint is, gdbserver steps over the instruction. It
 * then collects by itself for a fast tracepoint there, and has no static data.
 * gdbserver never steps over a cell, and no thread runs one: when a marker is
 * hit, the agent looks at the cell of the marker's site.
 *
 * Invariant: gdbserver changes a cell while all threads are stopped, but a
 * thread may be in this file then, and a killed gdbserver may leave half of a
 * change. So the agent checks a jump and the pad before it uses them.
 */
#include "gdbstub/ipa/ipa.h"

#include "base/base.h"

#define JUMP		0xe9
#define JUMP_BYTES	5
#define PAD_BYTES_MAX	160
#define MOVE_0		0x48		/* movabs $..., %rdi */
#define MOVE_1		0xbf
#define MOVE_BYTES	10

struct ipa_cells taffrail_ipa_cells __attribute__((visibility("default"),
						   used));

void ipa_cell_setup(struct ipa_cell *room)
{
	taffrail_ipa_cells.cells = room;
}

COLD int32_t ipa_cell_give(uint64_t site)
{
	static const struct ipa_cell empty = { IPA_CELL_CODE, 0 };
	struct ipa_cells *all = &taffrail_ipa_cells;

	if (all->n == IPA_CELLS)
		return -1;
	all->cells[all->n] = empty;
	all->cells[all->n].site = site;
	store_release(&all->n, all->n + 1, IPA_CELLS);
	return (int32_t)all->n - 1;
}

COLD void ipa_cells_clean(void)
{
	static const uint8_t code[] = IPA_CELL_CODE;
	struct ipa_cells *all = &taffrail_ipa_cells;
	uint32_t n = load_acquire(&all->n, IPA_CELLS);

	for (uint32_t i = 0; i < n; i++)
		if (*all->cells[i].code == JUMP)
			__builtin_memcpy(all->cells[i].code, code,
					 sizeof(code));
}

/* Returns the tracepoint that the pad at p belongs to, or NULL when gdbserver
 * has not written all of it. */
static struct ipa_point *moved_point(const uint8_t *p, uint64_t address)
{
	struct ipa_point *point;

	if (p[0] != MOVE_0 || p[1] != MOVE_1)
		return NULL;
	__builtin_memcpy(&point, p + 2, sizeof(point));
	return ipa_is_point(point) && point->address == address ? point : NULL;
}

/* The pad passes the tracepoint's address to the agent. Before that instruction
 * the pad has one like it, with the address of the cell. All pads of a
 * gdbserver are alike, so the search is made once. */
SIGSAFE struct ipa_point *ipa_cell_point(struct ipa_marker *marker)
{
	static uint32_t usual;
	struct ipa_point *point;
	const uint8_t *code, *pad;
	int32_t distance;

	if (marker->cell < 0)
		return NULL;
	code = taffrail_ipa_cells.cells[marker->cell].code;
	if (*(const volatile uint8_t *)code != JUMP)
		return NULL;
	__builtin_memcpy(&distance, code + 1, sizeof(distance));
	pad = code + JUMP_BYTES + distance;
	if (!ipa_is_pad(pad) || !ipa_is_pad(pad + PAD_BYTES_MAX))
		return NULL;
	point = moved_point(pad + load_relaxed(&usual), (uint64_t)code);
	for (uint32_t i = 0; !point && i < PAD_BYTES_MAX - MOVE_BYTES; i++) {
		point = moved_point(pad + i, (uint64_t)code);
		if (point)
			store_relaxed(&usual, i);
	}
	return point;
}

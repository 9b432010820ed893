/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cells: where the filter has gdbserver put the tracepoints of markers.
 *
 *	cell:	nop			nothing there
 *	cell:	jmp pad			a tracepoint, or several
 *	pad:	... ; mov $point,%rdi ; ... ; call ipa_collect_entry ; ...
 *
 * A site itself may be out of the pads' reach, and what a breakpoint or a plain
 * tracepoint is on gdbserver steps over: then it collects by itself what a fast
 * tracepoint there wants, and static data it has none. Nobody ever steps on a
 * cell. Nor does anybody run it: a marker that is hit looks at its site's.
 *
 * What must stay true: gdbserver changes a cell while all threads stand still,
 * but a thread may have come here before, and a gdbserver that was killed may
 * leave half of it. So what is found is believed when it fits.
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
	store_release(&all->n, all->n + 1);
	return (int32_t)all->n - 1;
}

COLD void ipa_cells_clean(void)
{
	static const uint8_t code[] = IPA_CELL_CODE;
	struct ipa_cells *all = &taffrail_ipa_cells;
	uint32_t n = load_acquire(&all->n);
	uint32_t i;

	for (i = 0; i < n; i++)
		if (*all->cells[i].code == JUMP)
			__builtin_memcpy(all->cells[i].code, code,
					 sizeof(code));
}

static struct ipa_point *moved(const uint8_t *p, uint64_t address)
{
	struct ipa_point *point;

	if (p[0] != MOVE_0 || p[1] != MOVE_1)
		return NULL;
	__builtin_memcpy(&point, p + 2, sizeof(point));
	return ipa_is_point(point) && point->address == address ? point : NULL;
}

/* What the pad gives to the agent: the address of the tracepoint. Before it the
 * pad has that of the cell, in the same way. All pads of a gdbserver are alike:
 * it is looked for once. */
static struct ipa_point *pad_point(const uint8_t *pad, uint64_t address)
{
	static uint32_t usual;
	struct ipa_point *point = moved(pad + load_relaxed(&usual), address);
	uint32_t i;

	for (i = 0; !point && i < PAD_BYTES_MAX - MOVE_BYTES; i++) {
		point = moved(pad + i, address);
		if (point)
			store_relaxed(&usual, i);
	}
	return point;
}

SIGSAFE struct ipa_point *ipa_cell_point(struct ipa_marker *marker)
{
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
	return pad_point(pad, (uint64_t)code);
}

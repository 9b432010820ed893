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
#include "agent/ipa.h"

#include "buffers/base.h"

#define JUMP		0xe9
#define JUMP_BYTES	5
#define PAD_BYTES_MAX	160
#define MOVE_0		0x48		/* movabs $..., %rdi */
#define MOVE_1		0xbf

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

/* What the pad gives to the agent: the address of the tracepoint. Before it the
 * pad has that of the cell, in the same way. */
static struct ipa_point *pad_point(const uint8_t *pad, uint64_t address)
{
	const uint8_t *p;

	for (p = pad; p < pad + PAD_BYTES_MAX && ipa_is_pad(p + 10); p++) {
		struct ipa_point *point;

		if (p[0] != MOVE_0 || p[1] != MOVE_1)
			continue;
		__builtin_memcpy(&point, p + 2, sizeof(point));
		if (ipa_is_point(point) && point->address == address)
			return point;
	}
	return NULL;
}

SIGSAFE struct ipa_point *ipa_cell_point(int32_t cell)
{
	const uint8_t *code = taffrail_ipa_cells.cells[cell].code;
	const uint8_t *pad = code + JUMP_BYTES;
	int32_t distance;

	if (*(const volatile uint8_t *)code != JUMP)
		return NULL;
	__builtin_memcpy(&distance, code + 1, sizeof(distance));
	pad += distance;
	return ipa_is_pad(pad) ? pad_point(pad, (uint64_t)code) : NULL;
}

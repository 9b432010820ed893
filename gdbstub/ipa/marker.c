/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of markers, by the address that gdbserver uses for a site.
 */
#include "gdbstub/ipa/ipa.h"

#include "base/base.h"

struct ipa_marker *ipa_markers;

/* as in collect-x86_64.S */
_Static_assert(sizeof(struct ipa_marker) == 32, "machine code");
_Static_assert(offsetof(struct ipa_marker, address) == 0, "machine code");
_Static_assert(offsetof(struct ipa_marker, cell) == 28, "machine code");
_Static_assert(IPA_MARKERS_MAX == 1u << 16, "machine code");
_Static_assert(sizeof(struct ipa_cell) == 16, "machine code");

void ipa_marker_setup(struct ipa_marker *room)
{
	ipa_markers = room;
}

/* Returns the place of the address in the table, or the empty one for it. At
 * most half of the table is taken, so the search ends. */
static uint32_t marker_place(uint64_t address)
{
	uint32_t i = (uint32_t)(address * 0x9e3779b97f4a7c15ull >> 40);

	for (;; i++) {
		uint64_t there = load_acquire(
			&ipa_markers[i % IPA_MARKERS_MAX].address, IPA_MARKER);

		if (!there || there == address)
			return i % IPA_MARKERS_MAX;
	}
}

struct ipa_marker *ipa_marker_find(uint64_t address)
{
	struct ipa_marker *marker = &ipa_markers[marker_place(address)];

	return marker->address ? marker : NULL;
}

bool ipa_marker_add(uint64_t address, struct object *object, int cell)
{
	static uint32_t taken;
	struct ipa_marker *marker = &ipa_markers[marker_place(address)];

	if (!marker->address) {
		if (++taken > IPA_MARKERS_MAX / 2)
			return false;
		marker->cell = cell ? ipa_cell_give(address - 1) : -1;
	}
	store_release(&marker->object, object, IPA_MARKER);
	store_release(&marker->address, address, IPA_MARKER);
	return true;
}

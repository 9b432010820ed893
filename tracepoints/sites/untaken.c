/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The places without a way, a list for each module. See untaken.h.
 */
#include "tracepoints/sites/untaken.h"

#include "base/arena.h"
#include "base/text.h"
#include "tracepoints/sites/registry.h"

static struct arena_type untaken_type = ARENA_TYPE(struct untaken);

void untaken_note(struct module *module, const char *id, uint64_t address,
		  int why)
{
	struct untaken **link = &module->untaken;
	struct untaken *place;

	while (*link && (*link)->address != address)
		link = &(*link)->next;
	place = *link;
	if (place && why == UNTAKEN_AS_BEFORE)
		return;
	if (place && !why) {
		*link = place->next;
		arena_give(&untaken_type, place);
		return;
	}
	if (!place && why) {
		place = arena_take(&untaken_type);
		if (!place)
			return;
		place->address = address;
		text_copy(place->id, sizeof(place->id), id);
		*link = place;
	}
	if (place)
		place->why = why;
}

void untaken_forget(struct module *module)
{
	while (module->untaken) {
		struct untaken *place = module->untaken;

		module->untaken = place->next;
		arena_give(&untaken_type, place);
	}
}

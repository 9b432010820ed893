/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The names of the functions to which exits jump (tail calls).
 */
#include "base/arena.h"
#include "base/sys.h"
#include "tracepoints/conditions/rule-split.h"
#include "tracepoints/usdt/place/private.h"
#include "tracepoints/usdt/plan/functions.h"
#include "tracepoints/usdt/plan/sort.h"

/* Counts or keeps a function. */
static int target_seen(const struct usdt_symbol_found *found, void *priv)
{
	struct usdt_target_names *targets = priv;

	if (targets->count < targets->room)
		targets->list[targets->count] = (struct usdt_target_named){
			.address = found->address, .symbol = found->name,
		};
	targets->count++;
	return 0;
}

static bool target_before(const void *one, const void *other)
{
	const struct usdt_target_named *a = one, *b = other;

	return a->address != b->address ? a->address < b->address :
					  rule_prefers(a->symbol, b->symbol);
}

void usdt_targets_read(struct usdt_naming *naming)
{
	struct usdt_target_names *targets = &naming->targets;
	struct usdt_target_named room;

	if (targets->list)
		return;
	usdt_functions_read(naming->file, naming->more, target_seen, targets);
	if (!targets->count)
		return;
	targets->list = sys_map_anonymous(targets->count * sizeof(room));
	targets->room = targets->list ? targets->count : 0;
	targets->count = 0;
	if (!targets->room)
		return;
	usdt_functions_read(naming->file, naming->more, target_seen, targets);
	if (targets->count > targets->room)
		targets->count = targets->room;
	sort_things(targets->list, targets->count, sizeof(room), &room,
		    target_before);
}

/* Copies a text for good. Returns NULL without memory. */
static const char *text_keep(const char *text)
{
	size_t bytes = text_length(text) + 1;
	char *kept = arena_pack(bytes);

	if (kept)
		__builtin_memcpy(kept, text, bytes);
	return kept;
}

/* Returns the first name of the function at an address, or NULL. */
static struct usdt_target_named *
target_find(const struct usdt_target_names *targets, uint64_t address)
{
	uint32_t low = 0, high = targets->count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (targets->list[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < targets->count && targets->list[low].address == address ?
		       &targets->list[low] : NULL;
}

const char *usdt_target_name(const struct usdt_naming *naming, uint64_t address)
{
	struct usdt_target_named *target = target_find(&naming->targets,
						       address);
	char place[MODULE_PATH_BYTES + 24];
	const char *name;
	struct text text;

	if (target && target->name)
		return target->name;
	name = target ? target->symbol :
			usdt_functions_import(naming->file, address);
	if (name) {
		name = rule_shown_name(name);
	} else {
		text_open(&text, place, sizeof(place));
		text_add(&text, naming->module->name);
		text_add(&text, "+0x");
		text_add_hex(&text, address, 1);
		name = place;
	}
	name = text_keep(name);
	if (target)
		target->name = name;
	return name ? name : "?";
}

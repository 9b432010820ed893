/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes the markers of the other names of functions; see struct usdt_adopted.
 */
#include <errno.h>

#include "base/base.h"
#include "base/index.h"
#include "base/text.h"
#include "tracepoints/conditions/rule-split.h"
#include "tracepoints/sites/registry.h"
#include "tracepoints/usdt/place/private.h"

/* Copies an exit, or calls, with another name. Returns NULL without memory, or
 * when the name is too long. */
static struct usdt_adopted *alias_copy(const struct usdt_adopted *first,
				       const char *name)
{
	struct usdt_operand operands[USDT_CALL_ARGUMENTS_MAX + 2];
	const struct taffrail_site *site = &first->site;
	struct usdt_adopted model = *first;
	char texts[USDT_TEXTS_BYTES];
	const char *rest;
	struct text text;

	model.site = (struct taffrail_site){
		.version_ = TAFFRAIL_SITE_VERSION,
		.kind_ = TAFFRAIL_KIND_EVENT, .nfields_ = site->nfields_,
		.nvar_ = site->nvar_, .fixed_bytes_ = site->fixed_bytes_,
		.line_ = site->line_,
	};
	__builtin_memcpy(model.site.types_, site->types_, sizeof(site->types_));
	if (first->count) {
		__builtin_memcpy(operands, first->operands,
				 first->count * sizeof(*operands));
		usdt_frame_set(&operands[first->count - 1], first, name);
		model.operands = usdt_fields_keep(operands, first->count,
						  usdt_fields_names(first));
		if (!model.operands)
			return NULL;
	}
	text_open(&text, texts, sizeof(texts));
	if (site->text_bytes_) {
		rest = usdt_texts_rest(first, 2);
		usdt_texts_open(&text, texts, name);
		text_add_bytes(&text, rest, (size_t)(first->text +
						     site->text_bytes_ - rest));
	}
	return usdt_adopted_keep(&model, &text);
}

/* Returns the frame's distance to the stack pointer; 0: calls. */
static int64_t frame_of(const struct usdt_adopted *probe)
{
	return probe->count ? probe->operands[probe->count - 1].value : 0;
}

int usdt_alias_make(const struct usdt_naming *naming,
		    struct usdt_adopted *first, const char *name,
		    const struct usdt_wanted *wanted)
{
	struct usdt_adopted *alias, **at = &first->alias;
	bool rising = first->function == USDT_EXIT;

	for (alias = first; alias; alias = alias->alias)
		if (text_equal(usdt_place_name(alias), name))
			return 0;
	alias = wanted ? usdt_function_make(naming, wanted, NULL, first) :
			 alias_copy(first, name);
	if (!alias)
		return -ENOMEM;
	alias->spot = (struct usdt_spot){ .address = first->spot.address };
	alias->placed = first->placed;
	alias->called = 0;
	alias->aliases = 1;
	alias->first = first;
	while (*at && rising == (frame_of(*at) < frame_of(alias)))
		at = &(*at)->alias;
	alias->alias = *at;
	if (usdt_marker_make(naming->module, alias, name,
			     object_of(first->site.agent_)->file,
			     usdt_place_stub(
				first->function == USDT_WHOLE ?
					&first->entry->spot : &first->spot)))
		return -ENOMEM;
	*at = alias;
	return 0;
}

static bool same_address(uint64_t value, const void *address)
{
	return ((const struct usdt_wanted *)value)->address ==
	       *(const uint64_t *)address;
}

int usdt_aliases_make(const struct usdt_naming *naming)
{
	struct usdt_wanted *wanted = naming->names;
	struct usdt_wanted *end = wanted + naming->count;
	const struct object *object;
	char name[USDT_NAME_BYTES];
	struct index names = { 0 };	/* the first of each function */
	int ret = 0;

	for (; wanted < end; wanted++)
		if (wanted == naming->names ||
		    wanted[-1].address != wanted->address)
			ret |= index_add(&names, address_hash(wanted->address),
					 (uint64_t)wanted);
	for (object = naming->module->objects; object; object = object->next) {
		struct usdt_adopted *probe = object->adopted;
		uint64_t start = probe ?
				 usdt_start(probe) - naming->module->base : 0;
		bool exit;

		if (!probe || !probe->spot.way || !probe->function ||
		    probe->function == USDT_LINE)
			continue;
		exit = probe->function == USDT_EXIT;
		wanted = (struct usdt_wanted *)
			index_find(&names, address_hash(start), same_address,
				   &start);
		for (; wanted && wanted < end && wanted->address == start;
		     wanted++)
			if (exit ? wanted->exits : wanted->entry)
				ret |= usdt_alias_make(naming, probe,
						       usdt_name_make(
							       name, wanted,
							       exit),
						       exit ? NULL : wanted);
	}
	index_clear(&names);
	return ret;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes the markers of the other names of functions; see struct usdt_adopted.
 */
#include <errno.h>

#include "base/base.h"
#include "base/text.h"
#include "tracepoints/conditions/rule-split.h"
#include "tracepoints/sites/registry.h"
#include "tracepoints/usdt/address-set.h"
#include "tracepoints/usdt/place/private.h"

/* Copies a place of a function, or calls, with another name. Returns NULL
 * without memory, or when the name is too long. */
static struct usdt_adopted *alias_copy(const struct usdt_adopted *first,
				       const char *name)
{
	const char *rest = usdt_place_name(first);
	const struct taffrail_site *site = &first->site;
	struct usdt_adopted model = *first;
	char texts[USDT_TEXT_BYTES];
	struct text text;

	model.site = (struct taffrail_site){
		.version_ = TAFFRAIL_SITE_VERSION,
		.kind_ = TAFFRAIL_KIND_EVENT, .nfields_ = site->nfields_,
		.nvar_ = site->nvar_, .fixed_bytes_ = site->fixed_bytes_,
	};
	__builtin_memcpy(model.site.types_, site->types_, sizeof(site->types_));
	text_open(&text, texts, sizeof(texts));
	text_add_bytes(&text, USDT_CHANNEL, sizeof(USDT_CHANNEL));
	text_add_bytes(&text, name, text_length(name) + 1);
	rest += text_length(rest) + 1;
	text_add_bytes(&text, rest, (size_t)(first->text + site->text_bytes_ -
					     rest));
	return text.cut ? NULL : usdt_adopted_keep(&model, texts,
						   (uint32_t)text.used);
}

/* Returns the frame's distance to the stack pointer; 0: calls. */
static int64_t frame_of(const struct usdt_adopted *probe)
{
	return probe->count ? probe->operands[probe->count - 1].value : 0;
}

/* Sets the frame of another name: 1 to 7 above that of the first, so the call
 * stands around it, and no other frame is between. The same for all places. */
static void frame_set(struct usdt_adopted *alias,
		      const struct usdt_adopted *first, const char *name)
{
	size_t n = text_length(name);
	struct usdt_operand *frame = &alias->operands[alias->count - 1];

	if (first->function == USDT_EXIT)
		n -= sizeof(RULE_RETURN) - 1;
	*frame = first->operands[first->count - 1];
	frame->value += (int64_t)(index_hash(INDEX_HASH, name, n) % 7 + 1);
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
	alias = wanted ? usdt_function_make(naming, wanted, NULL) :
			 alias_copy(first, name);
	if (!alias)
		return -ENOMEM;
	alias->address = first->address;
	alias->placed = first->placed;
	alias->way = NULL;
	alias->called = 0;
	alias->refused = 0;
	alias->first = first;
	if (first->count)
		frame_set(alias, first, name);
	while (*at && rising == (frame_of(*at) < frame_of(alias)))
		at = &(*at)->alias;
	alias->alias = *at;
	if (usdt_marker_make(naming->module, alias, usdt_place_stub(
				first->function == USDT_WHOLE ? first->entry :
								first)))
		return -ENOMEM;
	*at = alias;
	return 0;
}

static int same_address(uint64_t value, const void *address)
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
				 probe->start - naming->module->base : 0;
		int exit;

		if (!probe || !probe->way || !probe->function)
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

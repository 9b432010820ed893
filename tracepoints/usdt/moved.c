/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds sites whose code was moved behind the linker's back.
 *
 * Each marker's site has two notes: that of the marker, which is loaded and
 * relative to itself, and that of the USDT probe, which is not loaded and has
 * the address of the site. llvm-bolt writes functions anew, elsewhere in the
 * file. It knows USDT notes and gives them the new addresses; it does not know
 * the notes of markers. The old code stays where it was, with every byte that a
 * marker's note names, and nothing runs it.
 *
 * A site that is switched by code cannot be taken at the new place: no branch
 * led to the marker's arguments, so they were dropped from the new function,
 * and those of the old function are for the registers and the frame of the old
 * one. A site that tests a flag works at any place; only the address is another
 * one.
 *
 * Invariant: a module without USDT notes of a marker's name, such as one from
 * which they were removed, proves nothing, and is believed. The k-th site of a
 * name is the k-th probe of that name, as linkers keep the order of both, and
 * only if there are equally many.
 */
#include "tracepoints/usdt/usdt.h"

#include "base/index.h"
#include "base/sys.h"
#include "base/text.h"
#include "tracepoints/sites/notes.h"
#include "tracepoints/usdt/plan/note.h"

#define NOP	0x90

/* A probe that is at no site. */
struct spot {
	struct spot *next;
	uint64_t address;
};

/* The sites and probes of one "channel/name" that are not matched. */
struct group {
	struct spot *first;
	struct spot **end;
	uint32_t spots;
	uint32_t codes;
};

/* A site that no probe is at. */
struct lone {
	struct code *code;
	struct group *group;
};

struct look {
	const struct module *module;
	struct usdt_file file;
	struct index probes_at;		/* their addresses */
	struct index sites_at;
	struct index groups;		/* of names */
	uint32_t probes;
	struct group *memory;		/* for as many groups as probes, */
	struct spot *spots;		/* and as many spots */
	uint32_t used;
	struct lone *lone;		/* by the number of the site */
};

/* Of equal hashes the first is taken: a name's has 64 bits. */
static bool same_name(uint64_t value, const void *unused)
{
	return true;
}

/* Returns the hash of "channel/name". */
static uint64_t name_hash(const char *channel, const char *name)
{
	uint64_t hash = index_hash(INDEX_HASH, channel,
				   text_length(channel) + 1);

	return index_hash(hash, name, text_length(name));
}

/* Returns the group of a name, or NULL. */
static struct group *group_find(const struct look *look, const char *channel,
				const char *name)
{
	return (struct group *)index_find(&look->groups,
					  name_hash(channel, name), same_name,
					  NULL);
}

/* Adds a probe's address to those of the module. */
static int probe_learn(const struct usdt_probe *probe, void *arg)
{
	struct look *look = arg;

	look->probes++;
	return address_add(&look->probes_at,
			   look->module->base + probe->address);
}

/* Calls fn for each copy of the code of each marker in a note. */
static int codes_each(struct look *look,
		      int (*fn)(struct look *look, const struct object *object,
				struct code *code))
{
	const struct object *object;
	struct code *code;
	int ret = 0;

	for (object = look->module->objects; object; object = object->next) {
		/* the guards of TAFFRAIL_ENABLED have no USDT note */
		if (object->site->kind_ == TAFFRAIL_KIND_GUARD ||
		    object->adopted)
			continue;
		for (code = object->codes; code && !ret; code = code->next)
			ret = fn(look, object, code);
	}
	return ret;
}

/* Returns 1 when no probe is at the site. */
static int code_lacks(struct look *look, const struct object *object,
		      struct code *code)
{
	return !address_has(&look->probes_at, (uint64_t)code->address);
}

/* Adds the site's address. */
static int code_learn(struct look *look, const struct object *object,
		      struct code *code)
{
	return address_add(&look->sites_at, (uint64_t)code->address);
}

/* Tells whether the file has a nop for that address. The program headers are
 * those in memory: usdt_module_map() has compared them. */
static bool file_has_nop(const struct look *look, uint64_t address)
{
	const struct notes notes = {
		.ph = look->module->headers, .nph = look->module->nheaders,
		.base = (const char *)look->file.bytes,
		.bytes = look->file.size,
	};
	const uint8_t *code = notes_at(&notes, address, 1, PF_X);

	return code && *code == NOP;
}

/* Adds a probe at which no site is to the group of its name, in the order of
 * the notes. */
static int spot_add(const struct usdt_probe *probe, void *arg)
{
	struct look *look = arg;
	uint64_t address = look->module->base + probe->address;
	struct group *group;
	struct spot *spot;

	if (look->used == look->probes ||
	    address_has(&look->sites_at, address) ||
	    !file_has_nop(look, probe->address))
		return 0;
	group = group_find(look, probe->provider, probe->name);
	if (!group) {
		group = &look->memory[look->used];
		if (index_add(&look->groups,
			      name_hash(probe->provider, probe->name),
			      (uint64_t)group))
			return -1;
		group->end = &group->first;
	}
	spot = &look->spots[look->used++];
	spot->address = address;
	*group->end = spot;
	group->end = &spot->next;
	group->spots++;
	return 0;
}

/* Notes a site at which no probe is, by its number. */
static int code_collect(struct look *look, const struct object *object,
			struct code *code)
{
	struct group *group = group_find(look, object->channel, object->name);

	if (!group || code->number >= look->module->ncodes ||
	    address_has(&look->probes_at, (uint64_t)code->address))
		return 0;
	look->lone[code->number] = (struct lone){ code, group };
	group->codes++;
	return 0;
}

/* Matches the rest of the sites and probes, in their order. Returns -1 without
 * memory. */
static int rest_match(struct look *look, struct module *module)
{
	uint64_t groups = look->probes * sizeof(*look->memory);
	uint64_t spots = look->probes * sizeof(*look->spots);
	uint64_t lone = module->ncodes * sizeof(*look->lone);
	char *memory = sys_map_anonymous(groups + spots + lone);
	const struct object *object;
	struct group *group;
	struct code *code;
	int moved = 0;		/* a site that is switched by code */
	int ret = -1;

	if (!memory)
		return -1;
	look->memory = (struct group *)memory;
	look->spots = (struct spot *)(memory + groups);
	look->lone = (struct lone *)(memory + groups + spots);
	if (codes_each(look, code_learn) ||
	    usdt_notes_read(&look->file, spot_add, look, NULL) ||
	    codes_each(look, code_collect))
		goto unmap;
	ret = 0;
	for (uint32_t i = 0; i < module->ncodes; i++) {
		code = look->lone[i].code;
		group = look->lone[i].group;
		if (!code)
			continue;
		if (code->stub) {
			code->flags |= CODE_MOVED;
			moved = 1;
		} else if (group->codes == group->spots) {
			code->address = (uint8_t *)group->first->address;
		}
		if (group->first)
			group->first = group->first->next;
	}
	/* where sites were moved, guards were, too: nothing tells whether a
	 * guard is in a function that was not */
	for (object = moved ? module->objects : NULL; object;
	     object = object->next) {
		if (object->site->kind_ != TAFFRAIL_KIND_GUARD)
			continue;
		for (code = object->codes; code; code = code->next)
			if (code->stub)
				code->flags |= CODE_MOVED;
	}
unmap:
	sys_munmap(memory, groups + spots + lone);
	return ret;
}

bool usdt_sites_look(struct module *module)
{
	struct look look = { .module = module };
	bool unmoved = false;

	if (module->sites_seen || module->declared || !module->ncodes)
		return false;
	module->sites_seen = 1;
	if (usdt_module_map(&look.file, module))
		return false;
	if (!usdt_notes_read(&look.file, probe_learn, &look, NULL)) {
		unmoved = !look.probes || !codes_each(&look, code_lacks);
		/* another look may have the memory */
		if (!unmoved && rest_match(&look, module))
			module->sites_seen = 0;
	}
	index_clear(&look.probes_at);
	index_clear(&look.sites_at);
	index_clear(&look.groups);
	usdt_module_unmap(&look.file);
	return unmoved;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finding markers: notes in the loaded modules (include/taffrail/site.h).
 *
 * A note is believed only if everything that it names lies in the same module;
 * damaged notes are skipped. Nothing here needs a symbol, a section header or a
 * file.
 */
#include "tracepoints/sites/registry.h"

#include <elf.h>
#include <link.h>

#include "base/arena.h"
#include "base/index.h"
#include "base/text.h"
#include "tracepoints/conditions/rule-split.h"
#include "tracepoints/program/modules.h"
#include "tracepoints/sites/notes.h"

const struct adopted_functions *registry_adopted;
void (*registry_object_found)(struct object *object);
void (*registry_changed)(void);
void (*registry_callbacks_gone)(void *callbacks);

static struct arena_type code_type = ARENA_TYPE(struct code);
static struct arena_type module_type = ARENA_TYPE(struct module);
static struct arena_type slot_type = ARENA_TYPE(struct channel_slot);
static struct arena_type slots_type =
	ARENA_TYPE(struct channel_slot *[CHANNELS_MAX]);
static struct module *modules;
static uint32_t scans;

#define STUB_BYTES	24	/* taffrail/site-x86_64.h */

/* Objects of the module that is being added, by their sites. */
static struct index sites;

static bool same_site(uint64_t value, const void *site)
{
	return ((const struct object *)value)->site == site;
}

/* Returns the hash of a site's address. */
static uint64_t site_hash(const struct taffrail_site *site)
{
	return index_hash(INDEX_HASH, &site, sizeof(site));
}

/* Objects have memory for the parts of their shape, for the counts of events
 * that are too large, if some may be, and for the id behind these, in steps of
 * OBJECT_STEP bytes. */
#define OBJECT_STEP	16u
#define COUNTS_BYTES	(CHANNELS_MAX * sizeof(uint64_t *))
#define OBJECT_BYTES	(sizeof(struct object) + COUNTS_BYTES + \
			 FUNCTION_ID_BYTES)
#define OBJECT_TYPES	(OBJECT_BYTES / OBJECT_STEP + 1)

/* Of objects, and of places that are not taken. */
static struct arena_type object_types[OBJECT_TYPES];
static struct arena_type untaken_types[OBJECT_TYPES];

/* Returns the type of things with so many bytes. */
static struct arena_type *type_of(struct arena_type *types, size_t bytes)
{
	size_t steps = (bytes + OBJECT_STEP - 1) / OBJECT_STEP;

	types[steps].bytes = steps * OBJECT_STEP;
	types[steps].packed = true;
	return &types[steps];
}

/* Returns how many bytes an object has up to the end of its shape. */
static size_t shape_end(const struct write_shape *shape)
{
	return offsetof(struct object, shape) +
	       offsetof(struct write_shape, var[shape->nvar]);
}

/* Returns how many bytes an object has before the id. */
static size_t object_bytes(const struct write_shape *shape)
{
	return shape_end(shape) + (shape->nvar ? COUNTS_BYTES : 0);
}

/* Gives the memory of an object back. */
static void object_give(struct object *object)
{
	arena_give(type_of(object_types, object_bytes(&object->shape) +
					 text_length(object->id) + 1), object);
}

/* Makes the object of a site whose texts are known; the id is cut to
 * `room` - 1 bytes. */
static struct object *object_make(struct module *module,
				  struct taffrail_site *site,
				  const char *const texts[static 4],
				  size_t room)
{
	struct write_shape shape = { 0 };
	char id[FUNCTION_ID_BYTES];
	struct object *object;
	struct text text;
	size_t bytes;

	if (shape_make(&shape, site, texts[2]))
		return NULL;
	text_open(&text, id, room);
	text_add(&text, texts[0]);
	text_add_char(&text, '/');
	text_add(&text, texts[1]);
	bytes = object_bytes(&shape);
	object = arena_take(type_of(object_types,
				    bytes + text_length(id) + 1));
	if (!object)
		return NULL;
	object->id = (char *)object + bytes;
	text_copy(object->id, sizeof(id), id);
	if (shape.nvar)
		shape.oversize = (uint64_t **)((char *)object +
					       shape_end(&shape));
	__builtin_memcpy(&object->shape, &shape,
			 shape_end(&shape) - offsetof(struct object, shape));
	shape_types(object->types, site, &shape);
	object->module = module;
	object->site = site;
	object->channel = texts[0];
	object->name = texts[1];
	object->format = texts[2];
	object->file = texts[3];
	object->next = module->objects;
	module->objects = object;
	return object;
}

/* Makes the object of a site in a note, which the four texts follow. Returns
 * NULL when the site is malformed or taken, or without memory. */
static struct object *object_add(struct module *module,
				 struct taffrail_site *site, int has_texts)
{
	const char *p = (const char *)(site + 1);
	const char *end, *texts[4];
	struct object *object;

	/* `agent` is set: another copy of the agent has taken the site */
	if (site->version_ != TAFFRAIL_SITE_VERSION || site->agent_ ||
	    !has_texts)
		return NULL;
	end = p + site->text_bytes_;
	for (int i = 0; i < 4; i++) {
		texts[i] = p;
		while (p < end && *p)
			p++;
		if (p++ == end)
			return NULL;
	}
	object = object_make(module, site, texts, OBJECT_ID_BYTES);
	if (!object || !index_add(&sites, site_hash(site), (uint64_t)object))
		return object;
	module->objects = object->next;
	object_give(object);
	return NULL;
}

/* Sets the site's own slot, before the object is on. */
static void site_prepare(struct object *object)
{
	struct write_slot *slot = (struct write_slot *)object->site;

	slot->rings[WRITE_COMPACT] = &rings_off;
	slot->rings[WRITE_WIDE] = &rings_off;
	slot->shape = &object->shape;
	slot->fixed_bytes = object->shape.fixed_bytes;
	store_release(&slot->hit, write_nothing, SITE_HIT);
}

/* Adds a copy of a marker's code. Returns -1 without memory. */
static int code_add(struct object *object, const struct code *model)
{
	struct code *code = object->codes ? arena_take(&code_type) :
					    &object->first;

	if (!code)
		return -1;
	*code = *model;
	code->next = object->codes;
	object->codes = code;
	return 0;
}

struct object *registry_add(struct module *module, struct taffrail_site *site,
			    const char *const texts[static 4],
			    const struct code *code)
{
	struct object *object = object_make(module, site, texts,
					    text_equal(texts[0], "fn") ?
						    FUNCTION_ID_BYTES :
						    OBJECT_ID_BYTES);

	if (!object)
		return NULL;
	if (!site->text_bytes_)
		object->name = object->id + text_length(texts[0]) + 1;
	site_prepare(object);
	if (!code_add(object, code))
		return object;
	module->objects = object->next;
	object_give(object);
	return NULL;
}

/* The notes of the module that is being added. */
struct taking {
	struct notes notes;
	struct module *module;
	struct code *last;
};

/* Returns the code that it added, or NULL. */
static struct code *note_take(const struct taking *taking, uint64_t address,
			      const void *desc)
{
	const struct notes *notes = &taking->notes;
	struct taffrail_note note;
	struct taffrail_site *site;
	struct object *object;
	uint8_t *stub = NULL;
	uint8_t *code;
	uint64_t at;

	__builtin_memcpy(&note, desc, sizeof(note));
	code = notes_at(notes, address + note.code_, 6, PF_R | PF_X);
	if (note.stub_)
		stub = notes_at(notes, address + 8 + note.stub_, STUB_BYTES,
				PF_R | PF_X);
	at = address + 4 + note.object_;
	site = notes_at(notes, at, sizeof(*site), PF_R | PF_W);
	if (!code || !site || (uint64_t)site & 7 || (!stub && note.stub_) ||
	    (!stub && !(note.flags_ & TAFFRAIL_SITE_FLAG_TESTED)))
		return NULL;
	object = (struct object *)index_find(&sites, site_hash(site),
					     same_site, site);
	if (!object) {
		object = object_add(taking->module, site,
				    !!notes_at(notes, at + sizeof(*site),
					       site->text_bytes_, PF_R));
		if (!object)
			return NULL;
		site_prepare(object);
	}
	if (code_add(object, &(struct code){
				     .address = code,
				     .stub = stub,
				     .flags = note.flags_ &
					      ~(CODE_MOVED |
						CODE_SETTLED),
				     .number = taking->module->ncodes++ }))
		return NULL;
	return object->codes;
}

/* Takes a note of the module, by its type; others are left out. A note of a
 * semaphore is for the code that came last, if both name the same code. */
static int note_dispatch(uint32_t type, uint64_t address, const void *desc,
			 uint64_t n, void *arg)
{
	struct taking *taking = arg;
	const struct notes *notes = &taking->notes;
	struct taffrail_semaphore note;
	uint16_t *semaphore;
	struct code *code;

	if (type == TAFFRAIL_NOTE_TYPE && n >= sizeof(struct taffrail_note))
		taking->last = note_take(taking, address, desc);
	if (type != TAFFRAIL_NOTE_SEMAPHORE || n < sizeof(note))
		return 0;
	__builtin_memcpy(&note, desc, sizeof(note));
	code = taking->last;
	semaphore = notes_at(notes, address + 4 + note.semaphore_,
			     sizeof(*semaphore), PF_R | PF_W);
	if (code && semaphore && !((uint64_t)semaphore & 1) &&
	    code->address == notes_at(notes, address + note.code_, 1,
				      PF_R | PF_X))
		code->semaphore = semaphore;
	return 0;
}

/* Adds a module with all its markers. Returns NULL without memory. */
static struct module *module_add(const struct dl_phdr_info *info,
				 uint64_t start, uint64_t end)
{
	struct module *module = arena_take(&module_type);
	struct taking taking = {
		.notes = { .ph = info->dlpi_phdr, .nph = info->dlpi_phnum,
			   .base = (const char *)info->dlpi_addr },
		.module = module,
	};
	const char *name = info->dlpi_name, *last;
	struct text path;

	if (!module)
		return NULL;
	/* the program itself has no name; a module whose name is no path of a
	 * file is not opened */
	text_open(&path, module->path, sizeof(module->path));
	text_add(&path, name && name[0] ? name : "/proc/self/exe");
	if (path.cut || module->path[0] != '/')
		module->path[0] = '\0';
	/* rules name modules, also where the path is a relative one */
	for (last = name; name && *name; name++)
		if (*name == '/')
			last = name + 1;
	if (last)
		text_copy(module->name, sizeof(module->name), last);
	text_copy(module->names, sizeof(module->names), module->name);
	module->base = info->dlpi_addr;
	module->start = start;
	module->end = end;
	module->headers = info->dlpi_phdr;
	module->nheaders = info->dlpi_phnum;
	notes_each(&taking.notes, note_dispatch, &taking);
	index_clear(&sites);
	module->next = modules;
	modules = module;
	return module;
}

struct scan {
	int changed;
	int came;
	int everywhere;		/* other namespaces are looked at */
	bool elsewhere;		/* the module is of such a one */
};

/* Takes a module of the dynamic linker's list. Modules of other namespaces come
 * with the first one, while the linker's lock is held. */
static int module_seen(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct module *module;
	struct object *object;
	uint64_t start = ~0ull;		/* of the segments, if any */
	uint64_t end = 0;
	struct scan *scan = arg;

	if (!scan->everywhere++) {
		scan->elsewhere = true;
		modules_each_elsewhere(module_seen, arg);
		scan->elsewhere = false;
	}
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uint64_t low = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type != PT_LOAD)
			continue;
		if (low < start)
			start = low;
		if (low + ph->p_memsz > end)
			end = low + ph->p_memsz;
	}
	if (start >= end)
		return 0;
	for (module = modules; module && (module->base != info->dlpi_addr ||
					  module->start != start);)
		module = module->next;
	if (!module) {
		module = module_add(info, start, end);
		if (!module)
			return 0;
		module->elsewhere = scan->elsewhere;
		scan->came = 1;
		if (module->objects)
			scan->changed = 1;
		for (object = module->objects; object; object = object->next)
			if (registry_object_found)
				registry_object_found(object);
	}
	module->seen = scans;
	return 0;
}

bool registry_slot(struct object *object, uint32_t bit)
{
	struct channel_slot **place = &object->slot, *own;

	if (object->slot && object->slot_bit != bit) {
		if (!object->slots)
			object->slots = arena_take(&slots_type);
		if (!object->slots)
			return false;
		place = &object->slots[bit];
	}
	if (*place)
		return true;
	own = arena_take(&slot_type);
	if (!own)
		return false;
	own->slot.rings[WRITE_COMPACT] = &rings_off;
	own->slot.rings[WRITE_WIDE] = &rings_off;
	own->slot.hit = write_nothing;
	/* hits look at it once the channel is in `on` */
	if (place == &object->slot)
		object->slot_bit = (uint8_t)bit;
	*place = own;
	return true;
}

/* Gives an object back, which is in no list any more. */
static void object_forget(struct object *object)
{
	if (object->adopted)
		registry_adopted->gone(object->adopted);
	if (object->callbacks)
		registry_callbacks_gone(object->callbacks);
	while (object->codes) {
		struct code *code = object->codes;

		object->codes = code->next;
		if (code != &object->first)
			arena_give(&code_type, code);
	}
	if (object->slot)
		arena_give(&slot_type, object->slot);
	for (uint32_t i = 0; i < CHANNELS_MAX && object->slots; i++)
		if (object->slots[i])
			arena_give(&slot_type, object->slots[i]);
	if (object->slots)
		arena_give(&slots_type, object->slots);
	object_give(object);
}

/* Leads the sites of a module to a function; or, where that is NULL, lets them
 * go. In a call of modules_each() the module stays. */
static int module_give(struct dl_phdr_info *info, size_t size, void *function)
{
	struct module *module;
	struct object *object;

	for (module = modules; module; module = module->next) {
		if (module->headers != info->dlpi_phdr)
			continue;
		for (object = module->objects; object; object = object->next) {
			struct taffrail_site *site = object->site;

			if (object->adopted || site->agent_ != &object->shape)
				continue;
			if (function)
				store_relaxed(&site->hit_,
					      (taffrail_hit_fn *)function);
			else
				site->agent_ = NULL;
		}
	}
	return 0;
}

void registry_sites_lead(taffrail_hit_fn *function)
{
	modules_each(module_give, (void *)(function ? function :
					   (taffrail_hit_fn *)write_nothing));
}

void registry_sites_leave(void)
{
	modules_each(module_give, NULL);
}

struct object *registry_declare(struct module *module,
				struct taffrail_site *site,
				const char *const texts[static 4],
				const struct code *code)
{
	struct object *object;

	if (!module->seen) {
		module->seen = 1;
		module->declared = 1;
		module->next = modules;
		modules = module;
	}
	object = registry_add(module, site, texts, code);
	if (object && object->next)
		object->next->before = object;
	return object;
}

void registry_undeclare(struct object *object)
{
	struct object *before = object->before;

	*(before ? &before->next : &object->module->objects) = object->next;
	if (object->next)
		object->next->before = before;
	object_forget(object);
	if (registry_changed)
		registry_changed();
}

/* A place, to is_untaken(). */
struct sought {
	uint64_t address;
	const char *id;
};

/* As index_find() asks: compares the address of a place, and the name where it
 * is that of a source line: others may be there. */
static bool is_untaken(uint64_t value, const void *sought)
{
	const struct untaken *place = (const struct untaken *)value;
	const struct sought *other = sought;
	bool lines = text_after(place->id, "line/") ||
		     text_after(other->id, "line/");

	return place->address == other->address &&
	       (!lines || text_equal(place->id, other->id));
}

/* As such: the address alone, of a place that has a reason. */
static bool is_beside(uint64_t value, const void *sought)
{
	const struct untaken *place = (const struct untaken *)value;

	return place->why &&
	       place->address == ((const struct sought *)sought)->address;
}

/* Returns the type of a place that has this id. */
static struct arena_type *untaken_type(const char *id)
{
	return type_of(untaken_types,
		       sizeof(struct untaken) + text_length(id) + 1);
}

void untaken_note(struct module *module, const char *id, uint64_t address,
		  int why)
{
	/* of a program's functions there may be thousands */
	uint64_t hash = index_hash(INDEX_HASH, &address, sizeof(address));
	const struct sought sought = { address, id };
	struct untaken *place = (struct untaken *)
		index_find(&module->untaken_at, hash, is_untaken, &sought);

	if (why == UNTAKEN_BESIDE) {
		const struct untaken *beside = (const struct untaken *)
			index_find(&module->untaken_at, hash, is_beside,
				   &sought);

		why = beside ? beside->why : 0;
	}
	if (place && (why != UNTAKEN_AS_BEFORE || !place->why))
		place->why = why;
	if (place || !why)
		return;
	place = arena_take(untaken_type(id));
	if (!place)
		return;
	place->address = address;
	place->why = why;
	text_copy(place->id, text_length(id) + 1, id);
	if (index_add(&module->untaken_at, hash, (uint64_t)place)) {
		arena_give(untaken_type(id), place);
		return;
	}
	*(module->untaken ? module->untaken_end : &module->untaken) = place;
	module->untaken_end = &place->next;
}

/* Forgets the places of a module that is gone. */
static void untaken_forget(struct module *module)
{
	index_clear(&module->untaken_at);
	while (module->untaken) {
		struct untaken *place = module->untaken;

		module->untaken = place->next;
		arena_give(untaken_type(place->id), place);
	}
}

bool registry_scan(void)
{
	struct module **link = &modules;
	struct scan scan = { 0 };
	struct object *object;

	scans++;
	modules_each(module_seen, &scan);
	while (*link) {
		struct module *module = *link;

		if (module->seen == scans || module->declared) {
			link = &module->next;
			continue;
		}
		*link = module->next;
		scan.changed |= !!module->objects;
		while ((object = module->objects)) {
			module->objects = object->next;
			object_forget(object);
		}
		index_clear(&module->usdt_refused);
		untaken_forget(module);
		arena_give(&module_type, module);
	}
	if (scan.changed && registry_changed)
		registry_changed();
	return scan.came;
}

SIGSAFE int registry_each_module(int (*fn)(struct module *module, void *arg),
				 void *arg)
{
	struct module *module;
	int ret = 0;

	for (module = modules; module && !ret; module = module->next)
		ret = fn(module, arg);
	return ret;
}

int registry_each(int (*fn)(struct object *object, void *arg), void *arg)
{
	struct module *module;
	struct object *object;
	int ret;

	for (module = modules; module; module = module->next) {
		for (object = module->objects; object; object = object->next) {
			ret = fn(object, arg);
			if (ret)
				return ret;
		}
	}
	return 0;
}

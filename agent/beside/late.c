/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An agent that comes into a running program: providers have registered with
 * stock, whose list of them is not exported. They are looked for in the
 * segments of modules that need stock's function, and of stock's library. Such
 * a module is never unloaded any more. Providers to come call this library
 * (names.c).
 *
 * A description is recognized by sizes, version, and events that point back to
 * it. All memory is read through the kernel, as a word that looks like a
 * pointer may be none.
 */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include "agent/beside/private.h"
#include "agent/late.h"
#include "base/base.h"
#include "base/sys.h"
#include "base/text.h"
#include "tracepoints/program/modules.h"

#define MODULES_MAX	256
#define NAMES_BYTES	32768
#define FOUND_MAX	1024
#define CHUNK_BYTES	16384u
#define STRUCTURE_MOST	256u	/* bytes of a structure of a later series */
#define EVENTS_MAX	65536u
#define FIELDS_MAX	1024u
#define ENTRIES_MAX	16384u
#define WORD_BYTES	4096u
#define PAGE_BYTES	4096u

/* Modules that may have providers: their names, "" for the program. Only the
 * thread of an attach uses these. */
static char names[NAMES_BYTES] TABLE;
static const char *modules[MODULES_MAX];
static uint32_t nmodules;

static struct found {
	const void *description;
	bool is_older;
} found[FOUND_MAX] TABLE;
static uint32_t nfound;

static bool memory_take(void *to, const void *from, uint64_t bytes)
{
	return sys_read_memory(sys_getpid(), to, (uint64_t)from, bytes) ==
	       (long)bytes;
}

/* Returns true for a text that ends. */
static bool is_text(const char *text)
{
	char bytes[64];
	uint32_t i;

	for (uint32_t done = 0; text && done < WORD_BYTES; done += i) {
		/* up to the end of a page: the next one may not be there */
		uint64_t at = (uint64_t)(text + done);
		uint32_t n = sizeof(bytes) - (uint32_t)(at % sizeof(bytes));

		if (!memory_take(bytes, text + done, n))
			return false;
		for (i = 0; i < n; i++)
			if (!bytes[i])
				return true;
	}
	return false;
}

/* Copies a structure whose first word, or second with `of_type`, is its size.
 * Returns false when it is not there, or smaller than here. */
static bool structure_take(void *to, const void *from, uint32_t bytes,
			   bool of_type)
{
	uint32_t size;

	if (!from || (uint64_t)from % 4 || !memory_take(to, from, bytes))
		return false;
	__builtin_memcpy(&size, (char *)to + (of_type ? 4 : 0), sizeof(size));
	return size >= bytes && size <= STRUCTURE_MOST;
}

#define TAKE(to, from)	structure_take(to, from, sizeof(*(to)), false)
#define TAKE_TYPE(to, from)	structure_take(to, from, sizeof(*(to)), true)

/* Reads entry i of an array of pointers. */
static const void *pointer_at(const void *array, uint64_t i)
{
	const void *p;

	return array && memory_take(&p, (const char *)array + i * sizeof(p),
				    sizeof(p)) ? p : NULL;
}

static bool are_names(const struct ust_enum_names *at)
{
	struct ust_enum_names these;
	struct ust_enum_entry entry;

	if (!TAKE(&these, at) || these.n > ENTRIES_MAX)
		return false;
	for (uint32_t i = 0; i < these.n; i++)
		if (!TAKE(&entry, pointer_at(these.entries, i)) ||
		    !is_text(entry.label))
			return false;
	return true;
}

/* Returns true for a type that can be read as a whole; one that is unknown is
 * read no further. */
static bool is_type(const struct ust_type *at)
{
	union {
		struct ust_type any;
		struct ust_integer integer;
		struct ust_float real;
		struct ust_string string;
		struct ust_enum names;
		struct ust_array array;
		struct ust_sequence sequence;
		struct ust_blob blob;
		struct ust_blob_sequence blobs;
	} type;
	struct ust_integer element;

	if (!TAKE_TYPE(&type.any, at))
		return false;
	switch (type.any.kind) {
	case UST_INTEGER:
		return TAKE_TYPE(&type.integer, at);
	case UST_FLOAT:
		return TAKE_TYPE(&type.real, at);
	case UST_STRING:
		return TAKE_TYPE(&type.string, at);
	case UST_ENUM:
		return TAKE_TYPE(&type.names, at) &&
		       TAKE_TYPE(&element, type.names.container) &&
		       are_names(type.names.names);
	case UST_ARRAY:
		return TAKE_TYPE(&type.array, at) &&
		       TAKE_TYPE(&element, type.array.element);
	case UST_SEQUENCE:
		return TAKE_TYPE(&type.sequence, at) &&
		       TAKE_TYPE(&element, type.sequence.element);
	case UST_BLOB:
		return TAKE_TYPE(&type.blob, at);
	case UST_BLOB_SEQUENCE:
		return TAKE_TYPE(&type.blobs, at);
	default:
		return true;
	}
}

static bool are_fields(const struct ust_class *class)
{
	struct ust_field field;

	if (class->n > FIELDS_MAX)
		return false;
	for (uint64_t i = 0; i < class->n; i++)
		if (!TAKE(&field, pointer_at(class->fields, i)) ||
		    !is_text(field.name) || !is_type(field.type))
			return false;
	return true;
}

/* Returns true when the words that tell an event's level and model are there,
 * or lead nowhere. */
static bool are_words(const int **to_level, const char **to_uri)
{
	const int *level = NULL;
	const char *uri = NULL;
	int number;

	if ((to_level && !memory_take(&level, to_level, 8)) ||
	    (to_uri && !memory_take(&uri, to_uri, 8)))
		return false;
	return (!level || memory_take(&number, level, sizeof(number))) &&
	       (!uri || is_text(uri));
}

static bool is_event(const struct ust_event *at,
		     const struct ust_provider *provider)
{
	struct ust_event event;
	struct ust_class class;

	return TAKE(&event, at) && event.provider == provider &&
	       is_text(event.name) && TAKE(&class, event.class) &&
	       class.probe && is_text(class.signature) && are_fields(&class) &&
	       are_words(event.level, event.uri);
}

/* `copy` is a copy of the bytes at the provider's address. */
static bool is_provider(const struct ust_provider *copy,
			const struct ust_provider *at)
{
	if (copy->bytes < sizeof(*copy) || copy->bytes > STRUCTURE_MOST ||
	    !copy->n || copy->n > EVENTS_MAX || !describe_knows(copy) ||
	    !is_text(copy->name))
		return false;
	for (uint32_t i = 0; i < copy->n; i++)
		if (!is_event(pointer_at(copy->events, i), at))
			return false;
	return true;
}

/* Structures of 2.12 and older have no sizes. */
static bool are_older_names(const struct older_enum_names *at)
{
	struct older_enum_entry entry;
	struct older_enum_names these;

	if (!memory_take(&these, at, sizeof(these)) || these.n > ENTRIES_MAX)
		return false;
	for (uint32_t i = 0; these.entries && i < these.n; i++)
		if (!memory_take(&entry, these.entries + i, sizeof(entry)) ||
		    !is_text(entry.label))
			return false;
	return true;
}

static bool is_older_field(const struct older_field *at)
{
	const struct older_enum_names *enumeration;
	struct older_field field;

	if (!memory_take(&field, at, sizeof(field)) || !is_text(field.name) ||
	    (uint32_t)field.kind > OLDER_FLOAT)
		return false;
	/* the names stand first */
	__builtin_memcpy(&enumeration, field.basic, sizeof(enumeration));
	return field.kind != OLDER_ENUM || !enumeration ||
	       are_older_names(enumeration);
}

static bool is_older_event(const struct older_event *at, const char *provider)
{
	struct older_event event;
	const char *name;

	if (!at || !memory_take(&event, at, sizeof(event)) ||
	    !is_text(event.name) || !event.probe || event.n > FIELDS_MAX ||
	    !is_text(event.signature) || !are_words(event.level, event.uri))
		return false;
	name = text_after(event.name, provider);
	for (uint32_t i = 0; i < event.n; i++)
		if (!is_older_field(event.fields + i))
			return false;
	return name && *name == ':';
}

static bool is_older_provider(const struct older_provider *copy)
{
	if (copy->major != OLDER_MAJOR || !copy->n || copy->n > EVENTS_MAX ||
	    !is_text(copy->name))
		return false;
	for (uint32_t i = 0; i < copy->n; i++)
		if (!is_older_event(pointer_at(copy->events, i), copy->name))
			return false;
	return true;
}

/* Notes a description of either interface, whose bytes are at `copy`. */
static void description_look(const char *copy, const void *at)
{
	struct older_provider older;
	struct ust_provider later;
	bool is_older;

	__builtin_memcpy(&later, copy, sizeof(later));
	__builtin_memcpy(&older, copy, sizeof(older));
	is_older = is_older_provider(&older);
	if (nfound < FOUND_MAX && (is_older || is_provider(&later, at)))
		found[nfound++] = (struct found){ at, is_older };
}

static void segment_search(uint64_t start, uint64_t end)
{
	static char chunk[CHUNK_BYTES + sizeof(struct older_provider)];
	const uint64_t least = sizeof(struct ust_provider);
	uint64_t at = (start + 7) & ~7ull;
	uint64_t wanted, got, i;

	while (at + least <= end) {
		long n;

		wanted = min_u64(sizeof(chunk), end - at);
		n = sys_read_memory(sys_getpid(), chunk, at, wanted);
		got = n < 0 ? 0 : (uint64_t)n;
		__builtin_memset(chunk + got, 0, sizeof(chunk) - got);
		for (i = 0; i < CHUNK_BYTES && i + least <= got; i += 8)
			description_look(chunk + i, (const void *)(at + i));
		/* a page that cannot be read is left out */
		at = n == (long)wanted ?
			     at + CHUNK_BYTES :
			     ((at + got) / PAGE_BYTES + 1) * PAGE_BYTES;
	}
}

/* Searches the module of that name. */
static int module_search(struct dl_phdr_info *info, size_t size, void *name)
{
	if (!text_equal(info->dlpi_name, name) ||
	    module_has(info, (void *)beside_register))
		return 0;
	/* also those that are only read: in a program at a fixed address, a
	 * description is a constant */
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *ph = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type == PT_LOAD && ph->p_flags & PF_R)
			segment_search(start, start + ph->p_memsz);
	}
	return 1;
}

/* Notes a module that needs or has stock's functions. */
static int module_note(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct text *text = arg;

	if (nmodules == MODULES_MAX ||
	    module_has(info, (void *)beside_register) ||
	    (!module_is(info, UST_LIBRARY) &&
	     !module_needs(info, "lttng_ust_probe_register") &&
	     !module_is(info, OLDER_LIBRARY) &&
	     !module_needs(info, "lttng_probe_register")))
		return 0;
	modules[nmodules] = text->start + text->used;
	text_add_bytes(text, info->dlpi_name, text_length(info->dlpi_name) + 1);
	if (!text->cut)
		nmodules++;
	return 0;
}

static void late_find(void)
{
	struct text text;
	uint32_t before;
	void *handle;

	/* the modules are kept loaded: stock alone learns when one leaves */
	text_open(&text, names, sizeof(names));
	nmodules = 0;
	nfound = 0;
	modules_each(module_note, &text);
	for (uint32_t i = 0; i < nmodules; i++) {
		before = nfound;
		/* while it is searched it must stay */
		handle = *modules[i] ?
				 dlopen(modules[i], RTLD_LAZY | RTLD_NOLOAD) :
				 NULL;
		if (*modules[i] && !handle)
			continue;
		modules_each(module_search, (void *)modules[i]);
		if (handle && nfound > before)
			dlopen(modules[i],
			       RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
		if (handle)
			dlclose(handle);
	}
	dlerror();
	for (uint32_t i = 0; i < nfound; i++) {
		if (found[i].is_older)
			older_come(found[i].description);
		else
			provider_come(found[i].description, NULL);
	}
}

static void late_lead(void)
{
	stock_late = true;
	names_lead(false);
}

static void modules_come(void)
{
	names_lead(true);
	elsewhere_look();
}

static const struct late_hooks hooks = {
	.lead = late_lead,
	.find = late_find,
	.back = names_lead_back,
};

__attribute__((constructor(103))) static void late_start(void)
{
	names_ours[0] = (void *)beside_register;
	names_ours[1] = (void *)beside_unregister;
	names_ours[2] = (void *)beside_register_older;
	names_ours[3] = (void *)beside_unregister_older;
	late_hooks = &hooks;
	late_mapped = modules_come;
}

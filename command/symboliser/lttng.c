/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events of LTTng-UST in an ELF file: the symboliser's child. The descriptions
 * of providers (tracepoints/lttng/ust.h) lie in the segments that are loaded;
 * their pointers are there, or in the relocations that the dynamic linker
 * would apply. They are found as the agent finds those of a running program
 * (agent/beside/late.c): by sizes, version, and events that point back.
 *
 * Invariant: describe_event() gets copies, which have no pointer of the file:
 * each pointer leads to a copy, to a text of the file that ends, or nowhere.
 */
#include "command/symboliser/lttng-private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tracepoints/fields/fields.h"
#include "tracepoints/lttng/older.h"
#include "tracepoints/sites/notes.h"

/*
 * Events of LTTng-UST 2.12 and older in an ELF file: descriptions without size
 * fields (tracepoints/lttng/older.h) are copied, and translated to those of
 * later series. They are found by names: those of a provider's events begin
 * with the provider's.
 */

/* Copies n structures of 2.12 and older, which do not say their size. */
static void *older_copy(struct reader *r, uint64_t address, uint32_t n,
			size_t bytes)
{
	const void *at = address % 4 || !address || !n ? NULL :
			 notes_at(r->notes, address, n * bytes, PF_R);
	void *copy = at ? lttng_copy(r, n * bytes) : NULL;

	if (copy)
		memcpy(copy, at, n * bytes);
	return copy;
}

static const struct older_enum_names *older_names_copy(struct reader *r,
						       uint64_t address)
{
	struct older_enum_names *names = older_copy(r, address, 1,
						    sizeof(*names));
	struct older_enum_entry *entries;
	uint64_t from;

	if (!names || names->n > LTTNG_ENTRIES_MAX)
		return NULL;
	from = lttng_pointer(r, MEMBER(address, struct older_enum_names,
				       entries));
	entries = older_copy(r, from, names->n, sizeof(*entries));
	for (uint32_t i = 0; entries && i < names->n; i++)
		entries[i].label = lttng_text(r, MEMBER(from +
			i * sizeof(*entries), struct older_enum_entry, label));
	names->name = NULL;
	names->entries = entries;
	return names;
}

static const struct older_field *older_fields_copy(struct reader *r,
						   uint64_t address, uint32_t n)
{
	struct older_field *fields = older_copy(r, address, n, sizeof(*fields));
	struct older_basic *basic;

	for (uint32_t i = 0; fields && i < n; i++) {
		uint64_t at = address + i * sizeof(*fields);
		uint64_t kind = MEMBER(at, struct older_field, kind);

		fields[i].name = lttng_text(r, MEMBER(at, struct older_field,
						   name));
		basic = (void *)&fields[i].kind;
		if (basic->kind == OLDER_ENUM)
			basic->enumeration.names = older_names_copy(r,
				lttng_pointer(r, MEMBER(kind,
						     struct older_basic,
						     enumeration.names)));
	}
	return fields;
}

/* Adds an event of a provider up to 2.12. */
static int older_add(struct reader *r, const struct ust_provider *provider,
		     uint64_t address)
{
	struct older_event *event = older_copy(r, address, 1, sizeof(*event));
	uint64_t probe = lttng_pointer(r, MEMBER(address, struct older_event,
					      probe));
	size_t bytes;
	void *room;

	if (!event)
		return r->error;
	event->name = lttng_text(r, MEMBER(address, struct older_event, name));
	event->probe = (void (*)(void))(uintptr_t)probe;
	if (event->n > LTTNG_FIELDS_MAX)
		return r->error;
	event->fields = older_fields_copy(r, lttng_pointer(r, MEMBER(address,
		struct older_event, fields)), event->n);
	event->level = lttng_level(r, lttng_pointer(r, MEMBER(address,
		struct older_event, level)));
	event->uri = lttng_uri(r, lttng_pointer(r, MEMBER(address,
		struct older_event, uri)));
	event->signature = lttng_text(r, MEMBER(address, struct older_event,
					     signature));
	bytes = older_bytes(event);
	room = bytes && !r->error ? lttng_copy(r, bytes) : NULL;
	return room ? lttng_tell(r, provider,
				 older_translate(room, event, provider),
				 probe) : r->error;
}

/* Returns true for the description of an event of such a provider. */
static bool is_older_event(const struct reader *r, uint64_t address,
			   const char *provider)
{
	/* "PROVIDER:EVENT" is the first member */
	const char *name = address ? lttng_text(r, address) : NULL;
	size_t n = strlen(provider);

	return name && !strncmp(name, provider, n) && name[n] == ':';
}

/* Adds the events of a provider of 2.12 and older, if `bytes` at that address
 * describe one. Returns 0 or a negative errno. */
static int provider_look_older(struct reader *r, uint64_t address,
			       const char *bytes)
{
	struct ust_provider *provider;
	struct older_provider at;
	const char *name;
	uint64_t events;
	int ret = 0;

	memcpy(&at, bytes, sizeof(at));
	if (!at.n || at.n > LTTNG_EVENTS_MAX)
		return 0;
	events = lttng_pointer(r, MEMBER(address, struct older_provider,
					 events));
	name = events ? lttng_text(r, address) : NULL;
	if (!name || !marker_name_valid(name))
		return 0;
	for (uint32_t i = 0; i < at.n; i++)
		if (!is_older_event(r, lttng_pointer(r, events + i *
						  sizeof(uint64_t)), name))
			return 0;
	if (r->nproviders++ == LTTNG_PROVIDERS_MAX)
		return -E2BIG;
	provider = lttng_copy(r, sizeof(*provider));
	if (!provider)
		return r->error;
	provider->bytes = sizeof(*provider);
	provider->name = name;
	for (uint32_t i = 0; i < at.n && !ret; i++)
		ret = older_add(r, provider, lttng_pointer(r, events + i *
							sizeof(uint64_t)));
	return ret;
}

/* Adds the event of a call site of these series. */
static int site_look_older(struct reader *r, uint64_t address,
			   const char *bytes)
{
	static const char zeros[16];
	const char *name, *event;
	struct older_tracepoint site;
	char *provider;

	memcpy(&site, bytes, sizeof(site));
	/* off: no tracer has been there; a description of an event has the
	 * address of a probe function there */
	if (memcmp(site.padding, zeros, sizeof(site.padding)) != 0 ||
	    lttng_pointer(r, MEMBER(address, struct older_tracepoint, state)) ||
	    lttng_pointer(r, MEMBER(address, struct older_tracepoint, probes)))
		return 0;
	name = lttng_text(r, address);
	event = name ? strchr(name, ':') : NULL;
	if (!event || !marker_name_valid(event + 1) ||
	    !lttng_text(r, MEMBER(address, struct older_tracepoint,
				  signature)))
		return 0;
	provider = lttng_copy(r, (size_t)(event - name) + 1);
	if (!provider)
		return r->error;
	memcpy(provider, name, (size_t)(event - name));
	return lttng_tell_site(r, provider, event + 1, address);
}

/* names that a file needs, with a NUL before them and one behind */
#define REGISTER	"\0lttng_ust_probe_register"
#define REGISTER_OLDER	"\0lttng_probe_register"	/* up to 2.12 */
#define CALL_SITES	"\0dlsym"
/* names that call sites look for */
#define REGISTER_SITES	"lttng_ust_tracepoint_module_register"
#define REGISTER_OLDER_SITES	"tracepoint_register_lib"
#define STRUCTURE_MOST	256u	/* bytes of a structure of a later series */
#define ALIGN		8u

/* Copies a structure of `bytes`, whose first word, or second with `of_type`, is
 * its size, `least` at least. Returns NULL when it is not there. */
static void *structure_copy(struct reader *r, uint64_t address, size_t bytes,
			    size_t least, bool of_type)
{
	const char *at = address % 4 || !address ? NULL :
			 notes_at(r->notes, address, least, PF_R);
	uint32_t size;
	size_t n;
	void *copy;

	if (!at)
		return NULL;
	memcpy(&size, at + (of_type ? 4 : 0), sizeof(size));
	n = size < bytes ? size : bytes;
	if (size < least || size > STRUCTURE_MOST ||
	    !notes_at(r->notes, address, n, PF_R))
		return NULL;
	copy = lttng_copy(r, bytes);
	if (copy)
		memcpy(copy, at, n);
	return copy;
}

#define COPY(r, address, type) \
	((type *)structure_copy(r, address, sizeof(type), sizeof(type), false))

/* A type is read whole where its size says that it is; describe_event() looks
 * at the size. */
#define COPY_TYPE(r, address, type)                          \
	((type *)structure_copy(r, address, sizeof(type),    \
				sizeof(struct ust_type), true))

static const struct ust_enum_names *names_copy(struct reader *r,
					       uint64_t address)
{
	struct ust_enum_names *names = COPY(r, address, struct ust_enum_names);
	const struct ust_enum_entry **entries;
	struct ust_enum_entry *entry;
	uint64_t array, at;

	if (!names || names->n > LTTNG_ENTRIES_MAX)
		return NULL;
	array = lttng_pointer(r, MEMBER(address, struct ust_enum_names,
					entries));
	entries = lttng_copy(r, (names->n + 1) * sizeof(*entries));
	for (uint32_t i = 0; entries && i < names->n; i++) {
		at = lttng_pointer(r, array + i * sizeof(uint64_t));
		entry = COPY(r, at, struct ust_enum_entry);
		if (entry)
			entry->label = lttng_text(r, MEMBER(at,
				struct ust_enum_entry, label));
		entries[i] = entry;
	}
	names->entries = entries;
	names->name = NULL;
	names->provider = NULL;
	return names;
}

static const struct ust_integer *element_copy(struct reader *r,
					      uint64_t address)
{
	return COPY_TYPE(r, lttng_pointer(r, address), struct ust_integer);
}

static const struct ust_type *type_copy(struct reader *r, uint64_t address)
{
	struct ust_type *type = COPY_TYPE(r, address, struct ust_type);
	struct ust_sequence *sequence;
	struct ust_array *array;
	struct ust_enum *names;

	if (!type)
		return NULL;
	switch (type->kind) {
	case UST_INTEGER:
		return (void *)COPY_TYPE(r, address, struct ust_integer);
	case UST_FLOAT:
		return (void *)COPY_TYPE(r, address, struct ust_float);
	case UST_BLOB:
		return (void *)COPY_TYPE(r, address, struct ust_blob);
	case UST_ENUM:
		names = COPY_TYPE(r, address, struct ust_enum);
		if (names) {
			names->names = names_copy(r, lttng_pointer(r,
				MEMBER(address, struct ust_enum, names)));
			names->container = element_copy(r,
				MEMBER(address, struct ust_enum, container));
		}
		return (void *)names;
	case UST_ARRAY:
		array = COPY_TYPE(r, address, struct ust_array);
		if (array)
			array->element = element_copy(r,
				MEMBER(address, struct ust_array, element));
		return (void *)array;
	case UST_SEQUENCE:
		sequence = COPY_TYPE(r, address, struct ust_sequence);
		if (sequence)
			sequence->element = element_copy(r,
				MEMBER(address, struct ust_sequence, element));
		return (void *)sequence;
	default:
		return type;
	}
}

static const struct ust_class *class_copy(struct reader *r, uint64_t address,
					  uint64_t *probe)
{
	struct ust_class *class = COPY(r, address, struct ust_class);
	const struct ust_field **fields;
	struct ust_field *field;
	uint64_t array, at;

	*probe = lttng_pointer(r, MEMBER(address, struct ust_class, probe));
	if (!class || !*probe || class->n > LTTNG_FIELDS_MAX)
		return NULL;
	array = lttng_pointer(r, MEMBER(address, struct ust_class, fields));
	fields = lttng_copy(r, (class->n + 1) * sizeof(*fields));
	for (uint64_t i = 0; fields && i < class->n; i++) {
		at = lttng_pointer(r, array + i * sizeof(uint64_t));
		field = COPY(r, at, struct ust_field);
		if (field) {
			field->name = lttng_text(r, MEMBER(at, struct ust_field,
							name));
			field->type = type_copy(r, lttng_pointer(r,
				MEMBER(at, struct ust_field, type)));
		}
		fields[i] = field;
	}
	class->fields = fields;
	class->probe = (void (*)(void))(uintptr_t)*probe;
	class->signature = lttng_text(r, MEMBER(address, struct ust_class,
					     signature));
	class->provider = NULL;
	return class;
}

/* Adds an event. Returns 0 or a negative errno. */
static int event_add(struct reader *r, const struct ust_provider *provider,
		     uint64_t address)
{
	struct ust_event *event = COPY(r, address, struct ust_event);
	uint64_t probe = 0;

	if (!event)
		return r->error;
	event->name = lttng_text(r, MEMBER(address, struct ust_event, name));
	event->provider = provider;
	event->class = class_copy(r, lttng_pointer(r, MEMBER(address,
				  struct ust_event, class)), &probe);
	event->level = lttng_level(r, lttng_pointer(r, MEMBER(address,
				  struct ust_event, level)));
	event->uri = lttng_uri(r, lttng_pointer(r, MEMBER(address,
			      struct ust_event, uri)));
	return lttng_tell(r, provider, event, probe);
}

/* Returns true for a description of a provider, whose events point back. */
static bool is_provider(const struct reader *r, const struct ust_provider *p,
			uint64_t address, uint64_t events)
{
	uint64_t event;

	if (p->bytes < sizeof(*p) || p->bytes > STRUCTURE_MOST || !p->n ||
	    p->n > LTTNG_EVENTS_MAX || p->major < UST_MAJOR_LEAST ||
	    p->major > UST_MAJOR_MOST ||
	    !lttng_text(r, MEMBER(address, struct ust_provider, name)))
		return false;
	for (uint32_t i = 0; i < p->n; i++) {
		event = lttng_pointer(r, events + i * sizeof(uint64_t));
		if (!event || lttng_pointer(r, MEMBER(event, struct ust_event,
						   provider)) != address)
			return false;
	}
	return true;
}

/* Adds the event of a call site. */
static int site_look(struct reader *r, uint64_t address, const char *bytes)
{
	struct ust_tracepoint site;
	const char *provider, *event;

	memcpy(&site, bytes, sizeof(site));
	/* off: no tracer has been there */
	if (site.bytes < sizeof(site) || site.bytes > STRUCTURE_MOST ||
	    site.state || site.probes)
		return 0;
	provider = lttng_text(r, MEMBER(address, struct ust_tracepoint,
					provider));
	event = lttng_text(r, MEMBER(address, struct ust_tracepoint, event));
	if (!provider || !event ||
	    !lttng_text(r, MEMBER(address, struct ust_tracepoint, signature)))
		return 0;
	return lttng_tell_site(r, provider, event, address);
}

/* Calls `look` at each place of the segments where a structure of `bytes` may
 * be. */
static int places_search(struct reader *r, size_t bytes,
			 int (*look)(struct reader *r, uint64_t address,
				     const char *bytes))
{
	const Elf64_Phdr *ph = r->notes->ph;
	const char *at;
	int ret = 0;

	for (uint64_t k = 0; k < r->notes->nph; k++) {
		at = ph[k].p_type == PT_LOAD && ph[k].p_flags & PF_R ?
			     notes_at(r->notes, ph[k].p_vaddr, ph[k].p_filesz,
				      PF_R) : NULL;
		for (uint64_t i = -ph[k].p_vaddr % ALIGN;
		     at && !ret && i + bytes <= ph[k].p_filesz; i += ALIGN)
			ret = look(r, ph[k].p_vaddr + i, at + i);
	}
	return ret;
}

/* Adds the events of a description, if it is one of a provider. */
static int provider_look(struct reader *r, uint64_t address, const char *bytes)
{
	struct ust_provider *copy, at;
	uint64_t events;
	int ret = 0;

	memcpy(&at, bytes, sizeof(at));
	events = at.bytes < sizeof(at) ? 0 :
		 lttng_pointer(r, MEMBER(address, struct ust_provider, events));
	if (!events || !is_provider(r, &at, address, events))
		return 0;
	if (r->nproviders++ == LTTNG_PROVIDERS_MAX)
		return -E2BIG;
	copy = lttng_copy(r, sizeof(*copy));
	if (!copy)
		return r->error;
	*copy = at;
	copy->name = lttng_text(r, MEMBER(address, struct ust_provider, name));
	copy->events = NULL;
	for (uint32_t k = 0; k < at.n && !ret; k++)
		ret = event_add(r, copy, lttng_pointer(r, events +
						    k * sizeof(uint64_t)));
	return ret;
}

/* The parts of the file that the dynamic linker uses. */
struct dynamic {
	uint64_t strings, string_bytes, symbols, relocations, relocation_bytes;
};

static void dynamic_read(const struct notes *notes, struct dynamic *to)
{
	const Elf64_Phdr *ph = notes->ph;
	const char *at = NULL;
	uint64_t n = 0;
	Elf64_Dyn entry;

	*to = (struct dynamic){ 0 };
	for (uint32_t i = 0; i < notes->nph && !at; i++)
		if (ph[i].p_type == PT_DYNAMIC) {
			n = ph[i].p_filesz;
			at = notes_at(notes, ph[i].p_vaddr, n, PF_R);
		}
	for (; at && n >= sizeof(entry); n -= sizeof(entry)) {
		memcpy(&entry, at, sizeof(entry));
		at += sizeof(entry);
		if (entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag == DT_STRTAB)
			to->strings = entry.d_un.d_ptr;
		else if (entry.d_tag == DT_STRSZ)
			to->string_bytes = entry.d_un.d_val;
		else if (entry.d_tag == DT_SYMTAB)
			to->symbols = entry.d_un.d_ptr;
		else if (entry.d_tag == DT_RELA)
			to->relocations = entry.d_un.d_ptr;
		else if (entry.d_tag == DT_RELASZ)
			to->relocation_bytes = entry.d_un.d_val;
	}
}

/* Reads the words that the dynamic linker stores. A symbol of another module
 * has no address here. Returns 0 or -ENOMEM. */
static int words_read(struct reader *r, const struct dynamic *dynamic)
{
	const char *at = notes_at(r->notes, dynamic->relocations,
				  dynamic->relocation_bytes, PF_R);
	size_t n = dynamic->relocation_bytes / sizeof(Elf64_Rela);
	const void *symbol_at;
	Elf64_Rela rela;
	Elf64_Sym symbol;

	if (!at)
		return 0;
	r->words = calloc(n + 1, sizeof(*r->words));
	if (!r->words)
		return -ENOMEM;
	for (; n--; at += sizeof(rela)) {
		struct word word;

		memcpy(&rela, at, sizeof(rela));
		word.address = rela.r_offset;
		word.value = (uint64_t)rela.r_addend;
		if (ELF64_R_TYPE(rela.r_info) == R_X86_64_64) {
			symbol_at = notes_at(r->notes, dynamic->symbols +
				ELF64_R_SYM(rela.r_info) * sizeof(symbol),
				sizeof(symbol), PF_R);
			memset(&symbol, 0, sizeof(symbol));
			if (symbol_at)
				memcpy(&symbol, symbol_at, sizeof(symbol));
			word.value = symbol.st_shndx == SHN_UNDEF ? 0 :
					     word.value + symbol.st_value;
		} else if (ELF64_R_TYPE(rela.r_info) != R_X86_64_RELATIVE) {
			continue;
		}
		r->words[r->nwords++] = word;
	}
	qsort(r->words, r->nwords, sizeof(*r->words), lttng_compare_words);
	return 0;
}

/* Returns true when a file needs or has a symbol, which a NUL precedes. */
static bool is_needed(const struct notes *notes, const struct dynamic *dynamic,
		      const char *name, size_t bytes)
{
	const char *strings = notes_at(notes, dynamic->strings,
				       dynamic->string_bytes, PF_R);

	return strings && memmem(strings, dynamic->string_bytes, name, bytes);
}

/* Returns true when a file has that name, by which call sites register. */
static bool has_sites(const struct notes *notes, const char *name)
{
	const Elf64_Phdr *ph = notes->ph;
	const char *at;

	for (uint32_t i = 0; i < notes->nph; i++) {
		at = ph[i].p_type == PT_LOAD ?
			     notes_at(notes, ph[i].p_vaddr, ph[i].p_filesz,
				      PF_R) : NULL;
		if (at && memmem(at, ph[i].p_filesz, name, strlen(name) + 1))
			return true;
	}
	return false;
}

int symboliser_read_lttng(struct symboliser_markers *markers,
			  const struct notes *notes, bool apart,
			  symboliser_take *take, void *priv)
{
	struct reader r = { .notes = notes, .markers = markers, .take = take,
			    .priv = priv, .why = apart ? WHY_APART : 0 };
	struct dynamic dynamic;
	bool providers, older, older_sites;
	int ret;

	dynamic_read(notes, &dynamic);
	providers = is_needed(notes, &dynamic, REGISTER, sizeof(REGISTER));
	older = is_needed(notes, &dynamic, REGISTER_OLDER,
			  sizeof(REGISTER_OLDER));
	older_sites = is_needed(notes, &dynamic, CALL_SITES,
				sizeof(CALL_SITES));
	r.has_sites = older_sites && has_sites(notes, REGISTER_SITES);
	older_sites = older_sites && !r.has_sites &&
		      has_sites(notes, REGISTER_OLDER_SITES);
	if (!providers && !older && !r.has_sites && !older_sites)
		return 0;
	if (!providers && !older)
		r.why = WHY_OWN;
	ret = words_read(&r, &dynamic);
	if ((providers || r.has_sites) && !ret)
		ret = places_search(&r, sizeof(struct ust_provider),
				    provider_look);
	if ((older || older_sites) && !ret)
		ret = places_search(&r, sizeof(struct older_provider),
				    provider_look_older);
	if (r.has_sites && !ret)
		ret = places_search(&r, sizeof(struct ust_tracepoint),
				    site_look);
	if (older_sites && !ret)
		ret = places_search(&r, sizeof(struct older_tracepoint),
				    site_look_older);
	free(r.ids);
	free(r.words);
	return ret;
}

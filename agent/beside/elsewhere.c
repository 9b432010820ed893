/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Providers in other namespaces of the dynamic linker (dlmopen(3)). They
 * register with a copy of LTTng's library there, not here, so their events have
 * markers that say so.
 *
 * The linker tells of a module before it relocates the module, and LTTng may
 * end the program in a constructor there. So the descriptions are read as in a
 * file, with the words that relocations will store. All addresses are the
 * file's.
 */
#include <errno.h>
#include <link.h>

#include "agent/beside/private.h"
#include "base/text.h"
#include "control/threads/settings.h"
#include "tracepoints/sites/notes.h"
#include "tracepoints/sites/registry.h"

#define TEXT_MOST	4096u
#define STRUCTURE_MOST	256u	/* bytes of a structure of a later series */
#define EVENTS_MAX	65536u
/* Relocations that are looked at for a module, some 200 ms: data of a large one
 * may look like many descriptions. One with 1000 events takes half of it. */
#define STEPS_MAX	(1u << 28)

struct reading {
	struct notes notes;
	struct symbols symbols;
	struct object *came;		/* markers */
	uint64_t steps;			/* relocations to be looked at */
	bool older;			/* LTTng-UST 2.12 or older */
	bool found;
};

static const void *bytes_at(const struct reading *r, uint64_t address,
			    uint64_t n)
{
	return notes_at(&r->notes, address, n, PF_R);
}

/* Returns the word at an address as it is once the module is relocated. */
static uint64_t word_at(struct reading *r, uint64_t address)
{
	const uint64_t base = (uint64_t)r->notes.base;
	const Elf64_Rela *rela = r->symbols.relocations[0];
	uint64_t n = rela ? r->symbols.bytes[0] / sizeof(*rela) : 0;
	const void *at = bytes_at(r, address, sizeof(uint64_t));
	const Elf64_Sym *symbol;
	uint64_t word = 0;

	for (; n-- && r->steps; rela++, r->steps--) {
		if (rela->r_offset != address)
			continue;
		if (ELF64_R_TYPE(rela->r_info) == R_X86_64_RELATIVE)
			return (uint64_t)rela->r_addend;
		symbol = &r->symbols.symbols[ELF64_R_SYM(rela->r_info)];
		return ELF64_R_TYPE(rela->r_info) == R_X86_64_64 &&
				       symbol->st_shndx ?
			       symbol->st_value + (uint64_t)rela->r_addend : 0;
	}
	if (at)
		__builtin_memcpy(&word, at, sizeof(word));
	/* without a relocation in the table (DT_RELR) */
	return word < base ? word : word - base;
}

/* Returns the text that the pointer at an address leads to, or NULL where none
 * ends. */
static const char *text_at(struct reading *r, uint64_t address)
{
	uint64_t from = word_at(r, address);
	const char *text;

	for (uint64_t n = 1; n <= TEXT_MOST; n++) {
		text = bytes_at(r, from, n);
		if (!text || !text[n - 1])
			return text;
	}
	return NULL;
}

/* Returns the name of an event, to which a word at an address leads, of the
 * provider at another one, or NULL. In 2.12 and older, that of the provider and
 * a colon precede it; later ones point back to the provider. */
static const char *event_at(struct reading *r, uint64_t provider,
			    const char *name, uint64_t address)
{
	uint64_t at = word_at(r, address);
	const char *text;

	if (r->older) {
		text = text_at(r, at + offsetof(struct older_event, name));
		text = text ? text_after(text, name) : NULL;
		return text && *text == ':' ? text + 1 : NULL;
	}
	return word_at(r, at + offsetof(struct ust_event, provider)) ==
			       provider ?
		       text_at(r, at + offsetof(struct ust_event, name)) : NULL;
}

/* Makes the markers of the provider whose description is at an address, if one
 * is. */
static void provider_look(struct reading *r, uint64_t at)
{
	const struct older_provider *older = bytes_at(r, at, sizeof(*older));
	const struct ust_provider *later = bytes_at(r, at, sizeof(*later));
	bool is_one = r->older ? older && older->major == OLDER_MAJOR :
				 later && later->bytes >= sizeof(*later) &&
				 later->bytes <= STRUCTURE_MOST &&
				 later->major >= UST_MAJOR_LEAST &&
				 later->major <= UST_MAJOR_MOST;
	uint32_t n = !is_one ? 0 : r->older ? older->n : later->n;
	uint64_t events;
	const char *name;

	if (!n || n > EVENTS_MAX)
		return;
	name = text_at(r, at + (r->older ?
				offsetof(struct older_provider, name) :
				offsetof(struct ust_provider, name)));
	events = word_at(r, at + (r->older ?
				  offsetof(struct older_provider, events) :
				  offsetof(struct ust_provider, events)));
	for (uint32_t i = 0; i < n; i++)
		if (!name || !event_at(r, at, name, events + i * 8ull))
			return;
	for (uint32_t i = 0; i < n; i++)
		provider_leave_out(name, event_at(r, at, name, events +
						  i * 8ull), -EXDEV, &r->came);
	r->found = true;
}

/* Looks at a module that may have a provider, until one is found: C++ makes
 * some in constructors. */
static int module_look(struct module *module, void *arg)
{
	const struct dl_phdr_info info = {
		.dlpi_addr = module->base,
		.dlpi_phdr = module->headers,
		.dlpi_phnum = (uint16_t)module->nheaders,
	};
	const Elf64_Phdr *ph = module->headers;
	struct reading *r = arg;
	uint32_t n;

	if (!module->elsewhere || module->beside_seen ||
	    !symbols_find(&r->symbols, &info))
		return 0;
	r->notes = (struct notes){ .ph = ph, .nph = module->nheaders,
				   .base = (const char *)module->base };
	r->older = module_needs(&info, "lttng_probe_register");
	r->found = !r->older &&
		   !module_needs(&info, "lttng_ust_probe_register");
	n = r->found ? 0 : module->nheaders;
	r->steps = STEPS_MAX;
	for (uint32_t i = 0; i < n; i++) {
		if (ph[i].p_type != PT_LOAD || !(ph[i].p_flags & PF_R))
			continue;
		for (uint64_t at = (ph[i].p_vaddr + 7) & ~7ull;
		     at < ph[i].p_vaddr + ph[i].p_filesz; at += 8)
			provider_look(r, at);
	}
	module->beside_seen = r->found || !r->steps;
	return 0;
}

void elsewhere_look(void)
{
	struct reading r = { .came = NULL };

	registry_each_module(module_look, &r);
	if (r.came && !agent_off)
		loader_came(r.came);
}

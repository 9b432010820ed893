/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of LTTng's that the program's modules need or have, by their tables of
 * symbols.
 */
#include <elf.h>
#include <link.h>

#include "agent/beside/private.h"
#include "agent/late.h"
#include "base/base.h"
#include "base/text.h"
#include "buffers/gnu-hash.h"
#include "control/threads/settings.h"
#include "tracepoints/program/modules.h"

bool symbols_find(struct symbols *found, const struct dl_phdr_info *info)
{
	const Elf64_Dyn *d = NULL;

	*found = (struct symbols){ 0 };
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			d = (const void *)(info->dlpi_addr +
					   info->dlpi_phdr[i].p_vaddr);
	for (; d && d->d_tag != DT_NULL; d++) {
		const void *at = (const void *)d->d_un.d_ptr;

		if (d->d_tag == DT_RELASZ)
			found->bytes[0] = d->d_un.d_val;
		if (d->d_tag == DT_PLTRELSZ)
			found->bytes[1] = d->d_un.d_val;
		/* the vdso's addresses are not relocated; it needs nothing */
		if (d->d_un.d_ptr < info->dlpi_addr)
			continue;
		if (d->d_tag == DT_SYMTAB)
			found->symbols = at;
		else if (d->d_tag == DT_STRTAB)
			found->strings = at;
		else if (d->d_tag == DT_GNU_HASH)
			found->gnu = at;
		else if (d->d_tag == DT_HASH)
			found->sysv = at;
		else if (d->d_tag == DT_RELA)
			found->relocations[0] = at;
		else if (d->d_tag == DT_JMPREL)
			found->relocations[1] = at;
	}
	if (!found->symbols || !found->strings)
		return false;
	return true;
}

/* Returns how many there are. The walk over libc's table takes 1 us. */
static uint32_t symbols_count(const struct symbols *of)
{
	uint32_t n = of->sysv ? of->sysv[1] :
		     of->gnu  ? gnu_hash_count(of->gnu) : 0;
	const Elf64_Rela *r;
	uint64_t left;

	if (of->sysv || !of->gnu || n > of->gnu[1])
		return n;
	/* an empty one does not say how many others there are; those that the
	 * module needs are relocated */
	for (int i = 0; i < 2; i++) {
		r = of->relocations[i];
		for (left = r ? of->bytes[i] / sizeof(*r) : 0; left--; r++)
			if (ELF64_R_SYM(r->r_info) >= n)
				n = ELF64_R_SYM(r->r_info) + 1;
	}
	return n;
}

/* Returns how many come before the module's own. GNU's table is sorted, and has
 * only these. */
static uint32_t symbols_needed(const struct symbols *of)
{
	const uint32_t *gnu = of->gnu, *buckets;

	buckets = gnu ? gnu + gnu_hash_buckets(gnu) : NULL;
	for (uint32_t i = 0; gnu && i < gnu[0]; i++)
		if (buckets[i])
			return gnu[1];
	return symbols_count(of);
}

static const Elf64_Sym *symbol_of(const struct symbols *symbols, uint32_t n,
				  const char *name)
{
	for (uint32_t i = 0; i < n; i++)
		if (text_equal(symbols->strings + symbols->symbols[i].st_name,
			       name))
			return &symbols->symbols[i];
	return NULL;
}

bool module_is(const struct dl_phdr_info *info, const char *library)
{
	return text_after(text_file_name(info->dlpi_name), library);
}

bool module_needs(const struct dl_phdr_info *info, const char *name)
{
	struct symbols symbols;
	const Elf64_Sym *symbol;

	if (!symbols_find(&symbols, info))
		return false;
	symbol = symbol_of(&symbols, symbols_needed(&symbols), name);
	return symbol && !symbol->st_shndx;
}

uint64_t *module_symbol(const struct dl_phdr_info *info, const char *name)
{
	struct symbols symbols;
	const Elf64_Sym *symbol;

	if (!symbols_find(&symbols, info))
		return NULL;
	symbol = symbol_of(&symbols, symbols_count(&symbols), name);
	return symbol && symbol->st_shndx ? (uint64_t *)&symbol->st_value :
					    NULL;
}

void module_entries(const struct dl_phdr_info *info,
		    void (*call)(uint64_t *at, const char *name, void *arg),
		    void *arg)
{
	const Elf64_Rela *r;
	struct symbols of;
	uint64_t left;

	for (int i = 0; symbols_find(&of, info) && i < 2; i++) {
		r = of.relocations[i];
		left = r ? of.bytes[i] / sizeof(*r) : 0;
		for (; left--; r++)
			if (ELF64_R_TYPE(r->r_info) == R_X86_64_JUMP_SLOT ||
			    ELF64_R_TYPE(r->r_info) == R_X86_64_GLOB_DAT)
				call((uint64_t *)(info->dlpi_addr +
						  r->r_offset),
				     of.strings + of.symbols[ELF64_R_SYM(
						  r->r_info)].st_name, arg);
	}
}

/* The first modules in the list stay: those that the program started with, or
 * of which the agent knows no more than that one is the program. */
static uint32_t staying = 1;

static int module_count(struct dl_phdr_info *info, size_t size, void *n)
{
	++*(uint32_t *)n;
	return 0;
}

/* Before any constructor of the program. */
__attribute__((constructor(103))) static void modules_start(void)
{
	uint32_t n = 0;

	if (agent_off || attach_loads())
		return;
	modules_each(module_count, &n);
	staying = n;
}

struct place {
	const void *address;
	uint32_t left;			/* modules to look at */
	bool found;
};

static int module_look(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct place *place = arg;

	place->found = place->left-- && module_has(info, place->address);
	return place->found || !place->left;
}

bool module_stays(const void *address)
{
	struct place place = { .address = address, .left = staying };

	modules_each(module_look, &place);
	return place.found;
}

/* Returns 1 for a module that needs LTTng's function for forks. */
static int module_forks(struct dl_phdr_info *info, size_t size, void *unused)
{
	return module_needs(info, "lttng_ust_before_fork") ||
	       module_needs(info, "ust_before_fork");
}

bool modules_tell_forks(void)
{
	return modules_each(module_forks, NULL);
}

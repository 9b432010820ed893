/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the program's modules need of LTTng's libraries, by their tables of
 * symbols.
 */
#include <elf.h>
#include <link.h>

#include "agent/beside/private.h"
#include "base/base.h"
#include "base/gnu-hash.h"
#include "base/text.h"
#include "tracepoints/program/modules.h"

/* A module's symbols. */
struct symbols {
	const Elf64_Sym *symbols;
	const char *strings;
	uint32_t n;
};

/* Finds a module's table of symbols. Returns false when it has none. */
static bool symbols_find(struct symbols *found,
			 const struct dl_phdr_info *info)
{
	const uint32_t *gnu = NULL, *sysv = NULL;
	const Elf64_Dyn *d = NULL;
	int i;

	*found = (struct symbols){ 0 };
	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			d = (const void *)(info->dlpi_addr +
					   info->dlpi_phdr[i].p_vaddr);
	for (; d && d->d_tag != DT_NULL; d++) {
		const void *at = (const void *)d->d_un.d_ptr;

		/* the vdso's addresses are not relocated; it needs nothing */
		if (d->d_un.d_ptr < info->dlpi_addr)
			continue;
		if (d->d_tag == DT_SYMTAB)
			found->symbols = at;
		else if (d->d_tag == DT_STRTAB)
			found->strings = at;
		else if (d->d_tag == DT_GNU_HASH)
			gnu = at;
		else if (d->d_tag == DT_HASH)
			sysv = at;
	}
	if (!found->symbols || !found->strings)
		return false;
	found->n = sysv ? sysv[1] : gnu ? gnu_hash_count(gnu) : 0;
	return true;
}

/* Returns the symbol of that name, or NULL. */
static const Elf64_Sym *symbol_of(const struct dl_phdr_info *info,
				  const char *name)
{
	struct symbols symbols;
	uint32_t i;

	if (!symbols_find(&symbols, info))
		return NULL;
	for (i = 0; i < symbols.n; i++)
		if (text_equal(symbols.strings + symbols.symbols[i].st_name,
			       name))
			return &symbols.symbols[i];
	return NULL;
}

/* Returns 1 for a module that needs LTTng's function for forks. */
static int module_forks(struct dl_phdr_info *info, size_t size, void *unused)
{
	const Elf64_Sym *symbol = symbol_of(info, "lttng_ust_before_fork");

	(void)size;
	(void)unused;
	return symbol && !symbol->st_shndx;
}

bool modules_tell_forks(void)
{
	return modules_each(module_forks, NULL);
}

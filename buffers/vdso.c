/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds a function of the vDSO: an ELF image whose address is in the auxiliary
 * vector (AT_SYSINFO_EHDR, vdso(7)).
 *
 * Invariant: a kernel may leave out DT_HASH or DT_GNU_HASH, so the
 * number of symbols comes from the table that is there.
 */
#include "buffers/vdso-private.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>

#include "base/text.h"
#include "buffers/gnu-hash.h"

struct symbols {
	const char *base;		/* addresses are relative to it */
	const Elf64_Sym *table;
	const char *names;
	const uint32_t *hash;
	const uint32_t *gnu_hash;
};

static bool symbols_find(const Elf64_Ehdr *image, struct symbols *symbols)
{
	const char *start = (const char *)image;
	const Elf64_Phdr *ph = (const void *)(start + image->e_phoff);
	const Elf64_Dyn *dynamic = NULL;

	for (int i = 0; i < image->e_phnum; i++) {
		if (ph[i].p_type == PT_LOAD && !symbols->base)
			symbols->base = start + ph[i].p_offset - ph[i].p_vaddr;
		if (ph[i].p_type == PT_DYNAMIC)
			dynamic = (const void *)(start + ph[i].p_offset);
	}
	if (!dynamic || !symbols->base)
		return false;
	for (; dynamic->d_tag != DT_NULL; dynamic++) {
		const void *p = symbols->base + dynamic->d_un.d_ptr;

		if (dynamic->d_tag == DT_SYMTAB)
			symbols->table = p;
		else if (dynamic->d_tag == DT_STRTAB)
			symbols->names = p;
		else if (dynamic->d_tag == DT_HASH)
			symbols->hash = p;
		else if (dynamic->d_tag == DT_GNU_HASH)
			symbols->gnu_hash = p;
	}
	return symbols->table && symbols->names;
}

void *vdso_find_in(const void *image, const char *name)
{
	struct symbols symbols = { 0 };
	uint32_t count = 0;

	if (!symbols_find(image, &symbols))
		return NULL;
	if (symbols.hash)
		count = symbols.hash[1];
	else if (symbols.gnu_hash)
		count = gnu_hash_count(symbols.gnu_hash);
	for (uint32_t i = 0; i < count; i++) {
		const Elf64_Sym *symbol = &symbols.table[i];

		if (symbol->st_shndx != SHN_UNDEF &&
		    ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
		    text_equal(symbols.names + symbol->st_name, name))
			return (char *)(uintptr_t)symbols.base +
			       symbol->st_value;
	}
	return NULL;
}

void *vdso_find(const char *name)
{
	const void *image = (const void *)getauxval(AT_SYSINFO_EHDR);

	return image ? vdso_find_in(image, name) : NULL;
}

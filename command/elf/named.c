/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads segments and symbols of ELF files. See named-private.h. Facts: ELF,
 * gABI 4.1, "Program Header" and "Symbol Table".
 *
 * What must stay true here: the file is input, and may change while it is read:
 * it is not mapped. The work is bounded, whatever its tables say.
 */
#include "command/elf/named-private.h"

#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/elf/mapped-private.h"

#define SYMBOL_BYTES	160		/* of a name, with its NUL; cut */
#define STEPS_MAX	(1u << 26)	/* over symbols and what they cover */

/* The best symbol so far for an address. */
struct found {
	char name[SYMBOL_BYTES];
	uint64_t before;		/* bytes from the symbol on */
	int rank;
};

struct naming {
	const struct named_module *module;
	struct named_address *addresses;
	struct found *found;
	size_t n;
	uint32_t steps;
};

static Elf *open_elf(int fd)
{
	GElf_Ehdr header;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header) &&
	    header.e_ident[EI_CLASS] == ELFCLASS64 &&
	    (header.e_type == ET_EXEC || header.e_type == ET_DYN))
		return elf;
	elf_end(elf);
	return NULL;
}

static void add_segment(struct named_module *module, const GElf_Phdr *ph)
{
	struct named_segment *more =
		reallocarray(module->segments, module->nsegments + 1,
			     sizeof(*more));

	if (!more)
		return;
	module->segments = more;
	more[module->nsegments++] =
		(struct named_segment){ ph->p_vaddr, ph->p_memsz,
					ph->p_flags & PF_X };
}

/* Returns whether the mapping begins with the first page of the segment, or in
 * it. */
static bool maps_segment(const struct mapped *mapped, const GElf_Phdr *ph)
{
	uint64_t page = ph->p_align > 1 ? ph->p_align : 1;

	return ph->p_flags & PF_X && mapped->offset + page > ph->p_offset &&
	       mapped->offset < ph->p_offset + ph->p_filesz;
}

void named_read_segments(struct named_module *module, int fd,
			 const struct mapped *mapped)
{
	Elf *elf = open_elf(fd);
	bool known = false;
	GElf_Phdr ph;
	size_t n;

	memset(module, 0, sizeof(*module));
	module->name = strrchr(mapped->path, '/') + 1;
	if (elf && !elf_getphdrnum(elf, &n))
		for (size_t i = 0; i < n; i++) {
			if (!gelf_getphdr(elf, (int)i, &ph) ||
			    ph.p_type != PT_LOAD)
				continue;
			add_segment(module, &ph);
			if (known || !maps_segment(mapped, &ph))
				continue;
			known = true;
			module->shift = mapped->start - ph.p_vaddr -
					(mapped->offset - ph.p_offset);
		}
	for (size_t i = 0; i < module->nsegments; i++)
		module->segments[i].start += module->shift;
	if (!known)
		named_free(module);
	elf_end(elf);
}

void named_free(struct named_module *module)
{
	free(module->segments);
	module->segments = NULL;
	module->nsegments = 0;
}

bool named_has(const struct named_module *module, uint64_t address, bool code)
{
	for (size_t i = 0; i < module->nsegments; i++)
		if (address - module->segments[i].start <
		    module->segments[i].bytes &&
		    (!code || module->segments[i].code))
			return true;
	return false;
}

/* Returns how well a symbol names what it covers; 0: not at all. Of one
 * function's names, the one without underscores is the one that people use. */
static int rank_of(const GElf_Sym *symbol, const char *name)
{
	int type = GELF_ST_TYPE(symbol->st_info);
	int bind = GELF_ST_BIND(symbol->st_info);
	int rank;

	if (!*name || *name == '$' || symbol->st_shndx == SHN_UNDEF ||
	    symbol->st_shndx == SHN_ABS || symbol->st_shndx == SHN_COMMON)
		return 0;
	if (type == STT_FUNC || type == STT_OBJECT || type == STT_GNU_IFUNC)
		rank = 100;
	else if (type == STT_NOTYPE)
		rank = 10;
	else
		return 0;
	rank += *name != '_' ? 8 : name[1] != '_' ? 4 : 0;
	return rank + (bind == STB_GLOBAL ? 2 : bind == STB_WEAK ? 1 : 0);
}

/* Copies a name without its version, as "puts@@GLIBC_2.2.5"; '?' stands for
 * characters that a text in quotes should not have. */
static void copy_name(char *to, const char *name)
{
	size_t n = 0;

	for (; *name && (*name != '@' || !n) && n < SYMBOL_BYTES - 1; name++) {
		char c = *name;

		to[n++] = c < 0x20 || c > 0x7e || c == '"' || c == '\\' ? '?' :
									   c;
	}
	to[n] = '\0';
}

/* Takes a symbol for an address if it is better than the one before: nearer to
 * it, or of a better kind; else the one that stands first in the alphabet. */
static void consider(struct found *found, const char *name, int rank,
		     uint64_t before)
{
	char copy[SYMBOL_BYTES];

	if (found->rank && before > found->before)
		return;
	copy_name(copy, name);
	if (found->rank && before == found->before &&
	    (rank < found->rank ||
	     (rank == found->rank && strcmp(copy, found->name) >= 0)))
		return;
	memcpy(found->name, copy, sizeof(copy));
	found->rank = rank;
	found->before = before;
}

/* Returns the number of the first address that is not below `start`. */
static size_t first_from(const struct naming *naming, uint64_t start)
{
	size_t low = 0, high = naming->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (naming->addresses[middle].address < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void take_symbol(struct naming *naming, const GElf_Sym *symbol,
			const char *name)
{
	uint64_t start = symbol->st_value + naming->module->shift;
	/* a label without a size is what is there, and nothing behind it */
	uint64_t bytes = symbol->st_size ? symbol->st_size : 1;
	int rank = rank_of(symbol, name);

	for (size_t i = first_from(naming, start); rank && i < naming->n; i++) {
		uint64_t before = naming->addresses[i].address - start;

		naming->steps++;
		if (before >= bytes || naming->steps > STEPS_MAX)
			return;
		consider(&naming->found[i], name, rank, before);
	}
}

static void take_table(struct naming *naming, Elf *elf, Elf_Scn *section,
		       const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	const char *name;
	GElf_Sym symbol;

	for (int i = 0; data && gelf_getsym(data, i, &symbol) &&
	     naming->steps++ < STEPS_MAX; i++) {
		size_t at = first_from(naming, symbol.st_value +
						       naming->module->shift);

		if (at == naming->n)
			continue;
		name = elf_strptr(elf, header->sh_link, symbol.st_name);
		if (name)
			take_symbol(naming, &symbol, name);
	}
}

static void put_names(const struct naming *naming)
{
	char file[SYMBOL_BYTES];

	copy_name(file, naming->module->name);
	for (size_t i = 0; i < naming->n; i++) {
		struct named_address *a = &naming->addresses[i];
		const struct found *found = &naming->found[i];
		int n;

		if (!found->rank)
			n = asprintf(&a->name, "%s+0x%llx", file,
				     (unsigned long long)(a->address -
						naming->module->shift));
		else if (!found->before)
			n = asprintf(&a->name, "%s in %s", found->name, file);
		else
			n = asprintf(&a->name, "%s+0x%llx in %s", found->name,
				     (unsigned long long)found->before, file);
		if (n < 0)
			a->name = NULL;
	}
}

void named_find(const struct named_module *module, int fd,
		struct named_address *addresses, size_t n)
{
	struct naming naming = { .module = module, .addresses = addresses,
				 .n = n };
	Elf *elf = open_elf(fd);
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	naming.found = calloc(n, sizeof(*naming.found));
	while (elf && naming.found && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) &&
		    (header.sh_type == SHT_SYMTAB ||
		     header.sh_type == SHT_DYNSYM))
			take_table(&naming, elf, section, &header);
	if (elf && naming.found && naming.steps < STEPS_MAX)
		put_names(&naming);
	free(naming.found);
	elf_end(elf);
}

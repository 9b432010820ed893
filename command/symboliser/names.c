/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Segments, build ID and symbols of an ELF file in memory: the symboliser's
 * child. Facts: ELF, gABI 4.1, "Program Header" and "Symbol Table".
 *
 * Symbols are read by libelf, in one pass over each table for all addresses.
 * libdwfl (0.188) looks through all symbols for each address: 11 ms an address
 * in a library of 500,000 symbols, 45 s for 4096. The pass takes 12 ms.
 */
#include "command/symboliser/serve-private.h"

#include <elf.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <gelf.h>
#include <string.h>

/* Returns whether an array of `n` elements is in the file. */
static bool is_inside(size_t bytes, uint64_t offset, uint64_t n, size_t element)
{
	return offset <= bytes && n <= (bytes - offset) / element;
}

static void add_segment(struct symboliser_module *module, const Elf64_Phdr *ph)
{
	if (ph->p_type == PT_LOAD)
		module->segments[module->nsegments++] =
			(struct symboliser_segment){
				ph->p_vaddr, ph->p_memsz, ph->p_offset,
				ph->p_filesz, ph->p_align,
				ph->p_flags & PF_X };
}

static void read_id(struct symboliser_module *module, const void *image,
		    size_t bytes)
{
	Elf *elf = elf_memory((char *)image, bytes);
	const void *id;
	ssize_t n = elf ? dwelf_elf_gnu_build_id(elf, &id) : 0;

	if (n > 0) {
		n = n < (ssize_t)SYMBOLISER_ID_BYTES ? n : SYMBOLISER_ID_BYTES;
		memcpy(module->id, id, (size_t)n);
		module->id_bytes = (uint32_t)n;
	}
	elf_end(elf);
}

/* libelf refuses a file whose section headers make no sense, which has segments
 * nevertheless. */
int symboliser_read_module(struct symboliser_module *module, const void *image,
			   size_t bytes)
{
	Elf64_Ehdr header;
	Elf64_Phdr ph;

	memset(module, 0, sizeof(*module));
	if (bytes < sizeof(header))
		return -ENOEXEC;
	memcpy(&header, image, sizeof(header));
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_ident[EI_DATA] != ELFDATA2LSB ||
	    (header.e_type != ET_EXEC && header.e_type != ET_DYN) ||
	    header.e_phnum > SYMBOLISER_SEGMENTS_MAX ||
	    !is_inside(bytes, header.e_phoff, header.e_phnum, sizeof(ph)))
		return -ENOEXEC;
	for (uint32_t i = 0; i < header.e_phnum; i++) {
		memcpy(&ph, (const char *)image + header.e_phoff +
			    i * sizeof(ph), sizeof(ph));
		add_segment(module, &ph);
	}
	read_id(module, image, bytes);
	return 0;
}

struct naming {
	struct symboliser_symbol *found;
	const uint64_t *addresses;
	size_t n;
	const Elf_Data *names;		/* of the table's symbols */
};

/* Returns how well a symbol names what it covers; 0: not at all. Of one
 * function's names, the one without underscores is the one that people use. */
static uint32_t rank_of(const Elf64_Sym *symbol, const char *name)
{
	int type = ELF64_ST_TYPE(symbol->st_info);
	int bind = ELF64_ST_BIND(symbol->st_info);
	uint32_t rank;

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

/* Takes a symbol for an address if it is better than the one before: nearer to
 * it, or of a better kind; else the one that stands first in the alphabet. */
static void consider(struct symboliser_symbol *found, const char *name,
		     uint32_t rank, uint64_t before)
{
	if (found->rank && before == found->before &&
	    (rank < found->rank ||
	     (rank == found->rank && strcmp(name, found->name) >= 0)))
		return;
	memcpy(found->name, name, sizeof(found->name));
	found->rank = rank;
	found->before = before;
}

/* Returns the number of the first address that is not below `start`. */
static size_t first_from(const struct naming *naming, uint64_t start)
{
	size_t low = 0, high = naming->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (naming->addresses[middle] < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Copies a symbol's name without its version, as "puts@@GLIBC_2.2.5"; false: it
 * has none. A name that is too long is cut. */
static bool copy_name(const struct naming *naming, uint64_t at,
		      char name[static SYMBOLISER_NAME_BYTES])
{
	const Elf_Data *names = naming->names;
	size_t room = SYMBOLISER_NAME_BYTES, n;
	char *version;

	if (at >= names->d_size)
		return false;
	n = names->d_size - at < room ? names->d_size - at : room;
	memset(name, 0, room);
	memcpy(name, (const char *)names->d_buf + at, n);
	if (!memchr(name, '\0', n)) {
		if (n < room)
			return false;
		strcpy(name + room - sizeof(SYMBOLISER_CUT), SYMBOLISER_CUT);
	}
	n = strlen(name);
	version = n ? strchr(name + 1, '@') : NULL;
	if (version)
		memset(version, 0, strlen(version));
	return n;
}

static void take_symbol(struct naming *naming, const Elf64_Sym *symbol)
{
	uint64_t start = symbol->st_value;
	/* a label without a size is what is there, and nothing behind it */
	uint64_t bytes = symbol->st_size ? symbol->st_size : 1;
	char name[SYMBOLISER_NAME_BYTES];
	uint32_t rank = 0;
	bool read = false;

	for (size_t i = first_from(naming, start); i < naming->n; i++) {
		uint64_t before = naming->addresses[i] - start;
		struct symboliser_symbol *found = &naming->found[i];

		if (before >= bytes)
			return;
		if (found->rank && before > found->before)
			continue;
		if (!read)
			rank = copy_name(naming, symbol->st_name, name) ?
				       rank_of(symbol, name) : 0;
		read = true;
		if (!rank)
			return;
		consider(found, name, rank, before);
	}
}

/* Nothing in the file has to be aligned. */
static void take_table(struct naming *naming, Elf *elf, Elf_Scn *section,
		       const GElf_Shdr *table)
{
	Elf_Scn *strings = elf_getscn(elf, table->sh_link);
	const Elf_Data *data = elf_getdata(section, NULL);
	GElf_Shdr header;
	Elf64_Sym symbol;

	if (!data || !data->d_buf || !gelf_getshdr(strings, &header) ||
	    header.sh_type != SHT_STRTAB)
		return;
	naming->names = elf_getdata(strings, NULL);
	if (!naming->names || !naming->names->d_buf)
		return;
	for (size_t at = 0; data->d_size - at >= sizeof(symbol);
	     at += sizeof(symbol)) {
		memcpy(&symbol, (const char *)data->d_buf + at,
		       sizeof(symbol));
		take_symbol(naming, &symbol);
	}
}

void symboliser_find_names(struct symboliser_symbol *found,
			   const uint64_t *addresses, size_t n, Elf *elf)
{
	struct naming naming = { .found = found, .addresses = addresses,
				 .n = n };
	Elf_Scn *section = NULL;

	while (elf && (section = elf_nextscn(elf, section))) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) &&
		    (header.sh_type == SHT_SYMTAB ||
		     header.sh_type == SHT_DYNSYM))
			take_table(&naming, elf, section, &header);
	}
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Symbols of an ELF file in memory: the symboliser's child. Facts: ELF, gABI
 * 4.1, "Symbol Table".
 *
 * Symbols are read by libelf, in one pass over each table for all addresses.
 * libdwfl (0.188) looks through all symbols for each address: 11 ms an address
 * in a library of 500,000 symbols, 45 s for 4096. The pass takes 12 ms.
 */
#include "command/symboliser/serve-private.h"

#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <string.h>

/* A search: for the names of addresses, or for the address of a name. */
struct naming {
	struct symboliser_symbol *found;
	const uint64_t *addresses;
	size_t n;
	const Elf_Data *names;		/* of the table's symbols */
	const char *name;		/* that is looked for, and what it */
	uint64_t address;		/* stands for */
	bool named;
	bool all;			/* those of the name are looked at */
	bool shared;			/* several units may have it */
};

/* Returns how well a symbol names the bytes that it covers, more for better; 0:
 * not at all. The type counts most, then the underscores, then the binding.
 * People use the name without underscores, if a function has several. */
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

/* Copies a symbol's name without the version ("puts@@GLIBC_2.2.5"); false: the
 * symbol has no name. A name that is too long is cut. */
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

/*
 * Gives a symbol to the addresses that it covers, where it is better than the
 * one before: nearer, or of a better rank, or else first in the alphabet, so
 * the order of the table does not matter. Returns true: the next one, please.
 */
static bool take_symbol(struct naming *naming, const Elf64_Sym *symbol)
{
	uint64_t start = symbol->st_value;
	/* a label without a size names its address only */
	uint64_t bytes = symbol->st_size ? symbol->st_size : 1;
	char name[SYMBOLISER_NAME_BYTES];
	size_t low = 0, high = naming->n;
	uint32_t rank = 0;

	/* the first address that is not below the symbol */
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (naming->addresses[middle] < start)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < naming->n; low++) {
		uint64_t before = naming->addresses[low] - start;
		struct symboliser_symbol *found = &naming->found[low];

		if (before >= bytes)
			return true;
		if (found->rank && before > found->before)
			continue;
		if (!rank)
			rank = copy_name(naming, symbol->st_name, name) ?
				       rank_of(symbol, name) : 0;
		if (!rank)
			return true;
		if (found->rank && before == found->before &&
		    (rank < found->rank || (rank == found->rank &&
					    strcmp(name, found->name) >= 0)))
			continue;
		memcpy(found->name, name, sizeof(found->name));
		found->rank = rank;
		found->before = before;
	}
	return true;
}

/*
 * Calls `take` for each symbol of all tables until a call returns false for one
 * of a table; naming->names are the table's strings. A file of another machine
 * has none. Nothing in the file has to be aligned.
 */
static void each_symbol(struct naming *naming, Elf *elf,
			bool (*take)(struct naming *naming,
				     const Elf64_Sym *symbol))
{
	const char *ident = elf ? elf_getident(elf, NULL) : NULL;
	Elf_Scn *section = NULL, *names;
	GElf_Shdr table, strings;
	const Elf_Data *data;
	Elf64_Sym symbol;

	if (!ident || ident[EI_CLASS] != ELFCLASS64 ||
	    ident[EI_DATA] != ELFDATA2LSB)
		return;
	while ((section = elf_nextscn(elf, section))) {
		data = elf_getdata(section, NULL);
		if (!gelf_getshdr(section, &table) ||
		    (table.sh_type != SHT_SYMTAB &&
		     table.sh_type != SHT_DYNSYM))
			continue;
		names = elf_getscn(elf, table.sh_link);
		if (!data || !data->d_buf || !gelf_getshdr(names, &strings) ||
		    strings.sh_type != SHT_STRTAB)
			continue;
		naming->names = elf_getdata(names, NULL);
		if (!naming->names || !naming->names->d_buf)
			continue;
		for (size_t at = 0; data->d_size - at >= sizeof(symbol);
		     at += sizeof(symbol)) {
			memcpy(&symbol, (const char *)data->d_buf + at,
			       sizeof(symbol));
			if (!take(naming, &symbol))
				return;
		}
	}
}

void symboliser_find_names(struct symboliser_symbol *found,
			   const uint64_t *addresses, size_t n, Elf *elf)
{
	struct naming naming = { .found = found, .addresses = addresses,
				 .n = n };

	each_symbol(&naming, elf, take_symbol);
}

/* Takes the value of the symbol that is looked for. Returns false for it. */
static bool is_symbol(struct naming *naming, const Elf64_Sym *symbol)
{
	const Elf_Data *names = naming->names;
	size_t n = strlen(naming->name) + 1;

	/* that of a thread's variable is none */
	if (symbol->st_shndx == SHN_UNDEF ||
	    ELF64_ST_TYPE(symbol->st_info) == STT_TLS ||
	    symbol->st_name >= names->d_size ||
	    names->d_size - symbol->st_name < n ||
	    memcmp((const char *)names->d_buf + symbol->st_name, naming->name,
		   n))
		return true;
	naming->shared |= ELF64_ST_BIND(symbol->st_info) == STB_LOCAL ||
			  (naming->named &&
			   naming->address != symbol->st_value);
	naming->address = symbol->st_value;
	naming->named = true;
	return naming->all;
}

int symboliser_find_address(uint64_t *address, const char *name, Elf *elf)
{
	struct naming naming = { .name = name };

	each_symbol(&naming, elf, is_symbol);
	*address = naming.address;
	return naming.named ? 0 : -ENOENT;
}

bool symboliser_find_shared(const char *name, Elf *elf)
{
	struct naming naming = { .name = name, .all = true };

	each_symbol(&naming, elf, is_symbol);
	return naming.shared;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions of the modules that came with the program. See linked.h.
 *
 * Invariant: modules that are loaded with the program are never unloaded, and
 * libc is one of them. The dynamic linker adds others behind those.
 */
#include "tracepoints/program/linked.h"

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <sys/auxv.h>

#include "base/base.h"
#include "base/text.h"
#include "buffers/gnu-hash.h"
#include "tracepoints/program/modules.h"

/* The tables of a module's symbols. */
struct names {
	const Elf64_Sym *symbols;
	const char *strings;
	const uint16_t *versions;
	const uint32_t *hash;		/* GNU's */
};

#define VERSION_HIDDEN	0x8000		/* not the default one */

extern Elf64_Dyn _DYNAMIC[] __attribute__((visibility("hidden")));

/* The module behind the agent in the dynamic linker's list, and the last and
 * the first one that came with the program: this part of the list never
 * changes. NULL where the agent came later. */
static const struct link_map *behind, *last, *first;

/* Fills in `names`. The dynamic linker has added the base to the addresses,
 * unless the table is read-only. Returns false without such a hash table. */
SIGSAFE static bool names_read(const struct link_map *map, struct names *names)
{
	uint64_t values[DT_SYMTAB + 1] = { 0 }, hash = 0, versions = 0;
	const Elf64_Dyn *d;

	for (d = map->l_ld; d && d->d_tag != DT_NULL; d++) {
		uint64_t at = d->d_un.d_ptr +
			      (d->d_un.d_ptr < map->l_addr ? map->l_addr : 0);

		if (d->d_tag == DT_GNU_HASH)
			hash = at;
		else if (d->d_tag == DT_VERSYM)
			versions = at;
		else if ((uint64_t)d->d_tag <= DT_SYMTAB)
			values[d->d_tag] = at;
	}
	names->symbols = (const Elf64_Sym *)values[DT_SYMTAB];
	names->strings = (const char *)values[DT_STRTAB];
	names->versions = (const uint16_t *)versions;
	names->hash = (const uint32_t *)hash;
	return names->symbols && names->strings && names->hash;
}

/* Returns the symbol that a module defines, in its default version, or NULL. */
SIGSAFE static const Elf64_Sym *name_find(const struct names *names,
					  const char *name)
{
	const uint32_t *hash = names->hash;
	const uint32_t *buckets = hash + gnu_hash_buckets(hash);
	const uint32_t *chains = buckets + hash[0];
	const Elf64_Sym *symbol;
	uint32_t h = 5381;
	const char *p;
	uint64_t word;
	uint32_t i;

	if (!hash[0] || !hash[2])
		return NULL;
	for (p = name; *p; p++)
		h = h * 33 + (uint8_t)*p;
	word = ((const uint64_t *)(hash + GNU_HASH_HEAD))[h / 64 % hash[2]];
	if (!(word >> h % 64 & word >> (h >> hash[3]) % 64 & 1))
		return NULL;
	for (i = buckets[h % hash[0]]; i; i++) {
		symbol = &names->symbols[i];
		if (!((chains[i - hash[1]] ^ h) >> 1) &&
		    symbol->st_shndx != SHN_UNDEF &&
		    !(names->versions &&
		      names->versions[i] & VERSION_HIDDEN) &&
		    text_equal(names->strings + symbol->st_name, name))
			return symbol;
		if (chains[i - hash[1]] & 1)
			break;
	}
	return NULL;
}

/* Looks into the modules from `map` to the last one. Returns the function, or
 * NULL. */
SIGSAFE static void *modules_find(const struct link_map *map, const char *name)
{
	const Elf64_Sym *symbol = NULL;
	struct names names;
	void *function;

	for (; map; map = map == last ? NULL : map->l_next) {
		if (names_read(map, &names))
			symbol = name_find(&names, name);
		if (!symbol)
			continue;
		function = (void *)(map->l_addr + symbol->st_value);
		return ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC ?
			       ((void *(*)(void))function)() : function;
	}
	return NULL;
}

bool linked_learn(bool alone)
{
	const struct link_map *map, *found = NULL;
	const struct r_debug *debug;
	struct names names;

	if (behind || !alone)
		return behind;
	debug = modules_debug();
	map = debug ? debug->r_map : NULL;
	for (first = map; map; map = map->l_next) {
		if (map->l_ld == _DYNAMIC)
			found = map->l_next;
		/* the kernel's (vDSO) has none of the names */
		if (!names_read(map, &names) &&
		    map->l_addr != getauxval(AT_SYSINFO_EHDR))
			return false;
		last = map;
	}
	behind = found;
	return behind;
}

SIGSAFE void *linked_behind(const char *name)
{
	return modules_find(behind, name);
}

void *linked_first(const char *name)
{
	return modules_find(first, name);
}

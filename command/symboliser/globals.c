/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where variables are that several units share, by the symbols that linkers
 * bind: the symboliser's child. Facts: ELF, gABI 4.1, "Symbol Table".
 *
 * Invariant: no place rather than a wrong one. A symbol of one unit, which
 * another unit cannot mean, gives none.
 */
#include "command/symboliser/dwarf-private.h"

#include <string.h>

/* Where a walk through symbols is; zeros, but `elf`, are its begin. */
struct walk {
	Elf *elf;			/* or NULL */
	Elf_Scn *section;
	GElf_Shdr head;
	Elf_Data *data;
	int next;
};

/* Takes the next symbol of the tables of a type that a unit defines for
 * others. Returns the name, or NULL: there is no more. */
static const char *symbol_next(struct walk *w, uint32_t type, GElf_Sym *symbol)
{
	const char *name;

	for (;;) {
		while (w->data && gelf_getsym(w->data, w->next, symbol)) {
			w->next++;
			name = elf_strptr(w->elf, w->head.sh_link,
					  symbol->st_name);
			if (name && symbol->st_shndx != SHN_UNDEF &&
			    GELF_ST_BIND(symbol->st_info) != STB_LOCAL)
				return name;
		}
		w->section = elf_nextscn(w->elf, w->section);
		if (!w->section)
			return NULL;
		w->data = gelf_getshdr(w->section, &w->head) &&
					  w->head.sh_type == type ?
				  elf_getdata(w->section, NULL) : NULL;
		w->next = 0;
	}
}

/* Tells whether a symbol has a name; a version may stand behind it. */
static bool is_named(const char *symbol, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(symbol, name, n) && (!symbol[n] || symbol[n] == '@');
}

const char *symboliser_global(struct symboliser_global *g, const char *name)
{
	const uint32_t types[] = { SHT_DYNSYM, SHT_SYMTAB, SHT_SYMTAB };
	Elf *files[3];
	const char *own;
	GElf_Sym symbol;
	bool found = false;

	*g = (struct symboliser_global){ .address = 0 };
	symboliser_files(&files[0], &files[2]);
	files[1] = files[0];
	for (int i = 0; i < 3 && !found; i++) {
		struct walk walk = { .elf = files[i] };

		while ((own = symbol_next(&walk, types[i], &symbol))) {
			if (!is_named(own, name) ||
			    GELF_ST_TYPE(symbol.st_info) == STT_TLS)
				continue;
			if (found && symbol.st_value != g->address)
				return "has several versions in that file";
			g->address = symbol.st_value;
			found = true;
		}
	}
	return found ? NULL : "is not defined in that file";
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where variables are that units, or files, share, by the symbols that linkers
 * bind: the symboliser's child. Facts: ELF, gABI 4.1, "Symbol Table" and
 * "Relocation"; System V ABI, AMD64, 4.4; ELF Handling For Thread-Local
 * Storage.
 *
 * The dynamic linker binds a name to the first file of the process that has it,
 * the program before libraries, and writes the address where the code of a
 * library reads it: there the agent reads it, too.
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
	int next;			/* symbol */
};

/* Takes the next symbol of the tables of a type that units share: the file
 * defines or uses it. Returns the name, or NULL: there is no more. */
static const char *symbol_next(struct walk *w, uint32_t type, GElf_Sym *symbol)
{
	const char *name;

	for (;;) {
		while (w->data && gelf_getsym(w->data, w->next, symbol)) {
			w->next++;
			name = elf_strptr(w->elf, w->head.sh_link,
					  symbol->st_name);
			if (name &&
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

/* Finds where the dynamic linker writes the address of the symbol that a walk
 * came to; or, of a thread's variable, how far it is behind the thread
 * pointer. */
static bool slot_find(uint64_t *slot, const struct walk *w, bool thread)
{
	const uint64_t type = thread ? R_X86_64_TPOFF64 : R_X86_64_GLOB_DAT;
	Elf_Scn *section = NULL;
	Elf_Data *data;
	GElf_Shdr head;
	GElf_Rela rela;

	while ((section = elf_nextscn(w->elf, section))) {
		if (!gelf_getshdr(section, &head) ||
		    head.sh_type != SHT_RELA || !(head.sh_flags & SHF_ALLOC) ||
		    head.sh_link != elf_ndxscn(w->section))
			continue;
		data = elf_getdata(section, NULL);
		for (int i = 0; data && gelf_getrela(data, i, &rela); i++) {
			if (GELF_R_TYPE(rela.r_info) != type ||
			    GELF_R_SYM(rela.r_info) != (uint64_t)w->next - 1 ||
			    rela.r_addend)
				continue;
			*slot = rela.r_offset;
			return true;
		}
	}
	return false;
}

/* Tells whether a file is a program, and whether the dynamic linker binds the
 * names that it defines to itself. */
static void binding_read(Elf *elf, bool *program, bool *own)
{
	bool executed = false, named = false;
	Elf_Scn *section = NULL;
	GElf_Ehdr header;
	GElf_Shdr head;
	GElf_Phdr ph;
	GElf_Dyn dyn;
	size_t n = 0;

	*program = gelf_getehdr(elf, &header) && header.e_type == ET_EXEC;
	*own = false;
	if (!elf_getphdrnum(elf, &n))
		for (size_t i = 0; i < n && gelf_getphdr(elf, (int)i, &ph); i++)
			executed |= ph.p_type == PT_INTERP;
	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data = gelf_getshdr(section, &head) &&
						 head.sh_type == SHT_DYNAMIC ?
					 elf_getdata(section, NULL) : NULL;

		for (int i = 0; data && gelf_getdyn(data, i, &dyn); i++) {
			named |= dyn.d_tag == DT_SONAME;
			*program |= dyn.d_tag == DT_FLAGS_1 &&
				    dyn.d_un.d_val & DF_1_PIE;
			*own |= dyn.d_tag == DT_SYMBOLIC ||
				(dyn.d_tag == DT_FLAGS &&
				 dyn.d_un.d_val & DF_SYMBOLIC);
		}
	}
	/* glibc can be executed, too */
	*program |= executed && !named;
	*own |= *program;
}

/* Tells whether the dynamic linker may bind a symbol that the file defines to
 * that of another file. `own`: it binds the file's own names to itself. */
static bool is_open(const GElf_Sym *symbol, bool own)
{
	return !own && GELF_ST_VISIBILITY(symbol->st_other) == STV_DEFAULT &&
	       symbol->st_shndx != SHN_UNDEF;
}

/* Takes a symbol of a variable that the file defines, or uses. Returns NULL, or
 * why it has no place. */
static const char *symbol_take(struct symboliser_global *g,
			       const struct walk *w, const GElf_Sym *symbol,
			       bool own)
{
	bool defined = symbol->st_shndx != SHN_UNDEF;

	g->thread = GELF_ST_TYPE(symbol->st_info) == STT_TLS;
	g->address = symbol->st_value;
	g->weak = !defined && GELF_ST_BIND(symbol->st_info) == STB_WEAK;
	if (w->head.sh_type != SHT_DYNSYM || (defined && !is_open(symbol, own)))
		return NULL;
	g->bound = slot_find(&g->address, w, g->thread);
	return g->bound ? NULL : g->thread ? SYMBOLISER_THREAD :
	       defined ? SYMBOLISER_UNBOUND : SYMBOLISER_UNDEFINED;
}

const char *symboliser_global(struct symboliser_global *g, const char *name)
{
	const uint32_t types[] = { SHT_DYNSYM, SHT_SYMTAB, SHT_SYMTAB };
	const char *why = SYMBOLISER_UNDEFINED, *own;
	uint64_t first = 0;
	bool found = false, program, local;
	GElf_Sym symbol;
	Elf *files[3];

	*g = (struct symboliser_global){ .address = 0 };
	symboliser_files(&files[0], &files[2]);
	files[1] = files[0];
	binding_read(files[0], &program, &local);
	for (int i = 0; i < 3 && !found; i++) {
		struct walk walk = { .elf = files[i] };

		while ((own = symbol_next(&walk, types[i], &symbol))) {
			if (!is_named(own, name) ||
			    (i && symbol.st_shndx == SHN_UNDEF))
				continue;
			if (found && symbol.st_value != first)
				return "has several versions in that file";
			first = symbol.st_value;
			why = symbol_take(g, &walk, &symbol, local);
			found = true;
		}
	}
	return why;
}

const char *symboliser_bound(struct symboliser_global *g, uint64_t address,
			     const char *name)
{
	struct walk walk = { .next = 0 };
	const char *why = NULL, *symbol_name;
	bool program, local;
	GElf_Sym symbol;
	Elf *debug;

	*g = (struct symboliser_global){ .address = address };
	symboliser_files(&walk.elf, &debug);
	binding_read(walk.elf, &program, &local);
	while (!local && (symbol_name = symbol_next(&walk, SHT_DYNSYM,
						    &symbol))) {
		if (!is_open(&symbol, local) || address < symbol.st_value ||
		    address - symbol.st_value >= symbol.st_size ||
		    GELF_ST_TYPE(symbol.st_info) != STT_OBJECT)
			continue;
		g->bound = slot_find(&g->address, &walk, false);
		g->behind = address - symbol.st_value;
		if (g->bound)
			return NULL;
		/* one of another name is a second one, of the file alone */
		if (name && (is_named(symbol_name, name) ||
			     (!strncmp(symbol_name, "_Z", 2) &&
			      strstr(symbol_name, name))))
			why = SYMBOLISER_UNBOUND;
	}
	return why;
}

bool symboliser_thread(int64_t *offset)
{
	bool program = false, found = false, local;
	Elf *own, *debug;
	GElf_Phdr ph;
	size_t n = 0;

	symboliser_files(&own, &debug);
	if (!own || elf_getphdrnum(own, &n))
		return false;
	binding_read(own, &program, &local);
	for (size_t i = 0; i < n && gelf_getphdr(own, (int)i, &ph); i++) {
		if (ph.p_type != PT_TLS || !ph.p_align)
			continue;
		found = true;
		*offset = -(int64_t)((ph.p_memsz + ph.p_align - 1) /
				     ph.p_align * ph.p_align);
	}
	return program && found;
}

bool symboliser_symbol_may(const char *name)
{
	Elf *files[2];
	Elf_Scn *section = NULL;
	GElf_Shdr head;
	Elf_Data *data;

	symboliser_files(&files[0], &files[1]);
	for (int i = 0; i < 2; i++)
		while ((section = elf_nextscn(files[i], section))) {
			data = gelf_getshdr(section, &head) &&
					       head.sh_type == SHT_STRTAB ?
				       elf_getdata(section, NULL) : NULL;
			if (data && data->d_buf &&
			    memmem(data->d_buf, data->d_size, name,
				   strlen(name)))
				return true;
		}
	return false;
}

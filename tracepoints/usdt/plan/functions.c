/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the functions of a file from its symbols; see functions.h.
 */
#include "tracepoints/usdt/plan/functions.h"

#include <elf.h>
#include <errno.h>

#include "base/base.h"
#include "base/text.h"
#include "tracepoints/usdt/plan/image.h"
#include "tracepoints/usdt/plan/sections-private.h"

#define PART	".cold"

/* A table of symbols, and its names. */
struct symbols {
	const uint8_t *p;
	uint64_t count;
	const char *names;
	uint64_t names_bytes;
};

/* Opens the first table of a type. Returns false when there is none. */
static bool symbols_open(struct symbols *symbols, const struct usdt_file *file,
			 const Elf64_Ehdr *header, uint32_t type)
{
	Elf64_Shdr section;
	Elf64_Shdr names;

	for (uint32_t i = 0; section_read(file, header, i, &section); i++) {
		if (section.sh_type != type ||
		    !section_read(file, header, section.sh_link, &names))
			continue;
		symbols->p = file_at(file, section.sh_offset, section.sh_size);
		symbols->count = section.sh_size / sizeof(Elf64_Sym);
		symbols->names = (const char *)file_at(file, names.sh_offset,
						       names.sh_size);
		symbols->names_bytes = names.sh_size;
		return symbols->p && symbols->names && names.sh_size &&
		       !symbols->names[names.sh_size - 1];
	}
	return false;
}

bool usdt_function_is_part(const char *name)
{
	const char *rest;

	for (; *name; name++) {
		rest = *name == '.' ? text_after(name, PART) : NULL;
		if (rest && (!*rest || *rest == '.'))
			return true;
	}
	return false;
}

/* Returns the last part of a source file's name, or NULL for an empty one. */
static const char *source_part(const char *path)
{
	const char *last = text_file_name(path);

	return *last ? last : NULL;
}

/* Returns the address behind an endbr64, or the same address. */
static uint64_t site_of(const struct usdt_image *image, uint64_t address)
{
	static const uint8_t entry[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const uint8_t *code = usdt_image_at(image, address, sizeof(entry),
					    PF_R | PF_X, NULL);

	return code && !__builtin_memcmp(code, entry, sizeof(entry)) ?
		       address + sizeof(entry) : address;
}

/* Calls fn for each function of a table, and counts them. */
static int symbols_walk(const struct symbols *symbols,
			const struct usdt_image *image, usdt_function_fn *fn,
			void *priv, uint64_t *seen)
{
	const char *source = NULL, *name;
	struct usdt_symbol_found found;
	Elf64_Sym symbol;
	int ret = 0;

	for (uint64_t i = 0; i < symbols->count && !ret; i++) {
		__builtin_memcpy(&symbol, symbols->p + i * sizeof(symbol),
				 sizeof(symbol));
		if (symbol.st_name >= symbols->names_bytes)
			continue;
		name = symbols->names + symbol.st_name;
		/* static symbols follow that of their file */
		if (ELF64_ST_TYPE(symbol.st_info) == STT_FILE)
			source = source_part(name);
		if (symbol.st_shndx == SHN_UNDEF || !symbol.st_size ||
		    ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || !*name ||
		    usdt_function_is_part(name))
			continue;
		found.name = name;
		found.source = ELF64_ST_BIND(symbol.st_info) == STB_LOCAL ?
				       source : NULL;
		found.address = symbol.st_value;
		found.bytes = symbol.st_size;
		found.site = site_of(image, found.address);
		++*seen;
		ret = fn(&found, priv);
	}
	return ret;
}

/* Does the same for a table of a file. */
static int table_walk(const struct usdt_file *file, uint32_t type,
		      const struct usdt_image *image, usdt_function_fn *fn,
		      void *priv, uint64_t *seen)
{
	struct symbols symbols;
	Elf64_Ehdr header;

	return file && header_read(file, &header) &&
			symbols_open(&symbols, file, &header, type) ?
		       symbols_walk(&symbols, image, fn, priv, seen) : 0;
}

int usdt_functions_read(const struct usdt_file *file,
			const struct usdt_file *more, usdt_function_fn *fn,
			void *priv)
{
	struct usdt_image image;
	Elf64_Ehdr header;
	uint64_t seen = 0;
	int ret;

	if (!header_read(file, &header) || usdt_image_open(&image, file))
		return -ENOEXEC;
	ret = table_walk(file, SHT_SYMTAB, &image, fn, priv, &seen);
	if (seen || ret)
		return ret;
	ret = table_walk(more, SHT_SYMTAB, &image, fn, priv, &seen);
	return ret ? ret : table_walk(file, SHT_DYNSYM, &image, fn, priv,
				      &seen);
}

void usdt_choices_read(const struct usdt_file *file, usdt_function_fn *fn,
		       void *priv)
{
	struct usdt_symbol_found found = { 0 };
	struct symbols symbols;
	Elf64_Ehdr header;
	Elf64_Sym symbol;
	int ret = 0;

	if (!header_read(file, &header) ||
	    !symbols_open(&symbols, file, &header, SHT_DYNSYM))
		return;
	for (uint64_t i = 0; i < symbols.count && !ret; i++) {
		__builtin_memcpy(&symbol, symbols.p + i * sizeof(symbol),
				 sizeof(symbol));
		if (ELF64_ST_TYPE(symbol.st_info) != STT_GNU_IFUNC ||
		    symbol.st_name >= symbols.names_bytes)
			continue;
		found.name = symbols.names + symbol.st_name;
		ret = fn(&found, priv);
	}
}

/* Returns the word that a stub jumps by, or 0: "endbr64; bnd jmp *slot(%rip)",
 * without the first two in most files. */
static uint64_t stub_slot(const struct usdt_image *image, uint64_t address)
{
	const uint8_t *code;
	int32_t distance;

	address = site_of(image, address);
	code = usdt_image_at(image, address, 1, PF_R | PF_X, NULL);
	address += code && *code == 0xf2;
	code = usdt_image_at(image, address, 6, PF_R | PF_X, NULL);
	if (!code || code[0] != 0xff || code[1] != 0x25)
		return 0;
	__builtin_memcpy(&distance, code + 2, sizeof(distance));
	return address + 6 + (uint64_t)(int64_t)distance;
}

/* Returns the name that the dynamic linker looks up for a word, or NULL. */
static const char *slot_name(const struct usdt_file *file,
			     const Elf64_Ehdr *header,
			     const struct symbols *symbols, uint64_t slot)
{
	Elf64_Shdr section;
	Elf64_Sym symbol;
	Elf64_Rela rela;
	const uint8_t *p;
	uint64_t n;

	for (uint32_t i = 0; section_read(file, header, i, &section); i++) {
		p = section.sh_type == SHT_RELA ?
			    file_at(file, section.sh_offset, section.sh_size) :
			    NULL;
		for (n = p ? section.sh_size / sizeof(rela) : 0; n; n--) {
			__builtin_memcpy(&rela, p, sizeof(rela));
			p += sizeof(rela);
			if (rela.r_offset != slot ||
			    ELF64_R_SYM(rela.r_info) >= symbols->count)
				continue;
			__builtin_memcpy(&symbol,
					 symbols->p + ELF64_R_SYM(rela.r_info) *
							      sizeof(symbol),
					 sizeof(symbol));
			return symbol.st_name &&
					symbol.st_name < symbols->names_bytes ?
				       symbols->names + symbol.st_name : NULL;
		}
	}
	return NULL;
}

const char *usdt_functions_import(const struct usdt_file *file,
				  uint64_t address)
{
	struct usdt_image image;
	struct symbols symbols;
	Elf64_Ehdr header;
	uint64_t slot;

	if (!header_read(file, &header) || usdt_image_open(&image, file) ||
	    !symbols_open(&symbols, file, &header, SHT_DYNSYM))
		return NULL;
	slot = stub_slot(&image, address);
	return slot ? slot_name(file, &header, &symbols, slot) : NULL;
}

enum usdt_refusal usdt_functions_refused(const struct usdt_file *file)
{
	static const struct {
		const char *section;
		enum usdt_refusal why;
	} rows[] = {
		{ ".gopclntab", USDT_FILE_GO },
		{ ".note.go.buildid", USDT_FILE_GO },
		{ ".data.rel.ro.gopclntab", USDT_FILE_GO },
		{ "__rseq_cs", USDT_FILE_RSEQ },
	};
	Elf64_Ehdr header;
	Elf64_Shdr section;
	Elf64_Shdr strings;
	const char *names;

	if (!header_read(file, &header) ||
	    !section_read(file, &header, header.e_shstrndx, &strings))
		return USDT_FILE_FINE;
	names = (const char *)file_at(file, strings.sh_offset, strings.sh_size);
	if (!names || !strings.sh_size || names[strings.sh_size - 1])
		return USDT_FILE_FINE;
	for (uint32_t i = 0; section_read(file, &header, i, &section); i++)
		for (uint32_t k = 0; k < ARRAY_SIZE(rows); k++)
			if (section.sh_name < strings.sh_size &&
			    text_equal(names + section.sh_name,
				       rows[k].section))
				return rows[k].why;
	return USDT_FILE_FINE;
}

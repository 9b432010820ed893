/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads USDT probes from a file in memory; see note.h. Notes and headers need
 * not be aligned: they are copied before they are used.
 */
#include "tracepoints/usdt/plan/note.h"

#include <elf.h>
#include <errno.h>

#include "base/base.h"
#include "tracepoints/usdt/plan/sections-private.h"

#define OWNER		"stapsdt"
#define NOTE_TYPE	3
#define BASE_SECTION	".stapsdt.base"

/* Returns the address of .stapsdt.base, or 0. */
static uint64_t base_find(const struct usdt_file *file,
			  const Elf64_Ehdr *header)
{
	Elf64_Shdr strings;
	Elf64_Shdr section;
	const uint8_t *names;

	if (!section_read(file, header, header->e_shstrndx, &strings))
		return 0;
	names = file_at(file, strings.sh_offset, strings.sh_size);
	if (!names || strings.sh_size < sizeof(BASE_SECTION))
		return 0;
	for (uint32_t i = 0; section_read(file, header, i, &section); i++)
		if (section.sh_name <=
			    strings.sh_size - sizeof(BASE_SECTION) &&
		    !__builtin_memcmp(names + section.sh_name, BASE_SECTION,
				      sizeof(BASE_SECTION)))
			return section.sh_addr;
	return 0;
}

/* Returns the string at *p and moves *p past it; NULL when it does not end. */
static const char *string_take(const uint8_t **p, const uint8_t *end)
{
	const uint8_t *start = *p;
	const uint8_t *at = start;

	while (at < end && *at)
		at++;
	if (at == end)
		return NULL;
	*p = at + 1;
	return (const char *)start;
}

/* Reads the description of a note. Returns false when it is damaged. */
static bool probe_read(struct usdt_probe *probe, const uint8_t *desc,
		       uint64_t bytes, uint64_t base)
{
	const uint8_t *end = desc + bytes;
	uint64_t words[3];

	if (bytes < sizeof(words))
		return false;
	__builtin_memcpy(words, desc, sizeof(words));
	desc += sizeof(words);
	probe->address = words[0];
	probe->semaphore = words[2];
	if (base && words[1]) {
		/* prelink moved the file and did not change the notes */
		probe->address += base - words[1];
		probe->semaphore += words[2] ? base - words[1] : 0;
	}
	probe->provider = string_take(&desc, end);
	probe->name = probe->provider ? string_take(&desc, end) : NULL;
	probe->operands = probe->name ? string_take(&desc, end) : NULL;
	return probe->operands && probe->provider[0] && probe->name[0];
}

struct walk {
	usdt_probe_fn *fn;
	void *priv;
	uint64_t base;
	uint32_t damaged;
};

/* Calls fn for each probe in a section of notes. Returns the first result other
 * than 0. */
static int notes_walk(struct walk *walk, const uint8_t *p, uint64_t bytes)
{
	const uint8_t *end = p + bytes;
	struct usdt_probe probe;
	Elf64_Nhdr note;
	int ret = 0;

	while (!ret && (uint64_t)(end - p) >= sizeof(note)) {
		const uint8_t *owner = p + sizeof(note);
		uint64_t left = (uint64_t)(end - owner);
		uint64_t skip, desc;

		__builtin_memcpy(&note, p, sizeof(note));
		skip = align_up((uint64_t)note.n_namesz, 4);
		desc = align_up((uint64_t)note.n_descsz, 4);
		/* the last note may lack its padding */
		if (skip > left || note.n_descsz > left - skip) {
			walk->damaged++;
			return 0;
		}
		p = desc > left - skip ? end : owner + skip + desc;
		if (note.n_type != NOTE_TYPE ||
		    note.n_namesz != sizeof(OWNER) ||
		    __builtin_memcmp(owner, OWNER, sizeof(OWNER)))
			continue;
		if (probe_read(&probe, owner + skip, note.n_descsz,
			       walk->base))
			ret = walk->fn(&probe, walk->priv);
		else
			walk->damaged++;
	}
	return ret;
}

int usdt_notes_read(const struct usdt_file *file, usdt_probe_fn *fn,
		    void *priv, uint32_t *damaged)
{
	struct walk walk = { .fn = fn, .priv = priv };
	Elf64_Ehdr header;
	Elf64_Shdr section;
	int ret = 0;
	uint32_t i;

	if (!header_read(file, &header) ||
	    (header.e_shnum && !section_read(file, &header,
					     header.e_shnum - 1u, &section)))
		return -ENOEXEC;
	walk.base = base_find(file, &header);
	for (i = 0; !ret && section_read(file, &header, i, &section); i++) {
		const uint8_t *p = file_at(file, section.sh_offset,
					   section.sh_size);

		if (section.sh_type != SHT_NOTE)
			continue;
		if (p)
			ret = notes_walk(&walk, p, section.sh_size);
		else
			walk.damaged++;
	}
	if (damaged)
		*damaged = walk.damaged;
	return ret;
}

/* Searches one table of symbols. Returns false when it has no such name. */
static bool symbol_in(const struct usdt_file *file, const Elf64_Shdr *table,
		      const Elf64_Shdr *strings, const char *name,
		      uint32_t length, uint64_t *address)
{
	const uint8_t *p = file_at(file, table->sh_offset, table->sh_size);
	uint64_t count = p ? table->sh_size / sizeof(Elf64_Sym) : 0;
	const uint8_t *texts = file_at(file, strings->sh_offset,
				       strings->sh_size);
	Elf64_Sym symbol;

	for (uint64_t i = 0; texts && i < count; i++) {
		__builtin_memcpy(&symbol, p + i * sizeof(symbol),
				 sizeof(symbol));
		if (symbol.st_shndx == SHN_UNDEF ||
		    ELF64_ST_TYPE(symbol.st_info) == STT_TLS ||
		    symbol.st_name >= strings->sh_size ||
		    length >= strings->sh_size - symbol.st_name ||
		    __builtin_memcmp(texts + symbol.st_name, name, length) ||
		    texts[symbol.st_name + length])
			continue;
		*address = symbol.st_value;
		return true;
	}
	return false;
}

bool usdt_file_symbol(const struct usdt_file *file, const char *name,
		      uint32_t length, uint64_t *address)
{
	static const uint32_t types[] = { SHT_SYMTAB, SHT_DYNSYM };
	Elf64_Ehdr header;
	Elf64_Shdr section;
	Elf64_Shdr strings;
	uint32_t i;

	if (!length || !header_read(file, &header))
		return false;
	for (uint32_t type = 0; type < 2; type++)
		for (i = 0; section_read(file, &header, i, &section); i++)
			if (section.sh_type == types[type] &&
			    section_read(file, &header, section.sh_link,
					 &strings) &&
			    symbol_in(file, &section, &strings, name, length,
				      address))
				return true;
	return false;
}

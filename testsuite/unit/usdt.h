/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A small ELF file with USDT notes, made in memory, for tests of the code that
 * reads them.
 */
#ifndef TESTSUITE_USDT_H
#define TESTSUITE_USDT_H

#include <elf.h>
#include <string.h>

#include "tracepoints/usdt/plan/note.h"

#define USDT_FILE_BYTES	2048
#define USDT_BASE	0x5000	/* where .stapsdt.base is now */

enum { SECTION_NULL, SECTION_NOTES, SECTION_NAMES, SECTION_BASE,
       SECTION_SYMBOLS, SECTION_TEXTS, SECTIONS };

struct usdt_made {
	uint8_t bytes[USDT_FILE_BYTES];
	uint64_t used;
	Elf64_Shdr sections[SECTIONS];
};

static inline uint64_t usdt_put(struct usdt_made *made, const void *p,
				uint64_t n)
{
	uint64_t at = made->used;

	memcpy(made->bytes + at, p, n);
	made->used = (at + n + 7) & ~7ull;
	return at;
}

/* Appends a note to a buffer; returns its size. */
static inline uint64_t usdt_note(uint8_t *to, const char *owner, uint32_t type,
				 const uint64_t words[3], const char *strings,
				 uint32_t bytes)
{
	uint32_t owner_bytes = (uint32_t)strlen(owner) + 1;
	Elf64_Nhdr note = { owner_bytes, 24 + bytes, type };
	uint64_t n = sizeof(note);

	memset(to, 0, 256);
	memcpy(to, &note, sizeof(note));
	memcpy(to + n, owner, owner_bytes);
	n += (owner_bytes + 3) & ~3u;
	memcpy(to + n, words, 24);
	memcpy(to + n + 24, strings, bytes);
	return n + ((24 + bytes + 3) & ~3u);
}

static inline void usdt_section(struct usdt_made *made, int i, uint32_t type,
				const void *p, uint64_t n)
{
	made->sections[i].sh_type = type;
	made->sections[i].sh_offset = usdt_put(made, p, n);
	made->sections[i].sh_size = n;
}

/* The notes, and symbols `one` at 0x1111 and `two` at 0x2222. */
static inline void usdt_make(struct usdt_made *made, const uint8_t *notes,
			     uint64_t bytes)
{
	static const char names[] = "\0.note.stapsdt\0.stapsdt.base";
	static const char texts[] = "\0one\0two\0none";
	static const Elf64_Sym symbols[] = {
		{ 0 },
		{ .st_name = 1, .st_shndx = 3, .st_value = 0x1111 },
		{ .st_name = 5, .st_shndx = 3, .st_value = 0x2222 },
		{ .st_name = 9, .st_shndx = SHN_UNDEF },
	};
	Elf64_Ehdr header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB },
		.e_shentsize = sizeof(Elf64_Shdr), .e_shnum = SECTIONS,
		.e_shstrndx = SECTION_NAMES,
	};

	memset(made, 0, sizeof(*made));
	usdt_put(made, &header, sizeof(header));
	usdt_section(made, SECTION_NOTES, SHT_NOTE, notes, bytes);
	usdt_section(made, SECTION_NAMES, SHT_STRTAB, names, sizeof(names));
	usdt_section(made, SECTION_BASE, SHT_PROGBITS, "", 1);
	usdt_section(made, SECTION_SYMBOLS, SHT_SYMTAB, symbols,
		     sizeof(symbols));
	usdt_section(made, SECTION_TEXTS, SHT_STRTAB, texts, sizeof(texts));
	made->sections[SECTION_NOTES].sh_name = 1;
	made->sections[SECTION_BASE].sh_name = 15;
	made->sections[SECTION_BASE].sh_addr = USDT_BASE;
	made->sections[SECTION_SYMBOLS].sh_link = SECTION_TEXTS;
	header.e_shoff = usdt_put(made, made->sections,
				  sizeof(made->sections));
	memcpy(made->bytes, &header, sizeof(header));
}

#endif

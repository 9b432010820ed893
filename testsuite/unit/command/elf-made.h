/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A small shared library as bytes: segments and sections are added one by one.
 */
#ifndef TESTSUITE_COMMAND_ELF_MADE_H
#define TESTSUITE_COMMAND_ELF_MADE_H

#include <elf.h>
#include <stdint.h>
#include <string.h>

#define ELF_BYTES	4096
#define ELF_PARTS	8

struct elf_made {
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr ph[ELF_PARTS];
		Elf64_Shdr sh[ELF_PARTS];
		uint8_t rest[ELF_BYTES];
	} file;
	size_t used;			/* of rest[] */
};

static inline void elf_begin_file(struct elf_made *made)
{
	memset(made, 0, sizeof(*made));
	made->file.header = (Elf64_Ehdr){
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_DYN, .e_machine = EM_X86_64,
		.e_version = EV_CURRENT, .e_ehsize = sizeof(Elf64_Ehdr),
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_shoff = sizeof(Elf64_Ehdr) + ELF_PARTS * sizeof(Elf64_Phdr),
		.e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 1,
	};
}

static inline size_t elf_bytes(const struct elf_made *made)
{
	return sizeof(made->file) - ELF_BYTES + made->used;
}

/* Appends bytes; returns their offset. */
static inline uint64_t elf_add(struct elf_made *made, const void *p, size_t n)
{
	uint64_t at = elf_bytes(made);

	memcpy(made->file.rest + made->used, p, n);
	made->used = (made->used + n + 7) & ~(size_t)7;
	return at;
}

static inline Elf64_Phdr *elf_segment(struct elf_made *made, uint32_t type,
				      uint64_t offset, uint64_t bytes)
{
	Elf64_Phdr *ph = &made->file.ph[made->file.header.e_phnum++];

	*ph = (Elf64_Phdr){ .p_type = type, .p_flags = PF_R,
			    .p_offset = offset, .p_vaddr = offset,
			    .p_filesz = bytes, .p_memsz = bytes,
			    .p_align = 8 };
	return ph;
}

static inline Elf64_Shdr *elf_section(struct elf_made *made, uint32_t type,
				      uint64_t offset, uint64_t bytes,
				      uint64_t entry)
{
	Elf64_Shdr *sh = &made->file.sh[made->file.header.e_shnum++];

	*sh = (Elf64_Shdr){ .sh_type = type, .sh_offset = offset,
			    .sh_size = bytes, .sh_entsize = entry };
	return sh;
}

/* Writes a note with 4-byte alignment; returns its bytes. */
static inline size_t elf_note(uint8_t *to, uint32_t type, const char *owner,
			      const void *desc, uint32_t n)
{
	uint32_t bytes = (uint32_t)strlen(owner) + 1;
	Elf64_Nhdr note = { bytes, n, type };
	size_t at = sizeof(note) + ((bytes + 3) & ~3u);

	memset(to, 0, at + n + 3);
	memcpy(to, &note, sizeof(note));
	memcpy(to + sizeof(note), owner, bytes);
	memcpy(to + at, desc, n);
	return at + ((n + 3) & ~3u);
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Headers of an ELF file in memory and of its sections, which need not be
 * aligned: they are copied before they are used.
 *
 * Invariant: the file is not trusted. Nothing outside it is read.
 */
#ifndef TRACEPOINTS_USDT_PLAN_SECTIONS_PRIVATE_H
#define TRACEPOINTS_USDT_PLAN_SECTIONS_PRIVATE_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#include "tracepoints/usdt/plan/note.h"

/* Returns n bytes at an offset, or NULL. */
static inline const uint8_t *file_at(const struct usdt_file *file,
				     uint64_t offset, uint64_t n)
{
	if (offset > file->size || n > file->size - offset)
		return NULL;
	return file->bytes + offset;
}

/* Reads the header of an ELF file of 64 bits, lowest byte first. Returns false
 * for any other file. */
static inline bool header_read(const struct usdt_file *file, Elf64_Ehdr *header)
{
	const uint8_t *p = file_at(file, 0, sizeof(*header));

	if (!p)
		return false;
	__builtin_memcpy(header, p, sizeof(*header));
	return header->e_ident[0] == 0x7f && header->e_ident[1] == 'E' &&
	       header->e_ident[2] == 'L' && header->e_ident[3] == 'F' &&
	       header->e_ident[EI_CLASS] == ELFCLASS64 &&
	       header->e_ident[EI_DATA] == ELFDATA2LSB &&
	       (!header->e_shnum || header->e_shentsize == sizeof(Elf64_Shdr));
}

/* Reads the header of section i. Returns false when there is none. */
static inline bool section_read(const struct usdt_file *file,
				const Elf64_Ehdr *header, uint32_t i,
				Elf64_Shdr *section)
{
	const uint8_t *p;

	if (i >= header->e_shnum || header->e_shoff > file->size)
		return false;
	p = file_at(file, header->e_shoff + i * sizeof(*section),
		    sizeof(*section));
	if (!p)
		return false;
	__builtin_memcpy(section, p, sizeof(*section));
	return true;
}

#endif

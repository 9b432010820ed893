/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds build ids and sections, by which a file leads to the one that has the
 * symbols which it lacks; see debug.h.
 */
#include "tracepoints/usdt/plan/debug.h"

#include <elf.h>

#include "base/base.h"
#include "base/sys.h"
#include "base/text.h"
#include "tracepoints/xz/xz.h"
#include "tracepoints/usdt/plan/sections-private.h"

#define OWNER		"GNU"
#define MINI_BYTES_MAX	(64ull << 20)

/* Returns the id in a section of notes, or NULL. */
static const uint8_t *id_in(const uint8_t *p, uint64_t left, uint32_t *bytes)
{
	Elf64_Nhdr note;
	uint64_t name, all;

	for (; left >= sizeof(note); p += all, left -= all) {
		__builtin_memcpy(&note, p, sizeof(note));
		name = align_up((uint64_t)note.n_namesz, 4);
		all = sizeof(note) + name + align_up((uint64_t)note.n_descsz,
						     4);
		if (all > left)
			return NULL;
		if (note.n_type != NT_GNU_BUILD_ID ||
		    note.n_namesz != sizeof(OWNER) ||
		    __builtin_memcmp(p + sizeof(note), OWNER, sizeof(OWNER)))
			continue;
		*bytes = note.n_descsz;
		return p + sizeof(note) + name;
	}
	return NULL;
}

const uint8_t *usdt_build_id(const struct usdt_file *file, uint32_t *bytes)
{
	const uint8_t *p, *id = NULL;
	Elf64_Shdr section;
	Elf64_Ehdr header;
	uint32_t i;

	if (!header_read(file, &header))
		return NULL;
	for (i = 0; !id && section_read(file, &header, i, &section); i++) {
		p = section.sh_type == SHT_NOTE ?
			    file_at(file, section.sh_offset, section.sh_size) :
			    NULL;
		if (p)
			id = id_in(p, section.sh_size, bytes);
	}
	return id && *bytes >= 2 && *bytes <= USDT_BUILD_ID_MAX ? id : NULL;
}

bool usdt_same_build(const struct usdt_file *one, const struct usdt_file *other)
{
	uint32_t n = 0, m = 0;
	const uint8_t *a = usdt_build_id(one, &n);
	const uint8_t *b = usdt_build_id(other, &m);

	return a && b && n == m && !__builtin_memcmp(a, b, n);
}

const uint8_t *usdt_section(const struct usdt_file *file, const char *name,
			    uint64_t *bytes)
{
	Elf64_Shdr section, strings;
	const char *names;
	Elf64_Ehdr header;

	if (!header_read(file, &header) ||
	    !section_read(file, &header, header.e_shstrndx, &strings))
		return NULL;
	names = (const char *)file_at(file, strings.sh_offset, strings.sh_size);
	if (!names || !strings.sh_size || names[strings.sh_size - 1])
		return NULL;
	for (uint32_t i = 0; section_read(file, &header, i, &section); i++)
		if (section.sh_type != SHT_NOBITS &&
		    section.sh_name < strings.sh_size &&
		    text_equal(names + section.sh_name, name)) {
			*bytes = section.sh_size;
			return file_at(file, section.sh_offset,
				       section.sh_size);
		}
	return NULL;
}

bool usdt_has_symbols(const struct usdt_file *file)
{
	Elf64_Shdr section;
	Elf64_Ehdr header;

	if (!header_read(file, &header))
		return false;
	for (uint32_t i = 0; section_read(file, &header, i, &section); i++)
		if (section.sh_type == SHT_SYMTAB)
			return true;
	return false;
}

bool usdt_mini_open(struct usdt_file *mini, const struct usdt_file *file)
{
	uint64_t bytes;
	const uint8_t *p = usdt_section(file, ".gnu_debugdata", &bytes);
	uint64_t size = p ? xz_bytes(p, bytes) : 0;
	struct xz *work;
	uint8_t *table;
	bool ret;

	if (!size || size > MINI_BYTES_MAX)
		return false;
	work = sys_map_anonymous(sizeof(*work));
	table = work ? sys_map_anonymous(size) : NULL;
	ret = table && !xz_decode(work, p, bytes, table, size);
	if (work)
		sys_munmap(work, sizeof(*work));
	if (table && !ret)
		sys_munmap(table, size);
	*mini = (struct usdt_file){ .bytes = table, .size = size };
	return ret;
}

void usdt_mini_close(struct usdt_file *mini)
{
	sys_munmap(mini->bytes, mini->size);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads segments and symbols of ELF files. See named-private.h. Facts: ELF,
 * gABI 4.1, "Program Header" and "Symbol Table".
 *
 * What must stay true here: the file is input, and may change while it is read:
 * it is not mapped. Memory and work are bounded, whatever its tables say, so
 * libelf does not read it: it keeps each section as a whole.
 */
#include "command/elf/named-private.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/elf/cxx-private.h"
#include "command/elf/mapped-private.h"

/* Of a name in the file and as it is written, with their NUL; the end of what
 * is cut tells it. Short C++ names can be made that stand for megabytes: each
 * byte doubles some. */
#define SYMBOL_BYTES	160
#define WRITTEN_BYTES	256
#define CUT		"..."
#define NAME_STEPS	128u		/* what reading a name takes */
#define CHARS_A_STEP	8u		/* of a C++ name as it is written */
#define SYMBOLS_AT_ONCE	2048u
#define SECTIONS_AT_ONCE 64u
#define PROGRAM_HEADERS_MAX 64u

/* The best symbol so far for an address. */
struct found {
	char name[SYMBOL_BYTES];
	uint64_t before;		/* bytes from the symbol on */
	int rank;
};

struct naming {
	const struct named_module *module;
	struct named_address *addresses;
	struct found *found;
	size_t n;
	int fd;
	uint64_t file_bytes;
	Elf64_Shdr names;		/* the section of symbols' names */
	uint32_t *steps;		/* that may still be done */
};

/* Counts steps; false: there are none left. */
static bool take_steps(const struct naming *naming, uint32_t steps)
{
	*naming->steps -= *naming->steps < steps ? *naming->steps : steps;
	return *naming->steps;
}

/* Reads `bytes` of the file, all of them. */
static bool read_at(int fd, void *to, size_t bytes, uint64_t offset)
{
	return offset <= INT64_MAX &&
	       pread(fd, to, bytes, (off_t)offset) == (ssize_t)bytes;
}

static bool read_header(int fd, Elf64_Ehdr *header)
{
	return read_at(fd, header, sizeof(*header), 0) &&
	       !memcmp(header->e_ident, ELFMAG, SELFMAG) &&
	       header->e_ident[EI_CLASS] == ELFCLASS64 &&
	       header->e_ident[EI_DATA] == ELFDATA2LSB &&
	       (header->e_type == ET_EXEC || header->e_type == ET_DYN);
}

static void add_segment(struct named_module *module, const Elf64_Phdr *ph)
{
	struct named_segment *more =
		reallocarray(module->segments, module->nsegments + 1,
			     sizeof(*more));

	if (!more)
		return;
	module->segments = more;
	more[module->nsegments++] =
		(struct named_segment){ ph->p_vaddr, ph->p_memsz,
					ph->p_flags & PF_X };
}

/* Returns whether the mapping begins with the first page of the segment, or in
 * it. */
static bool maps_segment(const struct mapped *mapped, const Elf64_Phdr *ph)
{
	uint64_t page = ph->p_align > 1 ? ph->p_align : 1;

	return ph->p_flags & PF_X && mapped->offset + page > ph->p_offset &&
	       mapped->offset < ph->p_offset + ph->p_filesz;
}

/* Finds out how far the module was moved, by what of it is mapped. */
static bool read_segments(struct named_module *module, int fd,
			  const struct mapped *mapped)
{
	Elf64_Phdr ph[PROGRAM_HEADERS_MAX];
	Elf64_Ehdr header;
	bool known = false;

	if (!read_header(fd, &header) || header.e_phnum > PROGRAM_HEADERS_MAX ||
	    !read_at(fd, ph, header.e_phnum * sizeof(*ph), header.e_phoff))
		return false;
	for (size_t i = 0; i < header.e_phnum; i++) {
		if (ph[i].p_type != PT_LOAD)
			continue;
		add_segment(module, &ph[i]);
		if (known || !maps_segment(mapped, &ph[i]))
			continue;
		known = true;
		module->shift = mapped->start - ph[i].p_vaddr -
				(mapped->offset - ph[i].p_offset);
	}
	return known;
}

void named_read_segments(struct named_module *module, int fd,
			 const struct mapped *mapped)
{
	memset(module, 0, sizeof(*module));
	module->name = strrchr(mapped->path, '/') + 1;
	if (!read_segments(module, fd, mapped))
		named_free(module);
	for (size_t i = 0; i < module->nsegments; i++)
		module->segments[i].start += module->shift;
}

void named_free(struct named_module *module)
{
	free(module->segments);
	module->segments = NULL;
	module->nsegments = 0;
}

bool named_has(const struct named_module *module, uint64_t address, bool code)
{
	for (size_t i = 0; i < module->nsegments; i++)
		if (address - module->segments[i].start <
		    module->segments[i].bytes &&
		    (!code || module->segments[i].code))
			return true;
	return false;
}

/* Returns how well a symbol names what it covers; 0: not at all. Of one
 * function's names, the one without underscores is the one that people use. */
static int rank_of(const Elf64_Sym *symbol, const char *name)
{
	int type = ELF64_ST_TYPE(symbol->st_info);
	int bind = ELF64_ST_BIND(symbol->st_info);
	int rank;

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

/* Copies a name up to a character, which may be its first; '?' stands for
 * characters that a text in quotes should not have. */
static void copy_name(char *to, size_t room, const char *name, char up_to)
{
	size_t n = 0;

	for (; *name && (*name != up_to || !n) && n < room - 1; name++) {
		char c = *name;

		to[n++] = c < 0x20 || c > 0x7e || c == '"' || c == '\\' ? '?' :
									   c;
	}
	to[n] = '\0';
}

/* Takes a symbol for an address if it is better than the one before: nearer to
 * it, or of a better kind; else the one that stands first in the alphabet. */
static void consider(struct found *found, const char *name, int rank,
		     uint64_t before)
{
	char copy[SYMBOL_BYTES];

	if (found->rank && before > found->before)
		return;
	/* without its version, as "puts@@GLIBC_2.2.5" */
	copy_name(copy, sizeof(copy), name, '@');
	if (found->rank && before == found->before &&
	    (rank < found->rank ||
	     (rank == found->rank && strcmp(copy, found->name) >= 0)))
		return;
	memcpy(found->name, copy, sizeof(copy));
	found->rank = rank;
	found->before = before;
}

/* Returns the number of the first address that is not below `start`. */
static size_t first_from(const struct naming *naming, uint64_t start)
{
	size_t low = 0, high = naming->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (naming->addresses[middle].address < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Reads the name of a symbol; false: it is none. */
static bool read_name(struct naming *naming, char *name, uint64_t at)
{
	const Elf64_Shdr *names = &naming->names;
	uint64_t left = names->sh_size - at;
	size_t bytes = left < SYMBOL_BYTES ? left : SYMBOL_BYTES;

	if (at >= names->sh_size || !take_steps(naming, NAME_STEPS) ||
	    !read_at(naming->fd, name, bytes, names->sh_offset + at))
		return false;
	if (bytes == SYMBOL_BYTES && !memchr(name, '\0', bytes))
		strcpy(name + SYMBOL_BYTES - sizeof(CUT), CUT);
	return memchr(name, '\0', bytes);
}

static void take_symbol(struct naming *naming, const Elf64_Sym *symbol)
{
	uint64_t start = symbol->st_value + naming->module->shift;
	/* a label without a size is what is there, and nothing behind it */
	uint64_t bytes = symbol->st_size ? symbol->st_size : 1;
	char name[SYMBOL_BYTES];
	int rank = -1;

	for (size_t i = first_from(naming, start); rank && i < naming->n; i++) {
		uint64_t before = naming->addresses[i].address - start;
		struct found *found = &naming->found[i];

		if (before >= bytes || !take_steps(naming, 1))
			return;
		if (found->rank && before > found->before)
			continue;
		if (rank < 0)
			rank = read_name(naming, name, symbol->st_name) ?
				       rank_of(symbol, name) : 0;
		if (rank)
			consider(found, name, rank, before);
	}
}

/* Returns whether a section is in the file. */
static bool is_there(const struct naming *naming, const Elf64_Shdr *section)
{
	return section->sh_offset <= naming->file_bytes &&
	       section->sh_size <= naming->file_bytes - section->sh_offset;
}

static void take_table(struct naming *naming, const Elf64_Ehdr *header,
		       const Elf64_Shdr *table)
{
	Elf64_Sym symbols[SYMBOLS_AT_ONCE];
	uint64_t offset = table->sh_offset;
	uint64_t left = table->sh_size / sizeof(*symbols);

	if (!is_there(naming, table) || table->sh_link >= header->e_shnum ||
	    !read_at(naming->fd, &naming->names, sizeof(naming->names),
		     header->e_shoff + table->sh_link * sizeof(*table)) ||
	    naming->names.sh_type != SHT_STRTAB ||
	    !is_there(naming, &naming->names))
		return;
	while (left) {
		size_t n = left < SYMBOLS_AT_ONCE ? left : SYMBOLS_AT_ONCE;

		if (!take_steps(naming, (uint32_t)n) ||
		    !read_at(naming->fd, symbols, n * sizeof(*symbols), offset))
			return;
		for (size_t i = 0; i < n; i++)
			take_symbol(naming, &symbols[i]);
		offset += n * sizeof(*symbols);
		left -= n;
	}
}

static void take_tables(struct naming *naming, const Elf64_Ehdr *header)
{
	Elf64_Shdr sections[SECTIONS_AT_ONCE];

	for (size_t first = 0, n; first < header->e_shnum; first += n) {
		n = header->e_shnum - first;
		n = n < SECTIONS_AT_ONCE ? n : SECTIONS_AT_ONCE;
		if (!take_steps(naming, (uint32_t)n) ||
		    !read_at(naming->fd, sections, n * sizeof(*sections),
			     header->e_shoff + first * sizeof(*sections)))
			return;
		for (size_t i = 0; i < n; i++)
			if (sections[i].sh_type == SHT_SYMTAB ||
			    sections[i].sh_type == SHT_DYNSYM)
				take_table(naming, header, &sections[i]);
	}
}

/* Returns whether a symbol's name may be cut. What is left of a C++ name can
 * be that of another function, with fewer arguments. */
static bool may_be_cut(const char *name)
{
	size_t most = SYMBOL_BYTES - sizeof(CUT);

	return strlen(name) == SYMBOL_BYTES - 1 && !strcmp(name + most, CUT);
}

/* Writes a symbol's name as people write it. */
static void write_name(const struct naming *naming, const char *name,
		       char written[static WRITTEN_BYTES])
{
	size_t length = 0;
	char *cxx = *naming->steps && !may_be_cut(name) ?
			    cxx_name(name, &length) : NULL;

	copy_name(written, WRITTEN_BYTES, cxx ? cxx : name, '\0');
	if (length >= WRITTEN_BYTES)
		strcpy(written + WRITTEN_BYTES - sizeof(CUT), CUT);
	take_steps(naming, length / CHARS_A_STEP < UINT32_MAX ?
				   (uint32_t)(length / CHARS_A_STEP) :
				   UINT32_MAX);
	free(cxx);
}

static void put_names(const struct naming *naming)
{
	char file[NAME_MAX + 1], name[WRITTEN_BYTES];

	copy_name(file, sizeof(file), naming->module->name, '\0');
	for (size_t i = 0; i < naming->n; i++) {
		struct named_address *a = &naming->addresses[i];
		const struct found *found = &naming->found[i];
		int n;

		if (found->rank)
			write_name(naming, found->name, name);
		if (!found->rank)
			n = asprintf(&a->name, "%s+0x%llx", file,
				     (unsigned long long)(a->address -
						naming->module->shift));
		else if (!found->before)
			n = asprintf(&a->name, "%s in %s", name, file);
		else
			n = asprintf(&a->name, "%s+0x%llx in %s", name,
				     (unsigned long long)found->before, file);
		if (n < 0)
			a->name = NULL;
	}
	cxx_end();
}

void named_find(const struct named_module *module, int fd,
		struct named_address *addresses, size_t n, uint32_t *steps)
{
	struct naming naming = { .module = module, .addresses = addresses,
				 .n = n, .fd = fd, .steps = steps };
	Elf64_Ehdr header;
	struct stat st;

	if (!read_header(fd, &header) || fstat(fd, &st))
		return;
	naming.file_bytes = (uint64_t)st.st_size;
	naming.found = calloc(n, sizeof(*naming.found));
	if (naming.found)
		take_tables(&naming, &header);
	if (naming.found && *steps)
		put_names(&naming);
	free(naming.found);
}

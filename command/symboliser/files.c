/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The files of a request: the symboliser's child.
 *
 * libdw looks itself for the split files of a program (DWARF 5, 3.1.2), and
 * opens them. Here it gets the descriptors that came with the request; the
 * paths of others are noted, and the command asks again with those that it
 * could open.
 *
 * Of a package, .dwp, which libdw before 0.191 does not read, a unit is written
 * as the split file that it was. Facts: DWARF 5, 7.3.5, "DWARF Package Files";
 * GCC's DebugFissionDWP for version 2 of the index, which DWARF 4 has. Units of
 * types are left out.
 *
 * Invariant: offsets and sizes of a package are checked before they are used.
 */
#include "command/symboliser/serve-private.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"
#include "command/sandbox/child.h"

#define MISSING_BYTES	65536
#define INDEX_HEAD	16u		/* bytes: version, columns, units,
					 * slots */
#define STRINGS		".debug_str.dwo"
#define NAMES		".shstrtab"
#define SECTIONS_MAX	12
#define NAMES_BYTES	256

/* A split file that came. */
struct split {
	struct split *next;
	int fd;				/* -1: libdw has it */
	size_t blank;			/* bytes to write a unit to; or 0 */
	char name[];
};

bool symboliser_split_noting;
uint64_t symboliser_split_id;

static struct symboliser_image package;
static struct split *splits;
static char missing[MISSING_BYTES];
static size_t missing_bytes;

/*
 * Maps a file as it is on disk: the kernel writes uprobes into private mappings
 * also of processes that only read. Some file systems have no shared ones.
 * Closes the descriptor. Returns 0 or a negative errno.
 */
static int image_map(struct symboliser_image *image, int fd, uint64_t bytes,
		     bool write)
{
	void *start = mmap(NULL, bytes, PROT_READ | (write ? PROT_WRITE : 0),
			   write ? MAP_PRIVATE : MAP_SHARED, fd, 0);
	int error;

	if (start == MAP_FAILED && !write)
		start = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	error = bytes ? errno : ENOEXEC;
	close(fd);
	if (start == MAP_FAILED)
		return -error;
	*image = (struct symboliser_image){ start, bytes };
	return 0;
}

/* Keeps the descriptor of a split file. */
static void split_keep(const char *name, int fd, size_t blank)
{
	struct split *split = malloc(sizeof(*split) + strlen(name) + 1);

	if (!split) {
		close(fd);
		return;
	}
	strcpy(split->name, name);
	split->fd = fd;
	split->blank = blank;
	split->next = splits;
	splits = split;
}

void symboliser_files_map(struct symboliser_images *images,
			  const struct symboliser_request *request, int fd,
			  bool write)
{
	struct symboliser_more more;
	ssize_t n;

	memset(images, 0, sizeof(*images));
	missing_bytes = 0;
	images->error = image_map(&images->of[FILE_OWN], fd,
				  request->file_bytes, write);
	for (uint32_t i = 0; i < request->more; i++) {
		n = child_receive(CHILD_SOCKET, &more, sizeof(more), &fd, -1);
		if (fd < 0)
			continue;
		if (n < 0 || !symboliser_more_valid(&more, (size_t)n))
			close(fd);
		else if (more.kind >= FILE_SPLIT)
			split_keep(more.name, fd, more.kind == FILE_BLANK ?
						  more.bytes : 0);
		else if (images->of[more.kind].bytes)
			close(fd);
		else
			image_map(&images->of[more.kind], fd, more.bytes,
				  write);
	}
	package = images->of[FILE_PACKAGE];
}

/*
 * Packages of split files, .dwp: the symboliser's child. Facts: DWARF 5, 7.3.5,
 * "DWARF Package Files"; and GCC's DebugFissionDWP for version 2 of the index,
 * which DWARF 4 has.
 *
 * libdw before 0.191 reads none, so a unit is written as the split file that it
 * was before. Units of types are left out.
 *
 * Invariant: offsets and sizes of the package are checked before they are used.
 */

/* Sections by the numbers of columns, of version 2 and 5. */
static const char *const columns[2][9] = {
	{ NULL, ".debug_info.dwo", NULL, ".debug_abbrev.dwo",
	  ".debug_line.dwo", ".debug_loc.dwo", ".debug_str_offsets.dwo",
	  ".debug_macinfo.dwo", ".debug_macro.dwo" },
	{ NULL, ".debug_info.dwo", NULL, ".debug_abbrev.dwo",
	  ".debug_line.dwo", ".debug_loclists.dwo", ".debug_str_offsets.dwo",
	  ".debug_macro.dwo", ".debug_rnglists.dwo" },
};

/* A split file that is written. */
struct writing {
	uint8_t *to;
	size_t room, used;
	Elf64_Shdr heads[SECTIONS_MAX];
	uint32_t n;
	char names[NAMES_BYTES];
	size_t names_bytes;
};

/* Returns the bytes of a section, or NULL. */
static const Elf_Data *section_find(Elf *elf, const char *wanted)
{
	Elf_Scn *section = NULL;
	const char *name;
	GElf_Shdr head;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		name = gelf_getshdr(section, &head) ?
			       elf_strptr(elf, names, head.sh_name) : NULL;
		if (!name || strcmp(name, wanted))
			continue;
		if (head.sh_flags & SHF_COMPRESSED)
			elf_compress(section, 0, 0);
		return elf_getdata(section, NULL);
	}
	return NULL;
}

/* Writes a section. Returns false if there is no room, or no such part. */
static bool section_write(struct writing *w, const char *name,
			  const Elf_Data *data, uint64_t at, uint64_t bytes)
{
	size_t n = strlen(name) + 1;

	if (!data || !data->d_buf || at > data->d_size ||
	    bytes > data->d_size - at || bytes > w->room - w->used ||
	    w->n == SECTIONS_MAX || n > NAMES_BYTES - w->names_bytes)
		return false;
	w->heads[w->n++] = (Elf64_Shdr){
		.sh_name = (uint32_t)w->names_bytes, .sh_type = SHT_PROGBITS,
		.sh_offset = w->used, .sh_size = bytes, .sh_addralign = 1,
	};
	memcpy(w->names + w->names_bytes, name, n);
	w->names_bytes += n;
	memcpy(w->to + w->used, (const char *)data->d_buf + at, bytes);
	w->used += bytes;
	return true;
}

/* Writes the sections that the index has for the unit that is wanted. */
static bool unit_write(struct writing *w, Elf *elf)
{
	const Elf_Data *index = section_find(elf, ".debug_cu_index"), *strings;
	uint32_t head[4] = { 0 }, row = 0, slot, column, at, bytes;
	const uint8_t *p, *table;
	uint64_t own, width, version;

	if (!index || !index->d_buf || index->d_size < INDEX_HEAD)
		return false;
	p = index->d_buf;
	memcpy(head, p, sizeof(head));
	version = head[0] & UINT16_MAX;
	width = 4ull * head[1];
	if ((version != 2 && version != 5) || head[1] > 8 ||
	    INDEX_HEAD + 12ull * head[3] + width * (1 + 2ull * head[2]) >
		    index->d_size)
		return false;
	for (slot = 0; slot < head[3] && !row; slot++) {
		memcpy(&own, p + INDEX_HEAD + 8ull * slot, sizeof(own));
		if (own == symboliser_split_id)
			memcpy(&row, p + INDEX_HEAD + 8ull * head[3] +
			       4ull * slot, sizeof(row));
	}
	table = p + INDEX_HEAD + 12ull * head[3];
	if (!row || row > head[2])
		return false;
	for (uint32_t i = 0; i < head[1]; i++) {
		memcpy(&column, table + 4 * i, 4);
		memcpy(&at, table + width * row + 4 * i, 4);
		memcpy(&bytes, table + width * (head[2] + row) + 4 * i, 4);
		if (column < 9 && columns[version == 5][column] && bytes &&
		    !section_write(w, columns[version == 5][column],
				   section_find(elf,
						columns[version == 5][column]),
				   at, bytes))
			return false;
	}
	strings = section_find(elf, STRINGS);
	return strings && section_write(w, STRINGS, strings, 0,
					strings->d_size);
}

/* Writes the unit that is wanted from the package as a split file. Returns
 * false if there is none, or no room. */
static bool split_write(const struct split *split)
{
	Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_REL, .e_machine = EM_X86_64,
		.e_version = EV_CURRENT, .e_ehsize = sizeof(header),
		.e_shentsize = sizeof(Elf64_Shdr),
	};
	struct writing w = { .room = split->blank, .used = sizeof(header),
			     .n = 1, .names_bytes = 1 };
	Elf_Data names = { .d_buf = w.names, .d_size = NAMES_BYTES };
	Elf *elf = package.bytes ? elf_memory(package.bytes, package.size) :
				   NULL;
	void *to = elf && w.room > sizeof(header) ?
			   mmap(NULL, w.room, PROT_READ | PROT_WRITE,
				MAP_SHARED, split->fd, 0) : MAP_FAILED;
	bool done = false;

	w.to = to;
	if (to != MAP_FAILED && unit_write(&w, elf) &&
	    section_write(&w, NAMES, &names, 0, NAMES_BYTES) &&
	    sizeof(w.heads) + 8 <= w.room - w.used) {
		w.heads[w.n - 1].sh_type = SHT_STRTAB;
		header.e_shoff = (w.used + 7) & ~7ull;
		header.e_shnum = (uint16_t)w.n;
		header.e_shstrndx = (uint16_t)(w.n - 1);
		memcpy(w.to + header.e_shoff, w.heads, w.n * sizeof(*w.heads));
		memcpy(w.to, &header, sizeof(header));
		done = true;
	}
	if (to != MAP_FAILED)
		munmap(to, w.room);
	elf_end(elf);
	return done;
}

void symboliser_files_close(struct symboliser_images *images)
{
	struct split *split;

	for (int i = 0; i < FILE_SPLIT; i++)
		if (images->of[i].bytes)
			munmap(images->of[i].bytes, images->of[i].size);
	while ((split = splits)) {
		splits = split->next;
		if (split->fd >= 0)
			close(split->fd);
		free(split);
	}
}

int symboliser_split_open(const char *path)
{
	size_t n = strlen(path) + 1;
	int fd;

	for (struct split *s = splits; s; s = s->next)
		if (s->fd >= 0 && !strcmp(s->name, path) &&
		    (!s->blank || split_write(s))) {
			fd = s->fd;
			s->fd = -1;
			return fd;
		}
	if (symboliser_split_noting && n <= SYMBOLISER_SPLIT_BYTES &&
	    n <= sizeof(missing) - missing_bytes) {
		memcpy(missing + missing_bytes, path, n);
		missing_bytes += n;
	}
	return -ENOENT;
}

void symboliser_missing_put(symboliser_put *put)
{
	for (size_t at = 0; at < missing_bytes; at += strlen(missing + at) + 1)
		if (!strpbrk(missing + at, "\t\n")) {
			put("split\t", 6);
			put(missing + at, strlen(missing + at));
			put("\n", 1);
		}
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Segments, build ID, dynamic linker and libraries of an ELF file in memory,
 * and whether it is a probe library: the symboliser's child. Facts: ELF, gABI
 * 4.1, "Program Header" and "Dynamic Section".
 */
#include "command/symboliser/serve-private.h"

#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>

#include "include/taffrail/probe-library.h"

/* A file as libelf has it, and as it is. Bytes of the image are read only after
 * is_inside() was asked. */
struct reading {
	struct symboliser_module *module;
	Elf *elf;			/* or NULL */
	const char *image;
	size_t bytes;
	GElf_Ehdr header;
};

/* Returns whether `n` bytes at an offset are in the file. */
static bool is_inside(const struct reading *r, uint64_t offset, uint64_t n)
{
	return offset <= r->bytes && n <= r->bytes - offset;
}

/* Returns the descriptor of the first note of a type and an owner, and its
 * bytes, or NULL. */
static const char *find_note(Elf_Data *notes, uint32_t type, const char *owner,
			     size_t *n)
{
	size_t at = 0, name, desc;
	const char *bytes = notes ? notes->d_buf : NULL;
	GElf_Nhdr note;

	while (bytes && (at = gelf_getnote(notes, at, &note, &name, &desc)) > 0)
		if (note.n_type == type && note.n_namesz == strlen(owner) + 1 &&
		    !memcmp(bytes + name, owner, note.n_namesz)) {
			*n = note.n_descsz;
			return bytes + desc;
		}
	return NULL;
}

/* Returns the notes of a segment, or NULL. */
static Elf_Data *segment_notes(Elf *elf, const GElf_Phdr *ph)
{
	return elf_getdata_rawchunk(elf, (int64_t)ph->p_offset, ph->p_filesz,
				    ph->p_align == 8 ? ELF_T_NHDR8 :
						       ELF_T_NHDR);
}

/* Finds the build ID among notes. A longer one than SYMBOLISER_ID_BYTES is cut.
 */
static void find_id(struct symboliser_module *module, Elf_Data *notes)
{
	size_t n;
	const char *id = find_note(notes, NT_GNU_BUILD_ID, ELF_NOTE_GNU, &n);

	if (!id)
		return;
	module->id_bytes = n < SYMBOLISER_ID_BYTES ? n : SYMBOLISER_ID_BYTES;
	memcpy(module->id, id, module->id_bytes);
}

/*
 * Reads the dynamic linker's table. A program has one, too; the linker itself
 * is no library. Libraries are noted as long as there is room for a name and an
 * empty one.
 */
static void read_dynamic(struct reading *r, const GElf_Phdr *ph)
{
	Elf_Scn *section = gelf_offscn(r->elf, (int64_t)ph->p_offset);
	char *needed = r->module->needed;
	size_t used = 0, bytes;
	const char *name;
	Elf_Data *data;
	GElf_Shdr sh;
	GElf_Dyn dyn;

	if (!gelf_getshdr(section, &sh))
		return;
	while (needed[used])
		used += strlen(needed + used) + 1;
	r->module->library = r->header.e_type == ET_DYN;
	data = elf_getdata(section, NULL);
	for (int i = 0; data && gelf_getdyn(data, i, &dyn); i++) {
		if (dyn.d_tag == DT_FLAGS_1 && dyn.d_un.d_val & DF_1_PIE)
			r->module->library = false;
		if (dyn.d_tag != DT_SONAME && dyn.d_tag != DT_NEEDED)
			continue;
		name = elf_strptr(r->elf, sh.sh_link, dyn.d_un.d_val);
		if (!name)
			continue;
		if (dyn.d_tag == DT_SONAME) {
			snprintf(r->module->soname, SYMBOLISER_PATH_BYTES,
				 "%s", name);
			if (!strncmp(name, "ld-", 3) ||
			    !strncmp(name, "ld.", 3))
				r->module->library = false;
			continue;
		}
		bytes = strlen(name) + 1;
		if (bytes > 1 && used + bytes + 1 < sizeof(r->module->needed)) {
			memcpy(needed + used, name, bytes);
			used += bytes;
		}
	}
}

/* Reads the name of another file, and perhaps a build ID, of a section. */
static void read_link(struct reading *r, const char *name, const GElf_Shdr *sh)
{
	struct symboliser_module *module = r->module;
	bool other = !strcmp(name, ".gnu_debugaltlink");
	char *to = other ? module->alternate : module->debug_file;
	size_t room = SYMBOLISER_PATH_BYTES - 1, n;

	if ((!other && strcmp(name, ".gnu_debuglink") != 0) || !sh->sh_size ||
	    sh->sh_type == SHT_NOBITS ||
	    !is_inside(r, sh->sh_offset, sh->sh_size))
		return;
	strncpy(to, r->image + sh->sh_offset,
		sh->sh_size < room ? sh->sh_size : room);
	n = strlen(to) + 1;
	if (!other || n >= sh->sh_size ||
	    sh->sh_size - n > SYMBOLISER_ID_BYTES)
		return;
	module->alternate_bytes = (uint32_t)(sh->sh_size - n);
	memcpy(module->alternate_id, r->image + sh->sh_offset + n,
	       module->alternate_bytes);
}

/* Reads everything but the segments that are loaded; libelf gives no section
 * where the headers make no sense. Files of debug information have no notes but
 * those in sections. */
static void read_others(struct reading *r)
{
	struct symboliser_module *module = r->module;
	Elf_Scn *section = NULL;
	bool program = false;
	const char *name;
	size_t n = 0;
	GElf_Phdr ph;
	GElf_Shdr sh;

	if (!elf_getshdrstrndx(r->elf, &n))
		while ((section = elf_nextscn(r->elf, section))) {
			if (!gelf_getshdr(section, &sh))
				continue;
			name = elf_strptr(r->elf, n, sh.sh_name);
			if (sh.sh_type == SHT_NOTE && !module->id_bytes)
				find_id(module, elf_getdata(section, NULL));
			if (!name)
				continue;
			module->has_lines |= (!strcmp(name, ".debug_info") ||
					      !strcmp(name, ".zdebug_info")) &&
					     sh.sh_type != SHT_NOBITS;
			read_link(r, name, &sh);
		}
	if (!gelf_getehdr(r->elf, &r->header) || elf_getphdrnum(r->elf, &n))
		return;
	for (size_t i = 0; i < n && i < SYMBOLISER_SEGMENTS_MAX; i++) {
		if (!gelf_getphdr(r->elf, (int)i, &ph))
			continue;
		program |= ph.p_type == PT_INTERP;
		if (ph.p_type == PT_INTERP &&
		    ph.p_filesz < sizeof(module->interpreter) &&
		    is_inside(r, ph.p_offset, ph.p_filesz))
			memcpy(module->interpreter, r->image + ph.p_offset,
			       ph.p_filesz);
		else if (ph.p_type == PT_DYNAMIC)
			read_dynamic(r, &ph);
		else if (ph.p_type == PT_NOTE && !module->id_bytes)
			find_id(module, segment_notes(r->elf, &ph));
	}
	module->library &= !program;
}

int symboliser_read_module(struct symboliser_module *module, const void *image,
			   size_t bytes, Elf *elf)
{
	struct reading r = { .module = module, .elf = elf, .image = image,
			     .bytes = bytes };
	Elf64_Ehdr header;
	Elf64_Phdr ph;

	memset(module, 0, sizeof(*module));
	if (!is_inside(&r, 0, sizeof(header)))
		return -ENOEXEC;
	memcpy(&header, image, sizeof(header));
	if (memcmp(header.e_ident, ELFMAG, SELFMAG))
		return -ENOEXEC;
	/* libelf refuses a file with damaged section headers, which can be
	 * executed; another machine's has no addresses here */
	if (header.e_ident[EI_CLASS] == ELFCLASS64 &&
	    header.e_ident[EI_DATA] == ELFDATA2LSB) {
		/* dwz's files are relocatable ones */
		if ((header.e_type != ET_EXEC && header.e_type != ET_DYN &&
		     header.e_type != ET_REL) ||
		    header.e_phnum > SYMBOLISER_SEGMENTS_MAX ||
		    !is_inside(&r, header.e_phoff, header.e_phnum * sizeof(ph)))
			return -ENOEXEC;
		for (uint32_t i = 0; i < header.e_phnum; i++) {
			memcpy(&ph, r.image + header.e_phoff + i * sizeof(ph),
			       sizeof(ph));
			if (ph.p_type != PT_LOAD)
				continue;
			module->segments[module->nsegments++] =
				(struct symboliser_segment){
					ph.p_vaddr, ph.p_memsz, ph.p_offset,
					ph.p_filesz, ph.p_align,
					ph.p_flags & PF_X };
		}
	}
	if (elf)
		read_others(&r);
	return 0;
}

/* The dynamic linker maps segments also where the file ends before they do, and
 * the program gets SIGBUS where it reads one. */
enum symboliser_unfit symboliser_read_unfit(size_t bytes, Elf *elf)
{
	struct reading r = { .bytes = bytes };
	size_t n = 0, size;
	bool noted = false;
	GElf_Phdr ph;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &r.header))
		return UNFIT_FORMAT;
	if (gelf_getclass(elf) != ELFCLASS64 || r.header.e_machine != EM_X86_64)
		return UNFIT_MACHINE;
	if (r.header.e_type != ET_DYN)
		return UNFIT_TYPE;
	if (elf_getphdrnum(elf, &n))
		return UNFIT_CUT;
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph) ||
		    (ph.p_type == PT_LOAD &&
		     !is_inside(&r, ph.p_offset, ph.p_filesz)))
			return UNFIT_CUT;
		noted |= ph.p_type == PT_NOTE &&
			 find_note(segment_notes(elf, &ph),
				   TAFFRAIL_PROBE_LIBRARY_NOTE_, "Taffrail",
				   &size);
	}
	return noted ? UNFIT_NOT : UNFIT_NOTE;
}

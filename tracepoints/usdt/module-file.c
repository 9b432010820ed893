/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds and maps the file of a module.
 *
 * The dynamic linker's name of a library comes from the program. A relative one
 * leads elsewhere as soon as the program changes the directory, so the file is
 * then looked for where the kernel says that it is.
 *
 * Invariant: a file is used only if it is the one that is loaded.
 */
#include "tracepoints/usdt/usdt.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/sys.h"
#include "base/text.h"
#include "tracepoints/program/mapped.h"
#include "tracepoints/usdt/plan/note.h"

/* Returns true when the bytes of a loaded segment are those of the file, and
 * where the segment is not in the module. */
static bool same_bytes(const struct usdt_file *file,
		       const struct module *module, const Elf64_Phdr *ph)
{
	uint64_t memory = module->base + ph->p_vaddr;

	return memory < module->start || memory > module->end ||
	       ph->p_filesz > module->end - memory ||
	       (ph->p_offset <= file->size &&
		ph->p_filesz <= file->size - ph->p_offset &&
		!__builtin_memcmp((const void *)memory,
				  file->bytes + ph->p_offset, ph->p_filesz));
}

/* Returns true when the segment `ph` contains the note in memory. */
static bool is_loaded(const Elf64_Phdr *note, const Elf64_Phdr *ph)
{
	return ph->p_type == PT_LOAD && ph->p_flags & PF_R &&
	       note->p_vaddr >= ph->p_vaddr &&
	       note->p_filesz <= ph->p_filesz &&
	       note->p_vaddr - ph->p_vaddr <= ph->p_filesz - note->p_filesz;
}

/* Tells whether the file is the one that is loaded, by headers and notes in
 * memory. The program headers may lie anywhere in the file, and the linker says
 * where they are in memory. */
static bool same_file(const struct usdt_file *file, const struct module *module)
{
	uint64_t bytes = module->nheaders * sizeof(Elf64_Phdr);
	const Elf64_Phdr *ph = module->headers;
	Elf64_Ehdr header;
	uint32_t k;

	if (file->size < sizeof(header) || !bytes ||
	    module->end - module->start < sizeof(header) ||
	    __builtin_memcmp((const void *)module->start, file->bytes,
			     sizeof(header)))
		return false;
	__builtin_memcpy(&header, file->bytes, sizeof(header));
	if (header.e_phentsize != sizeof(Elf64_Phdr) ||
	    header.e_phnum != module->nheaders ||
	    header.e_phoff > file->size ||
	    bytes > file->size - header.e_phoff ||
	    __builtin_memcmp(ph, file->bytes + header.e_phoff, bytes))
		return false;
	/* another version of a library may have the same headers; the build ID
	 * differs, which is a note */
	for (uint32_t i = 0; i < module->nheaders; i++)
		for (k = 0; ph[i].p_type == PT_NOTE && k < module->nheaders;
		     k++)
			if (is_loaded(&ph[i], &ph[k]) &&
			    !same_bytes(file, module, &ph[i]))
				return false;
	return true;
}

int usdt_file_map(struct usdt_file *file, const char *path)
{
	int fd = (int)sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
	struct stat st;
	long got = -ENOEXEC;

	if (fd < 0)
		return fd == -ENOENT || fd == -ENOTDIR ? -ESTALE : fd;
	if (!sys2(SYS_fstat, fd, &st) && st.st_size > 0) {
		*file = (struct usdt_file){ .size = (uint64_t)st.st_size };
		/* uprobes are written into private mappings, also these;
		 * some file systems have no shared ones */
		got = sys_mmap(0, file->size, PROT_READ, MAP_SHARED, fd, 0);
		if (got < 0 && got > -4096)
			got = sys_mmap(0, file->size, PROT_READ, MAP_PRIVATE,
				       fd, 0);
	}
	sys_close(fd);
	if (got < 0 && got > -4096)
		return (int)got;
	file->bytes = (const uint8_t *)got;
	return 0;
}

/* Maps a file that is the one of the module. Returns 0, -ESTALE when another
 * file has the path, or another negative errno. */
static int file_map(struct usdt_file *file, const char *path,
		    const struct module *module)
{
	int ret = usdt_file_map(file, path);

	if (ret || same_file(file, module))
		return ret;
	sys_munmap(file->bytes, file->size);
	return -ESTALE;
}

int usdt_module_map(struct usdt_file *file, const struct module *module)
{
	/* the registry's lock guards it */
	static struct mapped mapped TABLE;
	char path[64];
	struct text text;
	int ret = -ENOENT;
	int found;

	if (module->path[0])
		ret = file_map(file, module->path, module);
	if (module->path[0] && !ret)
		return 0;
	found = mapped_find(&mapped, module->start);
	if (found)
		return found == -ENOENT ? ret : found;
	ret = file_map(file, mapped.path, module);
	if (!ret)
		return 0;
	/* for a process that may checkpoint, the kernel opens the very file of
	 * a mapping */
	text_open(&text, path, sizeof(path));
	text_add(&text, "/proc/self/map_files/");
	text_add_hex(&text, mapped.start, 1);
	text_add_char(&text, '-');
	text_add_hex(&text, mapped.end, 1);
	return file_map(file, path, module) ? ret : 0;
}

void usdt_module_unmap(struct usdt_file *file)
{
	sys_munmap(file->bytes, file->size);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Maps the files of modules; see module-file.h.
 */
#include "tracepoints/usdt/module-file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/sys.h"

int usdt_file_map(struct usdt_file *file, const char *path)
{
	int fd = (int)sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
	struct stat st;
	long got = -1;

	if (fd < 0)
		return 0;
	if (!sys2(SYS_fstat, fd, &st) && st.st_size > 0) {
		file->size = (uint64_t)st.st_size;
		got = sys_mmap(0, file->size, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	sys_close(fd);
	file->bytes = (const uint8_t *)got;
	return got > 0;
}

void usdt_file_unmap(struct usdt_file *file)
{
	sys_munmap(file->bytes, file->size);
}

/* The program headers may lie anywhere in the file, and the linker says where
 * they are in memory. */
int usdt_file_loaded(const struct usdt_file *file, const struct module *module)
{
	Elf64_Ehdr header;
	uint64_t bytes = module->nheaders * sizeof(Elf64_Phdr);

	if (file->size < sizeof(header) || !bytes ||
	    module->end - module->start < sizeof(header) ||
	    __builtin_memcmp((const void *)module->start, file->bytes,
			     sizeof(header)))
		return 0;
	__builtin_memcpy(&header, file->bytes, sizeof(header));
	return header.e_phentsize == sizeof(Elf64_Phdr) &&
	       header.e_phnum == module->nheaders &&
	       header.e_phoff <= file->size &&
	       bytes <= file->size - header.e_phoff &&
	       !__builtin_memcmp(module->headers, file->bytes + header.e_phoff,
				 bytes);
}

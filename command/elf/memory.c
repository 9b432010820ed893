/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the markers of a module out of the memory of a process. The notes of
 * markers, and all that they name, are in segments that are loaded, so no file
 * is needed (include/taffrail/site.h).
 *
 * What must stay true here: the memory is input. Only segments that the program
 * headers tell are copied, each to its place, and are then read as a file's.
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "command/elf/elfnotes.h"
#include "command/elf/sites-private.h"

#define PAGE		4096ull
#define SEGMENTS_MAX	64
#define MODULE_BYTES	(1ull << 32)

/* The segments that are loaded, by the module's own addresses. */
struct extent {
	uint64_t low, high;
};

static int copy(pid_t pid, uint64_t from, void *to, size_t bytes)
{
	struct iovec here = { to, bytes };
	struct iovec there = { (void *)(uintptr_t)from, bytes };
	ssize_t n = process_vm_readv(pid, &here, 1, &there, 1, 0);

	return n == (ssize_t)bytes ? 0 : n < 0 ? -errno : -EFAULT;
}

static int headers_read(pid_t pid, uint64_t start, Elf64_Ehdr *header,
			Elf64_Phdr *ph, struct extent *extent)
{
	int ret = copy(pid, start, header, sizeof(*header));

	if (ret)
		return ret;
	if (memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 ||
	    header->e_phentsize != sizeof(*ph) ||
	    header->e_phnum > SEGMENTS_MAX || header->e_phoff > PAGE)
		return -ENOEXEC;
	ret = copy(pid, start + header->e_phoff, ph,
		   header->e_phnum * sizeof(*ph));
	*extent = (struct extent){ UINT64_MAX, 0 };
	for (int i = 0; !ret && i < header->e_phnum; i++) {
		if (ph[i].p_type != PT_LOAD)
			continue;
		if (ph[i].p_vaddr + ph[i].p_memsz < ph[i].p_vaddr)
			return -ENOEXEC;
		if (ph[i].p_vaddr < extent->low)
			extent->low = ph[i].p_vaddr & ~(PAGE - 1);
		if (ph[i].p_vaddr + ph[i].p_memsz > extent->high)
			extent->high = ph[i].p_vaddr + ph[i].p_memsz;
	}
	return ret ? ret : extent->low >= extent->high ||
			   extent->high - extent->low > MODULE_BYTES ?
				   -ENOEXEC : 0;
}

/* Returns true when the module has a note of a marker, or may have one. */
static bool has_notes(pid_t pid, uint64_t shift, const Elf64_Phdr *ph, int n)
{
	static const char owner[] = "taffrail";
	bool found = false;

	for (int i = 0; i < n && !found; i++) {
		char *bytes = ph[i].p_type == PT_NOTE &&
			      ph[i].p_memsz < MODULE_BYTES ?
				      malloc(ph[i].p_memsz + 1) : NULL;

		found = bytes && !copy(pid, ph[i].p_vaddr + shift, bytes,
				       ph[i].p_memsz) &&
			memmem(bytes, ph[i].p_memsz, owner, sizeof(owner));
		free(bytes);
	}
	return found;
}

int elfnotes_read_memory(struct marker_list *list, pid_t pid, uint64_t start,
			 uint64_t *shift)
{
	Elf64_Phdr ph[SEGMENTS_MAX];
	struct extent extent;
	Elf64_Ehdr header;
	size_t bytes;
	char *module;
	int ret = headers_read(pid, start, &header, ph, &extent);

	if (ret)
		return ret;
	*shift = start - extent.low;
	if (!has_notes(pid, *shift, ph, header.e_phnum))
		return 0;
	bytes = extent.high - extent.low;
	module = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (module == MAP_FAILED)
		return -ENOMEM;
	for (int i = 0; !ret && i < header.e_phnum; i++)
		if (ph[i].p_type == PT_LOAD && ph[i].p_flags & PF_R)
			ret = copy(pid, ph[i].p_vaddr + *shift,
				   module + (ph[i].p_vaddr - extent.low),
				   ph[i].p_filesz < ph[i].p_memsz ?
					   ph[i].p_filesz : ph[i].p_memsz);
	if (!ret)
		ret = elfnotes_add_sites(list, &(struct notes){
			.ph = ph, .nph = header.e_phnum,
			.base = module - extent.low });
	munmap(module, bytes);
	return ret;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The program's modules. See modules.h.
 */
#include "tracepoints/program/modules.h"

#include <link.h>
#include <stdint.h>
#include <sys/auxv.h>

#include "base/sys.h"

#define SEGMENTS_MAX	32

int (*modules_each)(int (*call)(struct dl_phdr_info *info, size_t size,
				void *arg), void *arg) = dl_iterate_phdr;

/* The linker's facts of one namespace, for debuggers; `next` is there from
 * version 2 on, which glibc 2.35 sets with the second namespace. */
struct namespace {
	struct r_debug first;
	const struct namespace *next;
};

/* Returns the next namespace of the dynamic linker, or NULL. */
static const struct namespace *namespace_next(const volatile struct r_debug *d)
{
	return d && d->r_version >= 2 ?
		       ((const volatile struct namespace *)d)->next : NULL;
}

int modules_state(const volatile struct r_debug *debug)
{
	const struct namespace *n;
	int state = debug->r_state;

	for (n = namespace_next(debug); n && state == RT_CONSISTENT;
	     n = namespace_next(&n->first))
		state = ((const volatile struct r_debug *)&n->first)->r_state;
	return state;
}

/* Copies memory that may not be there. */
static bool memory_take(void *to, uint64_t from, uint64_t bytes)
{
	return sys_read_memory(sys_getpid(), to, from, bytes) == (long)bytes;
}

/* The list has no segments: they are where the file's beginning is mapped, and
 * stay there as long as the module. A module that is mapped otherwise is left
 * out. */
static bool module_describe(struct dl_phdr_info *info,
			    const struct link_map *map)
{
	ElfW(Phdr) segments[SEGMENTS_MAX];
	ElfW(Ehdr) header;

	if (!map->l_addr || !memory_take(&header, map->l_addr,
					 sizeof(header)) ||
	    __builtin_memcmp(header.e_ident, ELFMAG, SELFMAG) ||
	    header.e_phentsize != sizeof(*segments) ||
	    header.e_phnum > SEGMENTS_MAX ||
	    !memory_take(segments, map->l_addr + header.e_phoff,
			 header.e_phnum * sizeof(*segments)))
		return false;
	info->dlpi_addr = map->l_addr;
	info->dlpi_name = map->l_name;
	info->dlpi_phdr = (const ElfW(Phdr) *)(map->l_addr + header.e_phoff);
	info->dlpi_phnum = header.e_phnum;
	return true;
}

void modules_each_elsewhere(int (*call)(struct dl_phdr_info *info, size_t size,
					void *arg), void *arg)
{
	const struct namespace *n = namespace_next(modules_debug());
	const struct link_map *map;

	for (; n; n = namespace_next(&n->first)) {
		for (map = n->first.r_map; map; map = map->l_next) {
			struct dl_phdr_info info = { 0 };

			if (module_describe(&info, map))
				call(&info, sizeof(info), arg);
		}
	}
}

bool module_has(const struct dl_phdr_info *info, const void *p)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

		if (ph->p_type == PT_LOAD &&
		    (uint64_t)p - (info->dlpi_addr + ph->p_vaddr) < ph->p_memsz)
			return true;
	}
	return false;
}

/*
 * Finds the linker's own struct r_debug through the program's DT_DEBUG, not
 * through the symbol _r_debug: if that is copied into the program (a copy
 * relocation, as of an agent linked statically), the copy never changes.
 */
const struct r_debug *modules_debug(void)
{
	const ElfW(Phdr) *ph = (const ElfW(Phdr) *)getauxval(AT_PHDR);
	uint64_t n = getauxval(AT_PHNUM);
	const ElfW(Dyn) *dynamic = NULL;
	uint64_t base = 0;
	bool based = false;

	for (uint64_t i = 0; ph && i < n; i++) {
		if (ph[i].p_type != PT_PHDR)
			continue;
		base = (uint64_t)ph - ph[i].p_vaddr;
		based = true;
	}
	/* static programs that relocate themselves have no PT_PHDR */
	for (uint64_t i = 0; based && i < n; i++)
		if (ph[i].p_type == PT_DYNAMIC)
			dynamic = (const ElfW(Dyn) *)(base + ph[i].p_vaddr);
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++)
		if (dynamic->d_tag == DT_DEBUG)
			return (const struct r_debug *)dynamic->d_un.d_ptr;
	return NULL;
}

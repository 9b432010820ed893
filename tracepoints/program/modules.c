/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The program's modules. See modules.h.
 */
#include "tracepoints/program/modules.h"

#include <link.h>
#include <stdint.h>
#include <sys/auxv.h>

int (*modules_each)(int (*call)(struct dl_phdr_info *info, size_t size,
				void *arg), void *arg) = dl_iterate_phdr;

int module_has(const struct dl_phdr_info *info, const void *p)
{
	int i;

	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

		if (ph->p_type == PT_LOAD &&
		    (uint64_t)p - (info->dlpi_addr + ph->p_vaddr) < ph->p_memsz)
			return 1;
	}
	return 0;
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
	int based = 0;
	uint64_t i;

	for (i = 0; ph && i < n; i++) {
		if (ph[i].p_type != PT_PHDR)
			continue;
		base = (uint64_t)ph - ph[i].p_vaddr;
		based = 1;
	}
	/* static programs that relocate themselves have no PT_PHDR */
	for (i = 0; based && i < n; i++)
		if (ph[i].p_type == PT_DYNAMIC)
			dynamic = (const ElfW(Dyn) *)(base + ph[i].p_vaddr);
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++)
		if (dynamic->d_tag == DT_DEBUG)
			return (const struct r_debug *)dynamic->d_un.d_ptr;
	return NULL;
}

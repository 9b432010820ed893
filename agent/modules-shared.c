/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds libc's dl_iterate_phdr(), for programs that replace it: a sanitizer's
 * runtime has another one, which works only after a setup that comes later than
 * the agent's start.
 *
 * In the shared library only: a static program has no other name for libc's.
 */
#include <dlfcn.h>

#include "agent/private.h"
#include "tracepoints/program/modules.h"

void modules_wait(void)
{
	void *program = dlopen(NULL, RTLD_LAZY | RTLD_NOLOAD);

	if (program)
		dlclose(program);
}

void modules_setup(void)
{
	void *found = dlsym(RTLD_NEXT, "dl_iterate_phdr");

	if (found)
		*(void **)&modules_each = found;
}

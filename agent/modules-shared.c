/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The modules of the program, past whatever stands before libc: a program that
 * was built with a sanitizer has a dl_iterate_phdr() of its own, which needs
 * what is set up only after the agent has started.
 *
 * In the archive there is no other name to call libc's by.
 */
#include <dlfcn.h>

#include "agent/agent.h"
#include "tracepoints/program/memory.h"
#include "tracepoints/program/modules.h"

void modules_settle(void)
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

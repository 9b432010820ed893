/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The program's modules: the executable, and the libraries that the dynamic
 * linker has loaded.
 */
#ifndef TRACEPOINTS_PROGRAM_MODULES_H
#define TRACEPOINTS_PROGRAM_MODULES_H

#include <stddef.h>

struct r_debug;
struct dl_phdr_info;

/*
 * dl_iterate_phdr(), but libc's own one if the agent knows it: a definition
 * that precedes libc's (a sanitizer's) may not work yet when the agent starts.
 */
extern int (*modules_each)(int (*call)(struct dl_phdr_info *info, size_t size,
				       void *arg), void *arg);

/* Returns 1 when a segment of the module contains address p. */
int module_has(const struct dl_phdr_info *info, const void *p);

/*
 * Returns the dynamic linker's own struct r_debug (<link.h>), or NULL in a
 * static program. The list that it leads to may change while it is read.
 */
const struct r_debug *modules_debug(void);

#endif

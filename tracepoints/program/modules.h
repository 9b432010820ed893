/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The program's modules: the executable and what the dynamic linker has
 * loaded.
 */
#ifndef TRACEPOINTS_PROGRAM_MODULES_H
#define TRACEPOINTS_PROGRAM_MODULES_H

#include <stddef.h>

struct r_debug;
struct dl_phdr_info;

/*
 * dl_iterate_phdr(), but libc's own where we know it: one that the program
 * puts before it may not work yet when we start (a sanitizer's).
 */
extern int (*modules_each)(int (*call)(struct dl_phdr_info *info, size_t size,
				       void *arg), void *arg);

/* Does one of its segments have that address? */
int module_has(const struct dl_phdr_info *info, const void *p);

/*
 * Returns the dynamic linker's own struct r_debug (<link.h>), or NULL in a
 * static program. What it leads to changes while one reads it.
 */
const struct r_debug *modules_debug(void);

#endif

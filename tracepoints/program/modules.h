/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The program's modules: the executable, and the libraries that the dynamic
 * linker has loaded.
 */
#ifndef TRACEPOINTS_PROGRAM_MODULES_H
#define TRACEPOINTS_PROGRAM_MODULES_H

#include <stdbool.h>
#include <stddef.h>

struct r_debug;
struct dl_phdr_info;

/*
 * dl_iterate_phdr(), but libc's own one if the agent knows it: a definition
 * that precedes libc's (a sanitizer's) may not work yet when the agent starts.
 */
extern int (*modules_each)(int (*call)(struct dl_phdr_info *info, size_t size,
				       void *arg), void *arg);

/*
 * Does the same for modules that dlmopen(3) has loaded into other namespaces of
 * the dynamic linker: modules_each() leaves them out. Call it in a call of
 * modules_each(), which holds the linker's lock on the lists.
 */
void modules_each_elsewhere(int (*call)(struct dl_phdr_info *info, size_t size,
					void *arg), void *arg);

/*
 * Returns the present work of the linker, RT_CONSISTENT, RT_ADD or RT_DELETE,
 * in any namespace. `debug` is modules_debug().
 */
int modules_state(const volatile struct r_debug *debug);

/* Returns true when a segment of the module contains address p. */
bool module_has(const struct dl_phdr_info *info, const void *p);

/*
 * Returns the dynamic linker's own struct r_debug (<link.h>), or NULL in a
 * static program. The list that it leads to may change while it is read.
 */
const struct r_debug *modules_debug(void);

#endif

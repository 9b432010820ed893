/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files as the kernel knows the program's mappings of them. The dynamic linker
 * knows a library by the name that it was given, which may be relative to a
 * directory that the program has left.
 */
#ifndef TRACEPOINTS_PROGRAM_MAPPED_H
#define TRACEPOINTS_PROGRAM_MAPPED_H

#include <stdint.h>

#define MAPPED_PATH_BYTES	4096

struct mapped {
	uint64_t start;			/* of the mapping */
	uint64_t end;
	char path[MAPPED_PATH_BYTES];
};

/*
 * Finds the file that is mapped at an address. The path is absolute, as the
 * kernel gives it now; " (deleted)" stands behind the path of a file that is
 * gone. Returns 0; -ENOENT: no file is mapped there; -ENAMETOOLONG; or the
 * errno of /proc/self/maps. The caller may open files.
 */
int mapped_find(struct mapped *mapped, uint64_t address);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mappings, and their files, as the kernel knows them. The dynamic linker
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
	int cut;			/* the path is longer than the room */
	char path[MAPPED_PATH_BYTES];
};

/*
 * Reads all mappings, in the order of their addresses, until `take` returns a
 * value other than 0. Returns that value, or 0, or the negative errno of
 * /proc/self/maps. `mapped` is the room for one mapping, and has the last one
 * afterwards. The caller may open files.
 */
int mapped_each(struct mapped *mapped,
		int (*take)(const struct mapped *mapped, void *arg), void *arg);

/*
 * Finds the file that is mapped at an address. The path is absolute, as the
 * kernel gives it now; " (deleted)" stands behind the path of a file that is
 * gone. Returns 0; -ENOENT: no file is mapped there; -ENAMETOOLONG; or the
 * errno of /proc/self/maps. The caller may open files.
 */
int mapped_find(struct mapped *mapped, uint64_t address);

#endif

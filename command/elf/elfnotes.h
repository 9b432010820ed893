/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads markers and USDT probes of an ELF file, without running it.
 */
#ifndef COMMAND_ELF_ELFNOTES_H
#define COMMAND_ELF_ELFNOTES_H

#include <sys/types.h>

#include "command/elf/markers.h"
#include "command/symboliser/symboliser.h"

struct opener_file;

#define ELFNOTES_ERROR_BYTES	SYMBOLISER_ERROR_BYTES

/*
 * Adds each marker site of the file, and each .note.stapsdt probe that is not
 * the site of a marker. Addresses are the file's own. `how`: SYMBOLISER_PLAN
 * and the like, or 0; functions are those of a debug file, too. Returns 0 or a
 * negative errno; `error` says why, or which notes were left out, else it is
 * empty. Not for several threads at a time.
 */
int elfnotes_read(struct marker_list *list, const char *path, uint32_t how,
		  char error[ELFNOTES_ERROR_BYTES]);

/* Does the same for a file that the opener has opened; `path` tells whose debug
 * file is meant. */
int elfnotes_read_open(struct marker_list *list, const char *path,
		       const struct opener_file *file, uint32_t how,
		       char error[ELFNOTES_ERROR_BYTES]);

/*
 * Adds the marker sites of a module that a process has mapped from `start` on,
 * by the process's memory, with the module's own addresses. Gives in `shift`
 * the difference to the process's addresses. Returns 0 or a negative errno: the
 * memory cannot be read, or (-ENOEXEC) is no ELF file's. `error` as above, and
 * empty where no note was read.
 */
int elfnotes_read_memory(struct marker_list *list, pid_t pid, uint64_t start,
			 uint64_t *shift, char error[ELFNOTES_ERROR_BYTES]);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads markers and USDT probes of an ELF file, without running it.
 */
#ifndef COMMAND_ELF_ELFNOTES_H
#define COMMAND_ELF_ELFNOTES_H

#include <sys/types.h>

#include "command/elf/markers.h"

#define ELFNOTES_ERROR_BYTES	256

/*
 * Adds each marker site of the file, and each .note.stapsdt probe that is not
 * the site of a marker. Addresses are the file's own. Returns 0 or a negative
 * errno; `error` says why, or what was left out, else it is empty.
 */
int elfnotes_read(struct marker_list *list, const char *path,
		  char error[ELFNOTES_ERROR_BYTES]);

/*
 * Adds the marker sites of a module that a process has mapped from `start` on,
 * by the process's memory, with the module's own addresses. Gives in `shift`
 * what is added to them in the process. Returns 0 or a negative errno: the
 * memory cannot be read, or (-ENOEXEC) is no ELF file's.
 */
int elfnotes_read_memory(struct marker_list *list, pid_t pid, uint64_t start,
			 uint64_t *shift);

#endif

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

/*
 * Gives the address, by the file's own headers, of `offset` in a segment of
 * code, or of the page in which the segment begins. Returns 0 or -ENOENT.
 */
int elfnotes_address(uint64_t *address, const char *path, uint64_t offset);

/* Gives the address, by the file's own headers, of a symbol that the file
 * defines. Returns 0 or -ENOENT. */
int elfnotes_symbol(uint64_t *address, const char *path, const char *name);

/* Gives the dynamic linker that the file names. Returns 0, or -ENOENT: it names
 * none, or none of this length. */
int elfnotes_interpreter(char *path, size_t room, const char *file);

/* Gives the first bytes of the file's build ID, and zeros behind. Returns 0 or
 * -ENOENT. */
#define ELFNOTES_ID_BYTES	20
int elfnotes_build_id(const char *path, unsigned char id[ELFNOTES_ID_BYTES]);

/* Returns true for a shared library, which no process can begin with: it names
 * no dynamic linker, is none, and is no static program. */
bool elfnotes_is_library(const char *path);

/* Returns true when the file is linked to a shared object whose name begins
 * so. */
bool elfnotes_needs(const char *path, const char *name);

#endif

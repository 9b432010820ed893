/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Markers and USDT probes of an ELF file, without running it.
 */
#ifndef COMMAND_ELF_ELFNOTES_H
#define COMMAND_ELF_ELFNOTES_H

#include "command/elf/markers.h"

#define ELFNOTES_ERROR_BYTES	256

/*
 * Add what the file declares: each marker site, and each .note.stapsdt probe
 * that is not the site of a marker. Addresses are the file's own. 0, or a
 * negative errno; `error` says why, or what was left out, else it is empty.
 */
int elfnotes_read(struct marker_list *list, const char *path,
		  char error[ELFNOTES_ERROR_BYTES]);

/*
 * The address that the file itself gives to what lies at `offset` in it, in a
 * segment that is loaded. 0, or -ENOENT.
 */
int elfnotes_address(uint64_t *address, const char *path, uint64_t offset);

/* The address that the file itself gives to a symbol of its own. 0, or
 * -ENOENT. */
int elfnotes_symbol(uint64_t *address, const char *path, const char *name);

/* Is the file linked to a shared object of that name? */
bool elfnotes_needs(const char *path, const char *soname);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Markers and USDT probes of an ELF file, without running it.
 */
#ifndef COMMAND_ELFNOTES_H
#define COMMAND_ELFNOTES_H

#include "command/markers.h"

#define ELFNOTES_ERROR_BYTES	256

/*
 * Add what the file declares: each marker site, and each .note.stapsdt probe
 * that is not the site of a marker. Addresses are the file's own. 0, or a
 * negative errno and the fact in `error`.
 */
int elfnotes_read(struct marker_list *list, const char *path,
		  char error[ELFNOTES_ERROR_BYTES]);

#endif

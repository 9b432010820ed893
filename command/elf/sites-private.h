/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The marker sites of a module, shared by the readers of files and of memory.
 */
#ifndef COMMAND_ELF_SITES_PRIVATE_H
#define COMMAND_ELF_SITES_PRIVATE_H

#include "command/elf/markers.h"
#include "tracepoints/sites/notes.h"

/* Adds each marker site to the list. Returns 0 or a negative errno. */
int elfnotes_add_sites(struct marker_list *list, const struct notes *notes);

#endif

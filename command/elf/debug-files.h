/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads source lines of modules of which the debug information is not, or not
 * all, in the module's own file.
 */
#ifndef COMMAND_ELF_DEBUG_FILES_H
#define COMMAND_ELF_DEBUG_FILES_H

#include <stddef.h>
#include <stdint.h>

struct opener_file;
struct symboliser_module;

/*
 * Gives the values that can be had at source lines, as symboliser_spots() does,
 * by a module's file and all files that have its debug information: of the same
 * build, of dwz, and split ones.
 */
int debug_spots(char **text, const char *words, size_t bytes, const char *path,
		const struct opener_file *file,
		const struct symboliser_module *module, uint64_t *ns);

#endif

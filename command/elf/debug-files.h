/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads source lines of modules of which the debug information is not, or not
 * all, in the module's own file.
 */
#ifndef COMMAND_ELF_DEBUG_FILES_H
#define COMMAND_ELF_DEBUG_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct opener_file;
struct symboliser_module;

/*
 * Does the same as symboliser_spots(), by a module's file and all files that
 * have its debug information: of the same build, of dwz, and split ones. With
 * `fetch`, asks servers of debuginfod, where the user has named some. A file
 * without any gives an empty text; without the file of dwz that it names, the
 * line "split" with that (symboliser/spots.c).
 */
int debug_spots(char **text, const char *words, size_t bytes, const char *path,
		const struct opener_file *file,
		const struct symboliser_module *module, bool fetch,
		uint64_t *ns);

/* Says of a file without any, in `text`, where it was looked for, and who has
 * it. */
void debug_missing(char *text, size_t room, const char *path,
		   const struct symboliser_module *module);

#endif

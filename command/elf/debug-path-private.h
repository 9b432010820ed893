/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the file is that has the symbols which a module's own file lacks, as
 * GDB looks for it (GDB manual, "Debugging Information in Separate Files"): by
 * build ID, or by name and the module's directory. The name alone proves
 * nothing, so both must have the same build ID.
 */
#ifndef COMMAND_ELF_DEBUG_PATH_PRIVATE_H
#define COMMAND_ELF_DEBUG_PATH_PRIVATE_H

#include <limits.h>
#include <stdbool.h>

#include "command/symboliser/symboliser.h"

#define DEBUG_PATH_BYTES	(PATH_MAX + SYMBOLISER_PATH_BYTES + 32)

/* Writes place i, from 0 on, for a module with this path. Returns false if
 * there is none. */
bool debug_path(char path[DEBUG_PATH_BYTES], const char *module,
		const struct symboliser_module *of, int i);

struct opener_file;

/* Opens a file if it is of a build. Returns whether it is; opener_close() is to
 * be called. */
bool debug_build_open(struct opener_file *file, const char *path,
		      const struct symboliser_module *of);

/* Does the same for the first of the places of a module with a path, and gives
 * it in `place`. With `fetch`, also for a file from the servers of debuginfod
 * that the user has named. */
bool debug_file_open(struct opener_file *file, char place[DEBUG_PATH_BYTES],
		     const char *path, const struct symboliser_module *module,
		     bool fetch);

/* Has debuginfod's library fetch a build's file of debug information, and gives
 * the path in its cache. Returns false without DEBUGINFOD_URLS, without the
 * library, or where no server has it. */
bool debug_fetch(char path[DEBUG_PATH_BYTES],
		 const struct symboliser_module *of);

/* Returns whether two files have one build ID. */
bool debug_same_build(const struct symboliser_module *one,
		      const struct symboliser_module *other);

#endif

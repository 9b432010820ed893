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

/* Returns whether two files have one build ID. */
bool debug_same_build(const struct symboliser_module *one,
		      const struct symboliser_module *other);

#endif

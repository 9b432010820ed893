/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The names by which rules know a module, as agents do
 * (rule_names_function()): those of the file, of a library, and of links to it.
 */
#ifndef COMMAND_PROCFS_MODULE_NAMES_H
#define COMMAND_PROCFS_MODULE_NAMES_H

#include <stdbool.h>
#include <limits.h>
#include <sys/types.h>

#define FILE_NAMES_BYTES	256

/* Writes the names: the last part of the path, without the kernel's mark of a
 * file that is gone; of another path, or NULL; and a library's, or NULL or
 * "". */
void module_names(char names[FILE_NAMES_BYTES], const char *path,
		  const char *called, const char *soname);

/* Sets the path with which a process was executed, if `path` is that of the
 * program's file, and the other one leads to the file. Returns NULL if not, or
 * if it cannot be known. */
const char *process_called(char called[PATH_MAX], pid_t pid, const char *path);

#endif

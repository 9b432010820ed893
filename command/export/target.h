/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The target of an export: standard output, or a file or a directory that has
 * the name only when it is complete.
 */
#ifndef COMMAND_EXPORT_TARGET_H
#define COMMAND_EXPORT_TARGET_H

#include <stdbool.h>

#include "traces/formats/formats.h"

/* It holds descriptors and memory until target_keep() or target_drop(). */
struct target {
	int fd;				/* -1: `made` is written by name, or is
					 * a directory */
	int folder;			/* that directory's descriptor, or -1 */
	char *made;			/* the temporary name, or NULL */
	char *path;			/* the name that it gets */
	bool force;			/* a former output is kept as
					 * NAME.old */
};

/* Opens a target for this format. `path` is the value of -o, or NULL; `force`
 * is --force. Returns COMMAND_DONE, or another status after printing why; the
 * caller calls target_drop() then, too. */
int target_open(struct target *target, const struct export_format *format,
		const char *path, bool force);

/* Gives a name to the output, and frees everything. Returns COMMAND_DONE, or
 * COMMAND_FAILED after printing the reason; the output is then removed. */
int target_keep(struct target *target);

/* Removes the output, and frees everything. A second call does nothing. */
void target_drop(struct target *target);

#endif

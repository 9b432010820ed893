/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The buffers in a core dump. A core that was written under TAFFRAIL_CORE=on
 * has the shared files of the process: the rings and their descriptions.
 * Written out again, these files are the directory of a dead process.
 */
#ifndef COMMAND_RUNTIME_CORE_H
#define COMMAND_RUNTIME_CORE_H

#include <limits.h>
#include <sys/types.h>

#include "command/causes/cause.h"

struct core_directory {
	char path[PATH_MAX];	/* a runtime directory, private; "": none */
	uid_t owner;		/* of the core dump, once it is extracted */
	struct cause cause;	/* of a core dump that could not be extracted */
};

/*
 * Makes a directory in $TMPDIR (/tmp) with the shared files in core dump
 * `file`. Returns 0 or -1 and `cause`.
 */
int core_extract(struct core_directory *directory, const char *file);

/* Removes the directory with all files. */
void core_remove(struct core_directory *directory);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The processes that a process had forked before a session began in it, such as
 * the workers of a server: the session is not in them.
 */
#ifndef COMMAND_AGENTS_FORKED_H
#define COMMAND_AGENTS_FORKED_H

#include <stddef.h>

#include "command/common/command.h"

struct forked {
	size_t counts[COMMAND_PIDS_MAX];	/* of each process of -p */
};

/*
 * Counts the living children of each process that execute the same program and
 * are not among the processes themselves. Called before a session begins: later
 * children take part in it. Where the kernel lists no children
 * (CONFIG_PROC_CHILDREN), there are none.
 */
void forked_count(struct forked *forked, const struct command_pids *pids);

/* Says how many such children are not traced, and how -p adds them. */
void forked_tell(const struct forked *forked, const struct command_pids *pids);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds processes that were started under a recording and may still join it.
 */
#ifndef COMMAND_RECORD_JOINERS_PRIVATE_H
#define COMMAND_RECORD_JOINERS_PRIVATE_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Returns true when there is a living process whose environment says that it
 * takes part in `session`, and in which the agent is loaded. A forked child has
 * no files below `directory` before its first event.
 */
bool joiners_exist(const char *session, const char *directory);

/* Returns true when the environment of this living process names `session`. */
bool joiner(pid_t pid, const char *session);

#endif

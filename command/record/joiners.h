/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes that were started under a recording and may still join it.
 */
#ifndef COMMAND_RECORD_JOINERS_H
#define COMMAND_RECORD_JOINERS_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Is there a living process whose environment says that it takes part in
 * `session`, and in which the agent is loaded? A forked child has no files
 * below `directory` before its first event.
 */
bool joiners_exist(const char *session, const char *directory);

/* Does the environment of this living process say so? */
bool joiner(pid_t pid, const char *session);

#endif

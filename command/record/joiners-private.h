/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds processes that were started under a recording and may still join it.
 */
#ifndef COMMAND_RECORD_JOINERS_PRIVATE_H
#define COMMAND_RECORD_JOINERS_PRIVATE_H

#include <stdbool.h>
#include <sys/types.h>

struct record;

/*
 * Returns true when a living process may still join the recording: its
 * environment names the recording and it has the agent, or it was forked by a
 * process of the recording. Such processes have no files before their first
 * event.
 */
bool joiners_exist(const struct record *record);

/* Returns true when the environment of this living process names `session`. */
bool joiner(pid_t pid, const char *session);

#endif

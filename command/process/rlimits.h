/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limits of another process that leave its agent too little.
 */
#ifndef COMMAND_PROCESS_RLIMITS_H
#define COMMAND_PROCESS_RLIMITS_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Writes which limits of the process may be why its agent has failed with this
 * errno: "its limits: ulimit -n is 3, ulimit -v leaves 120K". Writes "" when
 * there are none, or they cannot be read.
 */
void process_limits(pid_t pid, int error, char *text, size_t room);

#endif

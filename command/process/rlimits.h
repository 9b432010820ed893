/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limits of another process that leave the agent too little.
 */
#ifndef COMMAND_PROCESS_RLIMITS_H
#define COMMAND_PROCESS_RLIMITS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Writes which limits of the process may be why the agent has failed with this
 * errno: "its limits: ulimit -n is 3, ulimit -v leaves 120K". Writes "" when
 * there are none, or they cannot be read.
 */
void process_limits(pid_t pid, int error, char *text, size_t room);

/* Does the same for the limits of memory alone (ulimit -d, -l, -v). */
void process_memory_limits(pid_t pid, char *text, size_t room);

/* Returns the rest that a limit of ulimit ("-v") leaves the process: in bytes
 * for sizes, less the memory that the process uses. UINT64_MAX: there is no
 * limit, or it cannot be read. */
uint64_t process_limit_left(pid_t pid, const char *option);

#endif

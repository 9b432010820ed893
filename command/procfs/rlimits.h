/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limits of another process that leave the agent too little.
 */
#ifndef COMMAND_PROCFS_RLIMITS_H
#define COMMAND_PROCFS_RLIMITS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Writes which low limits of the process the kernel reports by this errno, with
 * which the agent has failed: "its limits: ulimit -d leaves 0K, ulimit -v leaves
 * 120K". Writes "" when there are none, when they cannot be read, or without an
 * errno.
 */
void process_limits(pid_t pid, int error, char *text, size_t room);

/* Returns the rest that a limit of ulimit ("-v") leaves the process: in bytes
 * for sizes, less the memory that the process uses. UINT64_MAX: there is no
 * limit, or it cannot be read. */
uint64_t process_limit_left(pid_t pid, const char *option);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limits of another process that leave the agent too little.
 */
#ifndef COMMAND_PROCFS_RLIMITS_H
#define COMMAND_PROCFS_RLIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Counts the threads of a user, as far as /proc shows them. */
uint64_t process_user_threads(uid_t uid);

/* Returns true where the user of a process has as many threads as ulimit -u
 * allows, with both numbers. That limit does not hold for root. */
bool process_threads_limited(pid_t pid, uint64_t *limit, uint64_t *used);

/* Returns true where a cgroup of the process has as many threads as pids.max
 * allows, which goes to *limit; as far as this command sees the cgroups. */
bool process_group_limited(pid_t pid, uint64_t *limit);

/*
 * Writes which limits of the process the kernel reports by this errno, with
 * which the agent has failed, and which are low: "its limits: ulimit -d leaves
 * 0K, ulimit -v leaves 120K", or met now, as "ulimit -u is 5". Writes "" when
 * there are none, when they cannot be read, or without an errno.
 */
void process_limits(pid_t pid, int error, char *text, size_t room);

/* Returns the rest that a limit of ulimit ("-v") leaves the process: in bytes
 * for sizes, less the memory that the process uses. UINT64_MAX: there is no
 * limit, or it cannot be read. */
uint64_t process_limit_left(pid_t pid, const char *option);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limits of the memory that rings take: the rings of one session in all
 * processes, and all rings of a user.
 */
#ifndef CONTROL_SESSIONS_QUOTA_H
#define CONTROL_SESSIONS_QUOTA_H

/* Sets the user's limit, at start, from the value of TAFFRAIL_QUOTA or NULL.
 * Returns 0, or -EINVAL when the value is no number of bytes (K, M or G may
 * follow). */
int quota_setup(const char *value);

/* Locks the runtime directory among the processes in it; waits 200 ms at most.
 * Returns a descriptor, whose close unlocks, or a negative errno. */
int quota_lock(void);

#endif

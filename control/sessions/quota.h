/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limits of the memory that rings take: the rings of one session in all
 * processes, and all rings of a user.
 */
#ifndef CONTROL_SESSIONS_QUOTA_H
#define CONTROL_SESSIONS_QUOTA_H

#include <stdbool.h>

#include "buffers/layout.h"

/* Sets the user's limit, at start, from the value of TAFFRAIL_QUOTA or NULL.
 * Returns 0, or -EINVAL when the value is no number of bytes (K, M or G may
 * follow). */
int quota_setup(const char *value);

/* Returns 0 when shared rings of so many bytes have room; -ENOSPC, -EDQUOT or
 * another negative errno. *late says that there is room enough not to allocate
 * them at once. In one of the agent's threads. */
int quota_share(const char *name, uint64_t bytes, bool *late);

/* Locks the runtime directory among the processes in it; waits 200 ms at most.
 * Returns a descriptor, whose close unlocks, or a negative errno. */
int quota_lock(void);

/* Reads the name of a session from the page FILE in the directory of an image;
 * it ends with a NUL, and may be any text. Returns 0 or a negative errno. */
int quota_session_name(int image, const char *file,
		       char name[SESSION_NAME_BYTES]);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which process this is; see identity.c. Call these functions in one of the
 * agent's threads.
 */
#ifndef CONTROL_SESSIONS_IDENTITY_PRIVATE_H
#define CONTROL_SESSIONS_IDENTITY_PRIVATE_H

#include <stdint.h>

/* Returns the inode of the process's pidfd (buffers/layout.h), or 0 when the
 * kernel does not tell. */
uint64_t identity_read(void);

/*
 * Returns 1 when the directory PID.STARTTIME/ has files of another process than
 * the one whose pidfd has the inode `own`. A `fresh` process, which was forked
 * and has not executed anything, cannot have made any file yet.
 */
int identity_foreign(const char *directory, uint64_t own, int fresh);

#endif

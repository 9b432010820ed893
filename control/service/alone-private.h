/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A process whose program may have ended without the service thread.
 */
#ifndef CONTROL_SERVICE_ALONE_PRIVATE_H
#define CONTROL_SERVICE_ALONE_PRIVATE_H

/* For the service thread: each reads /proc/self/stat through a descriptor that
 * it closes, and takes the first thread for alive where it cannot. */

/* Returns 1 when the process's first thread has ended and no other thread but
 * the caller is left, else 0. */
int alone_here(void);

/* Returns the status with which the first thread has ended; 0 while it lives.
 */
int alone_status(void);

#endif

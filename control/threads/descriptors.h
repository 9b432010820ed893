/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A descriptor table of a thread's own.
 */
#ifndef CONTROL_THREADS_DESCRIPTORS_H
#define CONTROL_THREADS_DESCRIPTORS_H

/*
 * Gives the calling thread an empty descriptor table of its own; the
 * program's stays as it is. Needs close_range(2) of Linux 5.9, or unshare(2)
 * and one close(2) for each descriptor. Returns 0, or -EMFILE when both are
 * denied: the table is the program's then.
 */
int descriptors_leave(void);

#endif

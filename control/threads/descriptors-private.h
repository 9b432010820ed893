/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A thread's private descriptor table.
 */
#ifndef CONTROL_THREADS_DESCRIPTORS_PRIVATE_H
#define CONTROL_THREADS_DESCRIPTORS_PRIVATE_H

/*
 * Gives the calling thread a private, empty descriptor table. The program's
 * table stays as it is. Needs close_range(2) of Linux 5.9, or unshare(2) and
 * one close(2) for each descriptor. Returns 0, or -EMFILE when both are denied:
 * then the thread still has the program's table.
 */
int descriptors_leave(void);

#endif

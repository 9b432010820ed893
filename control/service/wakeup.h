/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How one of the program's threads reaches the service thread: it leaves an
 * order and wakes that thread. See wakeup.c.
 */
#ifndef CONTROL_SERVICE_WAKEUP_H
#define CONTROL_SERVICE_WAKEUP_H

#include <stdbool.h>

/*
 * Has the service thread take the calling thread's rights, or end if it cannot
 * get them. Waits until it has, at most WAKEUP_WAIT_MS. Does nothing when there
 * is no service thread. errno stays. SIGSAFE, as all functions here.
 */
void wakeup_rights(void);

/*
 * Ends the service thread, and waits until the kernel no longer counts it, at
 * most WAKEUP_WAIT_MS. Returns true when there was a thread and it has gone,
 * else 0.
 */
bool wakeup_end(void);

/* Returns true when this process, not the parent, has a service thread. */
bool wakeup_here(void);

/* Forgets the parent's orders, in a forked child. */
void wakeup_forget(void);

/*
 * The service thread's side. The descriptor of wakeup_open() is readable after
 * a wakeup; wakeup_clear() reads it empty. wakeup_answer() carries out the
 * order, and returns 0, or a negative errno when the thread must end.
 */
int wakeup_open(void);
void wakeup_clear(int fd);
int wakeup_answer(void);

#endif

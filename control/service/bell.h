/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How one of the program's threads reaches the service thread: it leaves an
 * order and rings. See bell.c.
 */
#ifndef CONTROL_SERVICE_BELL_H
#define CONTROL_SERVICE_BELL_H

/*
 * Has the service thread take the calling thread's rights, or end if it cannot
 * get them. Waits until it has, at most BELL_WAIT_MS. Does nothing when there
 * is no service thread. errno stays. SIGSAFE, as all functions here.
 */
void bell_rights(void);

/*
 * Ends the service thread, and waits until the kernel no longer counts it, at
 * most BELL_WAIT_MS. Returns 1 when there was a thread and it has gone, else 0.
 */
int bell_end(void);

/* Returns 1 when this process, not the parent, has a service thread. */
int bell_here(void);

/* Forgets the parent's orders, in a forked child. */
void bell_forget(void);

/*
 * The service thread's side. The descriptor of bell_open() is readable after a
 * ring; bell_clear() reads it empty. bell_answer() carries out the order, and
 * returns 0, or a negative errno when the thread must end.
 */
int bell_open(void);
void bell_clear(int fd);
int bell_answer(void);

#endif

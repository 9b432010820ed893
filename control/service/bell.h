/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How a thread of the program's reaches the service thread: it leaves an
 * order and rings. See bell.c.
 */
#ifndef CONTROL_SERVICE_BELL_H
#define CONTROL_SERVICE_BELL_H

/*
 * The service thread gets the calling thread's rights, or ends if it cannot.
 * Waits until that is so, at most BELL_WAIT_MS. Does nothing where there is
 * no service thread. errno stays. SIGSAFE, as all here.
 */
void bell_rights(void);

/*
 * Ends the service thread, and waits until the kernel does not count it any
 * more, at most BELL_WAIT_MS. Returns 1 when it is gone and was there, else 0.
 */
int bell_end(void);

/* Has this process, not its parent, a service thread? */
int bell_here(void);

/* In a forked child: nobody has left an order. */
void bell_forget(void);

/*
 * The service thread's side. The descriptor can be read when somebody rang,
 * bell_clear() makes it silent, bell_answer() does what was ordered: it
 * returns 0, or a negative errno when the thread is to end.
 */
int bell_open(void);
void bell_clear(int fd);
int bell_answer(void);

#endif

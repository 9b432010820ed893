/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tasks that share our memory and the thread pointer of the thread that made
 * them; see fork_guests in buffers/rings/channel.h.
 */
#ifndef CONTROL_THREADS_GUEST_H
#define CONTROL_THREADS_GUEST_H

#include <stdbool.h>

/*
 * Makes a task that the calling thread is about to create write to locked
 * rings. While a session is on, or has been, this takes a system call: the
 * thread is unregistered from rseq. Returns a value that the same thread passes
 * to guest_end() when the task has gone. If the task may live on, guest_end()
 * is not called. errno stays. SIGSAFE.
 */
long guest_begin(void);
void guest_end(long begun);

/* Does as guest_begin() for a child of vfork(2). A process that has put off
 * files makes none for it, if guest_plain() says that the child will not change
 * the user: only a process with sessions hands them on to that one. */
extern bool (*guest_plain)(void);
long guest_vfork(void);

#endif

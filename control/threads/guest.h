/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tasks that share our memory and the thread pointer of the thread that made
 * them; see fork_guests in buffers/rings/channel.h.
 */
#ifndef CONTROL_THREADS_GUEST_H
#define CONTROL_THREADS_GUEST_H

/*
 * Before the calling thread makes such a task: sees to it that the task writes
 * to locked rings. While a session is on, or has been, that takes a system
 * call: the thread is unregistered from rseq. Returns what guest_end() gets
 * when the task has gone, in the same thread; where it may live on, that is
 * left out. errno stays. SIGSAFE.
 */
long guest_begin(void);
void guest_end(long begun);

#endif

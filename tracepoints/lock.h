/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The one lock of the control side, without libc. It guards the registry and
 * the sessions of this process; no write path takes it.
 *
 * The holder may take it again: fork handlers and the loader's hook may run
 * in a thread that holds it already.
 */
#ifndef TRACEPOINTS_LOCK_H
#define TRACEPOINTS_LOCK_H

/* Waits until the calling thread has it. Not for signal handlers. */
void registry_lock(void);
void registry_unlock(void);

/* In a forked child: the holder is the calling thread, or it does not exist.
 * Returns 0, or -EBUSY when another thread held the lock: what it guards may
 * then be half-changed. */
int registry_lock_adopt(void);

#endif

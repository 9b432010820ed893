/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The one lock of the control side, without libc. It guards the registry and
 * the sessions of this process; no write path takes it.
 *
 * The holder may take it again: fork handlers and the loader's hook may run
 * in a thread that holds it already.
 */
#ifndef TRACEPOINTS_SITES_LOCK_H
#define TRACEPOINTS_SITES_LOCK_H

#include <stdbool.h>

#include "buffers/rings/channel.h"

/* Waits until the calling thread holds the lock. Not for signal handlers. */
void registry_lock(void);
void registry_unlock(void);

/*
 * Some markers are switched by a call of a library of the program, which takes
 * locks of its own and may wait for threads that wait for this lock. The holder
 * that switches such a marker sets registry_unsettled to 1. Then the thread
 * that gives the lock back calls registry_settle(), which is NULL where no such
 * marker was ever; but not the one that took it with registry_lock_try(). 2: a
 * thread is settling.
 *
 * A caller with a lock that callbacks take gives the lock back with
 * registry_unlock_unsettled(), and then, without that lock, calls
 * registry_settle_now(). There, a thread may wait for the threads that are in
 * such markers.
 */
extern uint32_t registry_unsettled;
extern void (*registry_settle)(bool may_wait);
void registry_unlock_unsettled(void);
void registry_settle_now(void);

/* Takes the lock if no thread has it, the interrupted one included. Returns
 * true when the caller has it now. SIGSAFE. */
bool registry_lock_try(void);

/*
 * The same for a caller that changes nothing that the lock guards until it
 * gives the lock back. A child that is forked meanwhile, past libc, then finds
 * the guarded data whole.
 */
void registry_lock_look(void);

/*
 * Around fork(2), in the thread that forks: no other thread holds the lock
 * meanwhile, and the child's only thread holds it in the parent's place. A
 * thread that may not make system calls (host_confined) does not wait for the
 * lock: in such a process no thread changes the guarded data.
 */
void registry_lock_fork(void);
void registry_unlock_parent(void);
void registry_lock_restore(void);

/* In a forked child: gives the lock its depth back, if the parent's thread held
 * it. */
static inline void registry_unlock_child(void)
{
	if (unlikely(fork_note.depth))
		registry_lock_restore();
}

/* In a forked child, before the first event: frees the lock if the holder does
 * not exist in the child. Returns 0, or -EBUSY when there was such a holder:
 * the guarded data may then be half-changed. A thread of the child may hold the
 * lock. */
int registry_lock_adopt(void);

#endif

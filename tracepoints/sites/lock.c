/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A futex lock that knows the holder. A fork wipes the lock's words in the
 * child (struct fork_lock) and copies the variables of this file.
 *
 * Invariant: in a child, a lock taken before the fork belongs to the thread
 * that forked, or is free. If another thread of the parent held the lock, the
 * wiped word says that the lock is free, and `changing` still says that the
 * holder was changing things.
 */
#include "tracepoints/sites/lock.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "base/host.h"
#include "base/sys.h"
#include "buffers/rings/channel.h"

uint32_t registry_unsettled;
void (*registry_settle)(bool may_wait);

static uint32_t changing;	/* the holder may change what is guarded */
static uint32_t torn;		/* a fork left a changing holder behind */
static uint32_t hurried;	/* the holder may be a signal handler */

/* Returns the thread pointer, to name the calling thread: it costs no system
 * call. Two tasks that share a thread pointer are one thread to libc, too. */
static uint64_t self_read(void)
{
	return (uint64_t)__builtin_thread_pointer();
}

enum taken { NOT_TAKEN, TAKEN, TAKEN_AGAIN };

/* Returns NOT_TAKEN when another thread holds the lock and the caller does not
 * wait. */
static enum taken lock_take(int waits)
{
	uint64_t self = self_read();
	struct fork_lock *lock;
	uint32_t seen = 0;

	channels_settle();
	lock = fork_lock;
	if (load_relaxed(&lock->holder) == self) {
		lock->depth++;
		return TAKEN_AGAIN;
	}
	if (!__atomic_compare_exchange_n(&lock->word, &seen, 1, 0,
					 ACQUIRE(REGISTRY_LOCK),
					 __ATOMIC_RELAXED)) {
		if (!waits)
			return NOT_TAKEN;
		while (__atomic_exchange_n(&lock->word, 2,
					   ACQUIRE(REGISTRY_LOCK)))
			sys_futex_wait(&lock->word, 2, NULL);
	}
	store_relaxed(&lock->holder, self);
	lock->depth = 1;
	/* stores only if the value changes: a store would be a page fault */
	if (unlikely(changing)) {
		torn = 1;
		changing = 0;
	}
	return TAKEN;
}

/* Frees the lock, and wakes a waiter if there is one. */
static void lock_give(void)
{
	struct fork_lock *lock = fork_lock;

	store_relaxed(&lock->holder, 0);
	if (__atomic_exchange_n(&lock->word, 0, RELEASE(REGISTRY_LOCK)) == 2)
		sys_futex_wake(&lock->word, 1);
}

void registry_lock(void)
{
	if (lock_take(1) == TAKEN)
		changing = 1;
}

SIGSAFE bool registry_lock_try(void)
{
	/* looks first: the interrupted thread may be giving it back */
	if (load_relaxed(&fork_lock->holder) == self_read() ||
	    lock_take(0) == NOT_TAKEN)
		return false;
	changing = 1;
	hurried = 1;
	return true;
}

void registry_lock_look(void)
{
	lock_take(1);
}

/* Gives the lock back, once. Returns true when it is free now, and markers may
 * be settled. */
static bool lock_leave(void)
{
	bool settles;

	if (--fork_lock->depth)
		return false;
	if (changing)
		changing = 0;
	settles = !hurried;
	if (hurried)
		hurried = 0;
	lock_give();
	return settles;
}

static void markers_settle(bool may_wait)
{
	if (unlikely(load_relaxed(&registry_unsettled)) && registry_settle)
		registry_settle(may_wait);
}

void registry_unlock(void)
{
	if (lock_leave())
		markers_settle(false);
}

void registry_unlock_unsettled(void)
{
	lock_leave();
}

void registry_settle_now(void)
{
	markers_settle(true);
}

int registry_lock_adopt(void)
{
	uint32_t seen = 0;

	/* if the lock is held, the holder did the same when it took the lock */
	if (__atomic_compare_exchange_n(&fork_lock->word, &seen, 1, 0,
					ACQUIRE(REGISTRY_LOCK),
					__ATOMIC_RELAXED)) {
		torn |= changing;
		changing = 0;
		lock_give();
	}
	return torn ? -EBUSY : 0;
}

void registry_lock_fork(void)
{
	/* a thread that may not make system calls does not wait: no thread of
	 * such a process changes anything */
	if (lock_take(!host_confined) == TAKEN_AGAIN)
		fork_note.depth = fork_lock->depth - 1;
}

void registry_unlock_parent(void)
{
	if (load_relaxed(&fork_lock->holder) != self_read())
		return;
	if (fork_note.depth)
		fork_note.depth = 0;
	registry_unlock();
}

/* In a child the lock is free; its only thread held it before the fork. */
void registry_lock_restore(void)
{
	struct fork_lock *lock = fork_lock;

	store_relaxed(&lock->word, 1);
	store_relaxed(&lock->holder, self_read());
	lock->depth = fork_note.depth;
	fork_note.depth = 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A futex lock that knows its holder. Word: 0 free, 1 taken, 2 with waiters.
 *
 * What must stay true: in a child, a lock taken before the fork belongs to
 * the thread that forked, or to nobody. `mark` tells: it is the process's
 * fork_mark at the time, which the kernel sets to 0 in a child.
 */
#include "tracepoints/lock.h"

#include <errno.h>
#include <stdint.h>

#include "buffers/base.h"
#include "buffers/channel.h"
#include "buffers/sys.h"

static uint32_t word;
static uint32_t holder;		/* thread id; written by the holder */
static uint32_t depth;		/* the holder's */
static uint32_t mark;		/* *fork_mark when it was taken; or 0 */
static uint32_t forking;	/* the holder is in fork(2), the child is it */
static uint32_t looking;		/* the holder changes nothing */
static uint32_t torn;		/* one that does did not come through a fork */

/* Taken before a fork, by a thread that is not here. */
static int holder_lost(void)
{
	return load_acquire(&word) && !load_relaxed(fork_mark) &&
	       load_relaxed(&mark) && !load_relaxed(&forking);
}

static void lock_break(void)
{
	torn |= !load_relaxed(&looking);
	depth = 0;
	store_relaxed(&holder, 0);
	store_relaxed(&mark, 0);
	store_release(&word, 0);
}

void registry_lock(void)
{
	uint32_t self = (uint32_t)sys_gettid();
	uint32_t seen = 0;

	if (load_relaxed(&holder) == self) {
		depth++;
		return;
	}
	if (holder_lost())
		lock_break();
	if (!__atomic_compare_exchange_n(&word, &seen, 1, 0, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED)) {
		while (__atomic_exchange_n(&word, 2, __ATOMIC_ACQUIRE))
			sys_futex_wait(&word, 2, NULL);
	}
	store_relaxed(&looking, 0);
	store_relaxed(&mark, load_relaxed(fork_mark));
	store_relaxed(&holder, self);
	depth = 1;
}

void registry_lock_look(void)
{
	registry_lock();
	if (depth == 1)
		store_relaxed(&looking, 1);
}

void registry_unlock(void)
{
	if (--depth)
		return;
	store_relaxed(&mark, 0);
	store_relaxed(&holder, 0);
	if (__atomic_exchange_n(&word, 0, __ATOMIC_RELEASE) == 2)
		sys_futex_wake(&word, 1);
}

int registry_lock_adopt(void)
{
	if (holder_lost())
		lock_break();
	return torn ? -EBUSY : 0;
}

void registry_lock_fork(void)
{
	registry_lock();
	store_relaxed(&forking, 1);
}

void registry_unlock_parent(void)
{
	store_relaxed(&forking, 0);
	registry_unlock();
}

void registry_unlock_child(void)
{
	store_relaxed(&holder, (uint32_t)sys_gettid());
	store_relaxed(&mark, load_relaxed(fork_mark));
	store_relaxed(&forking, 0);
	registry_unlock();
}

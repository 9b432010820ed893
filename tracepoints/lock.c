/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A futex lock that knows its holder. Word: 0 free, 1 taken, 2 with waiters.
 */
#include "tracepoints/lock.h"

#include <errno.h>
#include <stdint.h>

#include "buffers/base.h"
#include "buffers/sys.h"

static uint32_t word;
static uint32_t holder;		/* thread id; written by the holder */
static uint32_t depth;		/* the holder's */

void registry_lock(void)
{
	uint32_t self = (uint32_t)sys_gettid();
	uint32_t seen = 0;

	if (load_relaxed(&holder) == self) {
		depth++;
		return;
	}
	if (!__atomic_compare_exchange_n(&word, &seen, 1, 0, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED)) {
		while (__atomic_exchange_n(&word, 2, __ATOMIC_ACQUIRE))
			sys_futex_wait(&word, 2, NULL);
	}
	store_relaxed(&holder, self);
	depth = 1;
}

void registry_unlock(void)
{
	if (--depth)
		return;
	store_relaxed(&holder, 0);
	if (__atomic_exchange_n(&word, 0, __ATOMIC_RELEASE) == 2)
		sys_futex_wake(&word, 1);
}

int registry_lock_adopt(void)
{
	if (!load_relaxed(&word))
		return 0;
	store_relaxed(&word, 0);
	store_relaxed(&holder, 0);
	depth = 0;
	return -EBUSY;
}

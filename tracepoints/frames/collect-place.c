/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Places for frames that are too large for a stack.
 *
 * A hit takes a place and releases it. A hit that is left by siglongjmp(), or
 * whose thread ends in it, does not release it. So each hit that wants a place
 * first releases places of its thread whose hits are no longer on the stack. If
 * no place is free then, it takes one of a thread that does not exist any more.
 *
 * What must stay true: the state of a place is one word, so a signal handler
 * finds it either free or complete. If a place is taken away by mistake (from a
 * handler that runs on a stack that it made itself), only its frame is lost:
 * the hit calls collect_place_is_ours() before it uses the bytes it wrote.
 */
#include "tracepoints/frames/collect-private.h"

#include <errno.h>
#include <signal.h>

#include "base/base.h"
#include "base/host.h"
#include "base/sys.h"

/*
 * The holder of a place; 0: the place is free.
 *
 *	63          42 41                                   0
 *	+-------------+-------------------------------------+
 *	| thread      | stack pointer of its hit, by 32     |
 *	+-------------+-------------------------------------+
 */
#define TOKEN_THREAD_SHIFT	42
#define TOKEN_STACK_SHIFT	5
#define TOKEN_THREAD(token)	((uint32_t)((token) >> TOKEN_THREAD_SHIFT))
#define TOKEN_STACK(token)                                                   \
	(((token) & ((1ull << TOKEN_THREAD_SHIFT) - 1)) << TOKEN_STACK_SHIFT)

uint8_t *collect_places;
static uint64_t places[FRAME_PLACES];

static SIGSAFE int is_within(const stack_t *aside, uint64_t address)
{
	return !(aside->ss_flags & SS_DISABLE) &&
	       address - (uint64_t)aside->ss_sp < aside->ss_size;
}

/* For a place of the caller's thread: returns 1 when its hit is no longer on
 * the stack. */
static SIGSAFE int is_left(uint64_t token, uint64_t mine)
{
	stack_t aside = { .ss_flags = SS_DISABLE };
	uint64_t then = TOKEN_STACK(token);
	uint64_t now = TOKEN_STACK(mine);

	if (now < then || host_confined)
		return 0;
	sys2(SYS_sigaltstack, NULL, &aside);
	return is_within(&aside, now) == is_within(&aside, then);
}

static SIGSAFE int is_dead(uint64_t token)
{
	return !host_confined &&
	       sys3(SYS_tgkill, sys_getpid(), TOKEN_THREAD(token), 0) == -ESRCH;
}

static SIGSAFE int place_change(uint32_t i, uint64_t old, uint64_t token)
{
	return __atomic_compare_exchange_n(&places[i], &old, token, 0,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

SIGSAFE COLD int collect_place_take(uint64_t *token)
{
	uint64_t here = (uint64_t)__builtin_frame_address(0);
	uint64_t mine = (uint64_t)host_tid() << TOKEN_THREAD_SHIFT |
			here >> TOKEN_STACK_SHIFT;
	uint32_t i;

	*token = mine;
	for (i = 0; i < FRAME_PLACES; i++) {
		uint64_t old = load_relaxed(&places[i]);

		if (old && TOKEN_THREAD(old) == TOKEN_THREAD(mine) &&
		    is_left(old, mine))
			place_change(i, old, 0);
	}
	for (i = 0; i < FRAME_PLACES; i++)
		if (!load_relaxed(&places[i]) && place_change(i, 0, mine))
			return (int)i;
	for (i = 0; i < FRAME_PLACES; i++) {
		uint64_t old = load_relaxed(&places[i]);

		if ((!old || is_dead(old)) && place_change(i, old, mine))
			return (int)i;
	}
	return -1;
}

SIGSAFE int collect_place_is_ours(int place, uint64_t token)
{
	return load_relaxed(&places[place]) == token;
}

SIGSAFE void collect_place_release(int place, uint64_t token)
{
	place_change((uint32_t)place, token, 0);
}

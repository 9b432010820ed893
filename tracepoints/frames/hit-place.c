/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Places that hits take, by tokens:
 *
 *	63          42 41                                   0
 *	+-------------+-------------------------------------+
 *	| thread      | stack pointer of its hit, by 32     |
 *	+-------------+-------------------------------------+
 *
 * Hits that are live at the same time on one thread have different stack
 * pointers, also on a handler's own stack. So no two live hits have one token.
 */
#include "tracepoints/frames/hit-place.h"

#include <errno.h>
#include <signal.h>

#include "base/host.h"
#include "base/sys.h"

#define TOKEN_THREAD_SHIFT	42
#define TOKEN_STACK_SHIFT	5
#define TOKEN_STACK_MASK	((1ull << TOKEN_THREAD_SHIFT) - 1)
#define TOKEN_THREAD(token)	((uint32_t)((token) >> TOKEN_THREAD_SHIFT))
#define TOKEN_STACK(token)                                                   \
	(((token) & TOKEN_STACK_MASK) << TOKEN_STACK_SHIFT)

_Static_assert(PLACE_STACK_STEP == 1u << TOKEN_STACK_SHIFT, "of a token");

SIGSAFE uint64_t place_token(uint64_t stack)
{
	return (uint64_t)host_tid() << TOKEN_THREAD_SHIFT |
	       (stack >> TOKEN_STACK_SHIFT & TOKEN_STACK_MASK);
}

/* Returns true when the address is on this alternative stack. */
static SIGSAFE bool is_within(const stack_t *aside, uint64_t address)
{
	return !(aside->ss_flags & SS_DISABLE) &&
	       address - (uint64_t)aside->ss_sp < aside->ss_size;
}

SIGSAFE bool place_is_left(uint64_t token, uint64_t mine)
{
	stack_t aside = { .ss_flags = SS_DISABLE };
	uint64_t then = TOKEN_STACK(token);
	uint64_t now = TOKEN_STACK(mine);

	if (host_confined)
		return false;
	sys2(SYS_sigaltstack, NULL, &aside);
	if (is_within(&aside, now) != is_within(&aside, then))
		return is_within(&aside, then);
	return now >= then;
}

SIGSAFE bool place_thread_ended(uint32_t thread)
{
	return !host_confined &&
	       sys3(SYS_tgkill, sys_getpid(), thread, 0) == -ESRCH;
}

/* Changes a place's token from old to new. Returns false when it was not old.
 */
static SIGSAFE bool token_change(uint64_t *place, uint64_t old, uint64_t token)
{
	return __atomic_compare_exchange_n(
		place, &old, token, 0, ACQ_REL(HIT_PLACE), __ATOMIC_RELAXED);
}

SIGSAFE COLD int place_take(uint64_t *places, uint32_t n, uint32_t first,
			    uint64_t token)
{
	uint32_t at;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t old = load_relaxed(&places[i]);

		if (old && TOKEN_THREAD(old) == TOKEN_THREAD(token) &&
		    place_is_left(old, token))
			token_change(&places[i], old, 0);
	}
	for (uint32_t i = 0; i < n; i++) {
		at = (first + i) % n;
		if (!load_relaxed(&places[at]) &&
		    token_change(&places[at], 0, token))
			return (int)at;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint64_t old = load_relaxed(&places[i]);

		if ((!old || place_thread_ended(TOKEN_THREAD(old))) &&
		    token_change(&places[i], old, token))
			return (int)i;
	}
	return -1;
}

SIGSAFE void place_release(uint64_t *place, uint64_t token)
{
	token_change(place, token, 0);
}

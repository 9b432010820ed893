/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The program's actions (handler, flags, mask) for the signal by which commands
 * ask. Each has a stub, and the kernel has the stub of the one in force. So no
 * word says which action that is: the kernel changes it in one step, and a
 * child that shares this memory (vfork(2)) has a separate one.
 *
 * Invariant: the action of a stub that the kernel may still call does
 * not change. A program that installs more than ACTIONS different ones gets
 * those slots again that it took longest ago.
 */
#include "control/service/action.h"

#include <stdbool.h>

#include "base/base.h"
#include "base/sys.h"
#include "control/threads/settings.h"

#define SIGSET_BYTES	8
/* Above the flags of a slot that can be read; without it, a slot with flags is
 * being written. A writer may be killed there. */
#define READY		(1ul << 63)

struct slot {
	struct kernel_action action;
	uint32_t fired;		/* the handler of an SA_RESETHAND has run */
};

const char *action_stubs;

/* Any thread, handler or child that shares this memory writes a slot. */
static struct slot slots[ACTIONS];
static uint32_t next;

static bool is_same(const struct kernel_action *ready,
		    const struct kernel_action *action)
{
	return load_acquire(&ready->flags, ACTION_SLOT) ==
		       (action->flags | READY) &&
	       ready->handler == action->handler &&
	       ready->restorer == action->restorer &&
	       ready->mask == action->mask;
}

/* Returns true when the kernel has the slot's stub. */
static bool slot_in_force(const struct slot *slot)
{
	struct kernel_action now;

	return sys4(SYS_rt_sigaction, agent_signal, NULL, &now, SIGSET_BYTES) ||
	       (const char *)now.handler ==
		       action_stubs + (slot - slots) * ACTION_STUB_BYTES;
}

static bool slot_write(struct slot *slot, const struct kernel_action *action)
{
	unsigned long flags = load_relaxed(&slot->action.flags);

	if ((flags && (!(flags & READY) || slot_in_force(slot))) ||
	    !__atomic_compare_exchange_n(&slot->action.flags, &flags, 1, 0,
					 ACQ_REL(ACTION_SLOT),
					 __ATOMIC_RELAXED))
		return false;
	slot->action.handler = action->handler;
	slot->action.restorer = action->restorer;
	slot->action.mask = action->mask;
	slot->fired = 0;
	store_release(&slot->action.flags, action->flags | READY, ACTION_SLOT);
	return true;
}

SIGSAFE void *action_stub(const struct kernel_action *action)
{
	struct slot *slot;

	for (slot = slots; slot < slots + ACTIONS; slot++)
		/* an action that has fired and is in force stays the default
		 * action */
		if (is_same(&slot->action, action) &&
		    (!load_relaxed(&slot->fired) || !slot_in_force(slot))) {
			store_relaxed(&slot->fired, 0);
			goto found;
		}
	do
		slot = &slots[__atomic_fetch_add(&next, 1, __ATOMIC_RELAXED) %
			      ACTIONS];
	while (!slot_write(slot, action));
found:
	return (char *)action_stubs + (slot - slots) * ACTION_STUB_BYTES;
}

/* With `take`, a handler that runs once is taken. */
static struct kernel_action slot_action(struct slot *slot, int take)
{
	struct kernel_action action = slot->action;

	action.flags &= ~READY;
	if (action_calls(&action) && action.flags & SA_RESETHAND &&
	    (take ? __atomic_exchange_n(&slot->fired, 1,
					ACQ_REL(ACTION_FIRED)) :
		    load_relaxed(&slot->fired)))
		action.handler = NULL;
	return action;
}

SIGSAFE bool action_of(const void *handler, struct kernel_action *action)
{
	uintptr_t at = (uintptr_t)handler - (uintptr_t)action_stubs;

	if (at >= ACTIONS * ACTION_STUB_BYTES)
		return false;
	*action = slot_action(&slots[at / ACTION_STUB_BYTES], 0);
	return true;
}

SIGSAFE struct kernel_action action_take(uint32_t stub)
{
	return slot_action(&slots[stub % ACTIONS], 1);
}

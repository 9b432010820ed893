/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The program's actions for the signal by which commands ask, and the stubs
 * that stand for them (control/service/action.c).
 */
#include "testsuite/unit/unit.h"

#include "base/sys.h"
#include "control/service/action.h"
#include "control/threads/settings.h"

#define SIGNAL		45
#define MASK		0x123456789abcull

#define STUBS_BYTES	(ACTIONS * ACTION_STUB_BYTES)

/* with a byte before the stubs, and one behind them */
static char memory[1 + STUBS_BYTES + 1];
#define stubs		(memory + 1)

static void on_one(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
}

static void restore_one(void)
{
}

static struct kernel_action action_with(unsigned long flags)
{
	return (struct kernel_action){ on_one, flags, restore_one, MASK };
}

/* Returns the number of a stub. */
static long number_of(const void *stub)
{
	return ((const char *)stub - stubs) / ACTION_STUB_BYTES;
}

/* Has the kernel call a stub at the signal. */
static void put_in_force(void *stub)
{
	struct kernel_action action = { .handler = stub };

	sys4(SYS_rt_sigaction, SIGNAL, &action, NULL, 8);
}

static void check_same(void)
{
	struct kernel_action first = action_with(SA_SIGINFO), other = first;
	struct kernel_action found;
	void *stub = action_stub(&first);

	unit_check(action_stub(&first) == stub, "an equal action");
	other.flags |= SA_RESTART;
	unit_check(action_stub(&other) != stub, "other flags");
	other = first;
	other.mask++;
	unit_check(action_stub(&other) != stub, "another mask");
	other = first;
	other.restorer = NULL;
	unit_check(action_stub(&other) != stub, "another restorer");
	other = first;
	other.handler = (void *)SIG_IGN;
	unit_check(action_stub(&other) != stub, "another handler");
	unit_check(!action_calls(&other) && action_calls(&first),
		   "which calls nothing");
	unit_check(action_of(stub, &found), "the action of a stub");
	unit_check(found.handler == on_one && found.mask == MASK &&
		   found.restorer == restore_one, "is as it was");
	unit_equal(found.flags, SA_SIGINFO, "with these flags");
	unit_check(action_of(stubs + STUBS_BYTES - 1, &found),
		   "the last byte of the stubs");
	unit_check(!action_of(stubs + STUBS_BYTES, &found), "behind the stubs");
	unit_check(!action_of(stubs - 1, &found), "before them");
}

static void check_once(void)
{
	struct kernel_action once = action_with(SA_RESETHAND), found;
	struct kernel_action nothing = once;
	void *stub = action_stub(&once);
	uint32_t number = (uint32_t)number_of(stub);

	unit_check(action_of(stub, &found) && found.handler == on_one,
		   "once: the handler");
	unit_check(action_take(number).handler == on_one, "once: it runs");
	unit_check(!action_take(number).handler, "once: not again");
	unit_check(action_of(stub, &found) && !found.handler,
		   "once: the default action then");
	put_in_force(stub);
	unit_check(action_stub(&once) != stub,
		   "once: the one in force stays the default action");
	unit_check(!action_take(number).handler, "once: it does");
	put_in_force(NULL);
	unit_check(action_stub(&once) == stub, "once: installed again");
	unit_check(action_take(number).handler == on_one,
		   "once: it runs again");
	nothing.handler = (void *)SIG_IGN;
	stub = action_stub(&nothing);
	action_take((uint32_t)number_of(stub));
	unit_check(action_of(stub, &found) &&
		   found.handler == (void *)SIG_IGN, "an ignored signal stays");
}

/* More actions than there are stubs. */
static void check_many(void)
{
	struct kernel_action kept = action_with(SA_NODEFER), found;
	void *stub = action_stub(&kept);
	bool seen[ACTIONS] = { false };
	int reached = 0;

	put_in_force(stub);
	for (uint64_t i = 0; i < 3 * ACTIONS; i++) {
		struct kernel_action action = action_with(SA_ONSTACK);
		long number;

		action.mask = i;
		number = number_of(action_stub(&action));
		unit_check(number >= 0 && number < ACTIONS &&
			   number != number_of(stub), "action %d has a stub",
			   (int)i);
		reached += !seen[number];
		seen[number] = true;
		unit_check(action_of(stubs + number * ACTION_STUB_BYTES,
				     &found) && found.mask == i,
			   "action %d is there", (int)i);
	}
	unit_equal(reached, ACTIONS - 1, "all stubs but that in force");
	unit_check(action_of(stub, &found) && found.flags == SA_NODEFER,
		   "which is kept");
	put_in_force(NULL);
}

int main(void)
{
	action_stubs = stubs;
	agent_signal = SIGNAL;
	check_same();
	check_once();
	check_many();
	return unit_end();
}

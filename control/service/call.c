/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests that a signal of the program's brings, where the agent makes no
 * thread (buffers/wake.h has the states).
 *
 * The handler interrupts anything, so it calls nothing of libc, runs on a stack
 * of the agent's, and waits for no lock and no peer: where a thread has the
 * registry's lock, the command asks again.
 *
 * Invariant: a signal that no command has sent has the same effect as without
 * the agent. The value of a command's signal tells it from others.
 */
#include "control/service/call.h"

#include <errno.h>
#include <stdbool.h>
#include <ucontext.h>

#include "base/base.h"
#include "base/host.h"
#include "base/sys.h"
#include "buffers/rings/channel.h"
#include "control/sessions/place.h"
#include "control/threads/settings.h"
#include "control/threads/thread.h"
#include "tracepoints/sites/lock.h"

#pragma GCC visibility push(default)
#include "taffrail/signal.h"
#pragma GCC visibility pop

#define PUBLIC		__attribute__((visibility("default")))
#define SIGSET_BYTES	8
#define RESTORER_FLAG	0x04000000ul	/* SA_RESTORER */
#define UNMASKED	(1ull << (SIGKILL - 1) | 1ull << (SIGSTOP - 1))
/* The kernel may keep others, or clear them. */
#define KNOWN_FLAGS	(SA_NOCLDSTOP | SA_NOCLDWAIT | SA_SIGINFO | \
			 SA_ONSTACK | SA_RESTART | SA_NODEFER | \
			 (unsigned int)SA_RESETHAND | RESTORER_FLAG)
/* The program's flags that change how the kernel treats a system call, and
 * where a handler runs. */
#define KERNEL_FLAGS	(SA_RESTART | SA_ONSTACK)
#define GRACE_MS	5
#define SPAWNS_LOOKS	30000000	/* some 0.3 s */

uint32_t call_begun;
call_handle_fn *call_handle;
static uint32_t ignored_once;	/* the program has ignored the signal */
static uint32_t spawns;		/* under way, guarded by spawns_lock */
static uint32_t spawns_lock;
static int (*call_serve)(void *unused);
static void (*call_restorer)(void);

static void mask_set(uint64_t mask, uint64_t *before)
{
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, before, SIGSET_BYTES);
}

static int kernel_change(const struct kernel_action *set,
			 struct kernel_action *old)
{
	return (int)sys4(SYS_rt_sigaction, agent_signal, set, old,
			 SIGSET_BYTES);
}

/* Obeys the request, if the process is the one that it is for. */
static void call_take(struct process_page *page)
{
	uint32_t seen = CALL_ASKED;
	int ret = -EBUSY;

	if (agent_off || host_confined || !load_relaxed(fork_mark) || !page ||
	    page->pid != (uint32_t)sys_getpid() ||
	    !__atomic_compare_exchange_n(&page->wake.request, &seen,
					 CALL_SERVED, 0, SEQ_CST(WAKE_REQUEST),
					 SEQ_CST(WAKE_REQUEST)))
		return;
	if (load_relaxed(&page->wake.state) == WAKE_SIGNALLED &&
	    registry_lock_try()) {
		ret = thread_here(call_serve, NULL);
		registry_unlock();
	}
	store_relaxed(&page->denial, place_denial(ret));
	store_relaxed(&page->wake.error, -ret);
	if (!ret)
		store_relaxed(&page->wake.came, page->wake.came + 1);
	/* CALL-ANSWER: the answer is complete */
	store_release(&page->wake.request, 0, CALL_ANSWER);
	sys_futex_wake(&page->wake.request, 1);
}

/* Not by the public name, which a call would look up among all libraries. */
__attribute__((noinline))
static SIGSAFE bool signal_chain(int number, siginfo_t *info, void *context)
{
	uint64_t mask;

	if (!agent_signal || number != (int)agent_signal ||
	    info->si_code != SI_QUEUE ||
	    info->si_value.sival_ptr != (void *)CALL_COOKIE)
		return false;
	if (host_confined)
		return true;
	mask_set(~0ull, &mask);
	host_unaligned();
	call_take(process.page);
	mask_set(mask, NULL);
	return true;
}

PUBLIC SIGSAFE int taffrail_signal_chain(int number, siginfo_t *info,
					 void *context)
{
	return signal_chain(number, info, context);
}

/* Turns a program's action into the one that the kernel gets. */
static void to_ours(struct kernel_action *action)
{
	unsigned long flags = SA_SIGINFO | RESTORER_FLAG | KERNEL_FLAGS;

	if (action_calls(action))
		flags &= ~(unsigned long)KERNEL_FLAGS | action->flags;
	if (action->handler == (void *)SIG_IGN)
		store_relaxed(&ignored_once, 1);
	action->handler = action_stub(action);
	action->flags = flags | (action->flags & ~(unsigned long)KNOWN_FLAGS);
	action->restorer = call_restorer;
	action->mask = ~UNMASKED;
}

/* Turns the kernel's action into the program's. */
static void to_theirs(struct kernel_action *action)
{
	unsigned long flags = action->flags & ~(unsigned long)KNOWN_FLAGS;

	if (action_of((void *)action->handler, action))
		action->flags = (action->flags & KNOWN_FLAGS) | flags;
}

/* Runs the program's own handler, with the signals blocked that the kernel
 * would block. */
static void signal_pass(int number, siginfo_t *info, void *context,
			uint32_t stub)
{
	const struct kernel_action none = { 0 };
	struct kernel_action action = action_take(stub);
	uint64_t mask = *(uint64_t *)&((ucontext_t *)context)->uc_sigmask;

	/* the signal ends a program that has no handler */
	if (!action.handler && !host_confined) {
		sys4(SYS_rt_sigaction, number, &none, NULL, SIGSET_BYTES);
		sys3(SYS_tgkill, sys_getpid(), sys_gettid(), number);
	}
	if (!action_calls(&action))
		return;
	if (!(action.flags & SA_NODEFER))
		mask |= 1ull << (number - 1);
	if (!host_confined)
		mask_set(mask | action.mask, NULL);
	if (call_handle)
		call_handle(action.handler, number, info, context);
	else
		action.handler(number, info, context);
}

SIGSAFE void action_run(int number, siginfo_t *info, void *context,
			uint32_t stub)
{
	if (!signal_chain(number, info, context))
		signal_pass(number, info, context, (uint8_t)stub);
}

void call_setup(int (*serve)(void *unused), void (*restorer)(void),
		const char *stubs)
{
	action_stubs = stubs;
	call_serve = serve;
	call_restorer = restorer;
	/* the interrupted thread may be the one that is waited for */
	channel_grace_ms = GRACE_MS;
}

/*
 * Changes the kernel's action by `to`. A thread of the program may install
 * another action meanwhile, and the kernel cannot compare and exchange. So the
 * action that each change replaces is installed again, through `to`, until a
 * change has replaced the expected one: the program's last change stays.
 */
static int action_replace(void (*to)(struct kernel_action *action))
{
	struct kernel_action is, put, was;
	int ret = kernel_change(NULL, &is);

	if (ret)
		return ret;
	was = is;
	do {
		put = was;
		to(&put);
		ret = kernel_change(&put, &was);
		if (ret || (was.handler == is.handler && was.mask == is.mask &&
			    !((was.flags ^ is.flags) & KNOWN_FLAGS)))
			return ret;
		is = put;
	} while (1);
}

/* Of the program's actions, the kernel may have this one. */
static void to_ignored(struct kernel_action *action)
{
	struct kernel_action theirs = *action;

	to_theirs(&theirs);
	if (theirs.handler == (void *)SIG_IGN)
		*action = theirs;
}

static void to_taken(struct kernel_action *action)
{
	to_theirs(action);
	to_ours(action);
}

SIGSAFE int call_begin(void)
{
	int ret = action_replace(to_taken);

	store_release(&call_begun, !ret, CALL_BEGUN);
	return ret;
}

void call_end(void)
{
	store_release(&call_begun, 0, CALL_BEGUN);
	action_replace(to_theirs);
}

SIGSAFE int call_action(const struct kernel_action *set,
			struct kernel_action *old)
{
	struct kernel_action to;
	int ret;

	if (set) {
		/* as libc and the kernel have it */
		to = *set;
		to.flags |= RESTORER_FLAG;
		to.restorer = call_restorer;
		to.mask &= ~UNMASKED;
		to_ours(&to);
	}
	ret = kernel_change(set ? &to : NULL, old);
	if (!ret)
		to_theirs(old);
	return ret;
}

SIGSAFE bool call_ignores(void)
{
	struct kernel_action is;

	if (!load_relaxed(&ignored_once) || kernel_change(NULL, &is))
		return false;
	to_theirs(&is);
	return is.handler == (void *)SIG_IGN;
}

SIGSAFE void call_spawn(bool begin)
{
	int looks = SPAWNS_LOOKS;

	/* the holder may be a killed child that shared this memory */
	while (__atomic_exchange_n(&spawns_lock, 1, ACQUIRE(SPAWNS_LOCK)) &&
	       looks--)
		;
	if (begin ? !spawns++ : !--spawns)
		action_replace(begin ? to_ignored : to_taken);
	store_release(&spawns_lock, 0, SPAWNS_LOCK);
}

SIGSAFE bool call_left(const struct process_wake *wake)
{
	uint64_t pending = 0;

	sys2(SYS_rt_sigpending, &pending, SIGSET_BYTES);
	return load_relaxed(&wake->sending) ||
	       (pending >> (agent_signal - 1) & 1);
}

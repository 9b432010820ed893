/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests that a signal of the program's brings, where the agent makes no
 * thread (buffers/wake.h has the states).
 *
 * The handler interrupts anything, so it calls nothing of libc, runs on a stack
 * of the agent's, and waits for no lock and no peer: where a thread has the
 * registry's lock, the command asks again.
 *
 * What must stay true: a signal that no command has sent does what it would do
 * without the agent. The value of a command's signal tells it from others.
 */
#include "control/service/call.h"

#include <errno.h>
#include <ucontext.h>

#include "base/base.h"
#include "base/host.h"
#include "base/sys.h"
#include "buffers/rings/channel.h"
#include "control/threads/settings.h"
#include "control/threads/thread.h"
#include "taffrail/signal.h"
#include "tracepoints/sites/lock.h"

#define PUBLIC		__attribute__((visibility("default")))
#define SIGSET_BYTES	8
#define RESTORER_FLAG	0x04000000ul	/* SA_RESTORER */
/* The program's flags that change what the kernel does to a system call, and
 * where a handler runs. */
#define KERNEL_FLAGS	(SA_RESTART | SA_ONSTACK)
#define GRACE_MS	5

static struct kernel_action theirs;	/* taken by `changing` */
static uint32_t changing;
static int (*call_serve)(void *unused);
static void (*call_restorer)(void);

static void mask_set(uint64_t mask, uint64_t *before)
{
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, before, SIGSET_BYTES);
}

/* The caller blocks all signals: the holder is not the interrupted thread. */
static struct kernel_action theirs_change(const struct kernel_action *set)
{
	struct kernel_action was;

	while (__atomic_exchange_n(&changing, 1, __ATOMIC_ACQUIRE))
		;
	was = theirs;
	if (set)
		theirs = *set;
	store_release(&changing, 0);
	return was;
}

static int is_function(const struct kernel_action *action)
{
	return (uintptr_t)action->handler > (uintptr_t)SIG_IGN;
}

/* Obeys the request, if the process is the one that it is for. */
static void call_take(struct process_page *page)
{
	uint32_t seen = CALL_ASKED;
	int ret = -EBUSY;

	if (agent_off || host_confined || !load_relaxed(fork_mark) || !page ||
	    page->pid != (uint32_t)sys_getpid() ||
	    !__atomic_compare_exchange_n(&page->wake.request, &seen,
					 CALL_SERVED, 0, __ATOMIC_SEQ_CST,
					 __ATOMIC_SEQ_CST))
		return;
	if (load_relaxed(&page->wake.state) == WAKE_SIGNALLED &&
	    registry_lock_try()) {
		ret = thread_here(call_serve, NULL);
		registry_unlock();
	}
	store_relaxed(&page->wake.error, -ret);
	if (!ret)
		store_relaxed(&page->wake.came, page->wake.came + 1);
	/* CALL-ANSWER: the answer is complete */
	store_release(&page->wake.request, 0);
	sys_futex_wake(&page->wake.request, 1);
}

/* Not by its public name, which a call would look up among all libraries. */
__attribute__((noinline))
static SIGSAFE int chain(int number, siginfo_t *info, void *context)
{
	uint64_t mask;

	(void)context;
	if (!agent_signal || number != (int)agent_signal ||
	    info->si_code != SI_QUEUE ||
	    info->si_value.sival_ptr != (void *)CALL_COOKIE)
		return 0;
	if (host_confined)
		return 1;
	mask_set(~0ull, &mask);
	call_take(process.page);
	mask_set(mask, NULL);
	return 1;
}

PUBLIC SIGSAFE int taffrail_signal_chain(int number, siginfo_t *info,
					 void *context)
{
	return chain(number, info, context);
}

static void on_signal(int number, siginfo_t *info, void *context);

static int install(const struct kernel_action *for_them)
{
	struct kernel_action ours = {
		.handler = on_signal,
		.flags = SA_SIGINFO | RESTORER_FLAG | KERNEL_FLAGS,
		.restorer = call_restorer,
		.mask = ~0ull,
	};

	if (is_function(for_them))
		ours.flags &= ~(unsigned long)KERNEL_FLAGS |
			      for_them->flags;
	return (int)sys4(SYS_rt_sigaction, agent_signal, &ours, NULL,
			 SIGSET_BYTES);
}

/* Does what the signal does to a program without a handler: it ends. */
static void end_by(int number)
{
	const struct kernel_action none = { 0 };

	sys4(SYS_rt_sigaction, number, &none, NULL, SIGSET_BYTES);
	sys3(SYS_tgkill, sys_getpid(), sys_gettid(), number);
}

/* Runs the program's own handler, with the signals blocked that the kernel
 * would block. */
static void pass(int number, siginfo_t *info, void *context)
{
	const struct kernel_action none = { 0 };
	struct kernel_action action = theirs_change(NULL);
	uint64_t mask = *(uint64_t *)&((ucontext_t *)context)->uc_sigmask;

	if (!action.handler && !host_confined)
		end_by(number);
	if (!is_function(&action))
		return;
	if (action.flags & SA_RESETHAND)
		theirs_change(&none);
	if (!(action.flags & SA_NODEFER))
		mask |= 1ull << (number - 1);
	if (!host_confined)
		mask_set(mask | action.mask, NULL);
	action.handler(number, info, context);
}

SIGSAFE static void on_signal(int number, siginfo_t *info, void *context)
{
	if (!chain(number, info, context))
		pass(number, info, context);
}

void call_setup(int (*serve)(void *unused), void (*restorer)(void))
{
	call_serve = serve;
	call_restorer = restorer;
	/* the interrupted thread may be the one that is waited for */
	channel_grace_ms = GRACE_MS;
}

SIGSAFE int call_begin(void)
{
	int ret = (int)sys4(SYS_rt_sigaction, agent_signal, NULL, &theirs,
			    SIGSET_BYTES);

	return ret ? ret : install(&theirs);
}

void call_end(void)
{
	struct kernel_action action = theirs;

	if (!(action.flags & RESTORER_FLAG)) {
		action.flags |= RESTORER_FLAG;
		action.restorer = call_restorer;
	}
	sys4(SYS_rt_sigaction, agent_signal, &action, NULL, SIGSET_BYTES);
}

SIGSAFE int call_action(const struct kernel_action *set,
			struct kernel_action *old)
{
	uint64_t mask;
	int ret = 0;

	mask_set(~0ull, &mask);
	*old = theirs_change(set);
	if (set)
		ret = install(set);
	mask_set(mask, NULL);
	return ret;
}

SIGSAFE int call_ignore(int yes)
{
	const struct kernel_action ignored = {
		.handler = (void *)SIG_IGN,
	};

	return yes ? (int)sys4(SYS_rt_sigaction, agent_signal, &ignored, NULL,
			       SIGSET_BYTES) :
		     install(&theirs);
}

SIGSAFE int call_left(const struct process_wake *wake)
{
	uint64_t pending = 0;

	sys2(SYS_rt_sigpending, &pending, SIGSET_BYTES);
	return theirs.handler == (void *)SIG_IGN ||
	       load_relaxed(&wake->sending) ||
	       (pending >> (agent_signal - 1) & 1);
}

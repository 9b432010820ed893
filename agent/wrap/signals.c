/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libc's functions that install a handler. For the signal by which commands ask
 * (TAFFRAIL_SERVICE=signal) the agent's handler stays, and calls the program's
 * (control/service/call.c). All other signals are libc's.
 *
 * In the shared library only: a static program's libc has no other names for
 * the functions, by which they could still be called.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>

#include "agent/faulting.h"
#include "agent/wrap/private.h"
#include "base/base.h"
#include "base/sys.h"
#include "control/service/call.h"
#include "control/threads/settings.h"

#define PUBLIC	__attribute__((weak, visibility("default")))
/* Another name of a function. */
#define ALSO(name, other)						\
	extern __typeof(name) other					\
		__attribute__((weak, visibility("default"), nothrow, leaf,	\
			       alias(#name)))

typedef void handler_fn(int number);
typedef handler_fn *signal_fn(int number, handler_fn *handler);

handler_fn *bsd_signal(int number, handler_fn *handler);
handler_fn *__sysv_signal(int number, handler_fn *handler);
int __sigaction(int number, const struct sigaction *set, struct sigaction *old);

static int (*real_sigaction)(int, const struct sigaction *, struct sigaction *);
static signal_fn *real_signal;
static signal_fn *real_sysv_signal;
static signal_fn *real_sigset;
static int (*real_interrupt)(int, int);
static int (*real_ignore)(int);

/* Whether signal() lets the signal end system calls: siginterrupt(). */
static uint32_t interrupts;

__attribute__((constructor(102))) static void signals_setup(void)
{
	next_setup((void **)&real_signal, "signal");
	next_setup((void **)&real_sysv_signal, "__sysv_signal");
	next_setup((void **)&real_sigset, "sigset");
	next_setup((void **)&real_interrupt, "siginterrupt");
	next_setup((void **)&real_ignore, "sigignore");
	next_setup((void **)&real_sigaction, "sigaction");
}

/* Returns true when libc's function must do it. */
static bool is_libcs(int number)
{
	return number != (int)agent_signal || !number ||
	       !load_acquire(&call_begun, CALL_BEGUN);
}

/* The same, for a function that installs a handler. */
static bool libcs_handler(int number, const void *handler)
{
	bool yes = is_libcs(number);

	faults_handle(number, handler);
	return yes;
}

static int action_change(const struct kernel_action *set,
			 struct kernel_action *old)
{
	int ret = call_action(set, old);

	if (!ret)
		return 0;
	errno = -ret;
	return -1;
}

PUBLIC int sigaction(int number, const struct sigaction *set,
		     struct sigaction *old)
{
	struct kernel_action to, was;

	if (libcs_handler(number, set ? (void *)set->sa_sigaction : NULL))
		return NEXT(real_sigaction, "sigaction")(number, set, old);
	if (set) {
		to.handler = set->sa_sigaction;
		to.flags = (unsigned int)set->sa_flags;
		to.mask = *(const uint64_t *)&set->sa_mask;
	}
	if (action_change(set ? &to : NULL, &was))
		return -1;
	if (!old)
		return 0;
	*old = (struct sigaction){ .sa_sigaction = was.handler,
				   .sa_flags = (int)was.flags,
				   .sa_restorer = was.restorer };
	*(uint64_t *)&old->sa_mask = was.mask;
	return 0;
}

ALSO(sigaction, __sigaction);

/* Does the same for a function that takes and returns a handler. */
static int set_handler(handler_fn *handler, unsigned long flags, uint64_t mask,
		       handler_fn **old)
{
	const struct kernel_action to = {
		.handler = (void *)handler,
		.flags = flags,
		.mask = mask,
	};
	struct kernel_action was;
	int ret = action_change(&to, &was);

	*old = ret ? SIG_ERR : (handler_fn *)(void *)was.handler;
	return ret;
}

static uint64_t mask_of(int number)
{
	return 1ull << (number - 1);
}

static bool is_error(handler_fn *handler)
{
	if (handler == SIG_ERR)
		errno = EINVAL;
	return handler == SIG_ERR;
}

PUBLIC handler_fn *signal(int number, handler_fn *handler)
{
	handler_fn *old;

	if (libcs_handler(number, (void *)handler))
		return NEXT(real_signal, "signal")(number, handler);
	if (is_error(handler))
		return SIG_ERR;
	set_handler(handler, load_relaxed(&interrupts) ? 0 : SA_RESTART,
		    mask_of(number), &old);
	return old;
}

ALSO(signal, bsd_signal);
ALSO(signal, ssignal);

PUBLIC handler_fn *sysv_signal(int number, handler_fn *handler)
{
	handler_fn *old;

	if (libcs_handler(number, (void *)handler))
		return NEXT(real_sysv_signal,
			    "__sysv_signal")(number, handler);
	if (is_error(handler))
		return SIG_ERR;
	set_handler(handler, SA_RESETHAND | SA_NODEFER | SA_INTERRUPT, 0, &old);
	return old;
}

ALSO(sysv_signal, __sysv_signal);

PUBLIC handler_fn *sigset(int number, handler_fn *handler)
{
	struct kernel_action was;
	uint64_t set, before;
	handler_fn *old;
	bool holds = handler == SIG_HOLD;

	if (libcs_handler(number, holds ? NULL : (void *)handler))
		return NEXT(real_sigset, "sigset")(number, handler);
	if (holds ? action_change(NULL, &was) :
		    set_handler(handler, 0, 0, &old))
		return SIG_ERR;
	set = mask_of(number);
	sys4(SYS_rt_sigprocmask, holds ? SIG_BLOCK : SIG_UNBLOCK, &set, &before,
	     sizeof(set));
	return before & set ? SIG_HOLD :
	       holds ? (handler_fn *)(void *)was.handler : old;
}

PUBLIC int siginterrupt(int number, int interrupt)
{
	struct kernel_action is, unused;

	if (is_libcs(number))
		return NEXT(real_interrupt, "siginterrupt")(number,
							    interrupt);
	if (action_change(NULL, &is))
		return -1;
	store_relaxed(&interrupts, !!interrupt);
	is.flags &= ~(unsigned long)SA_RESTART;
	is.flags |= interrupt ? 0 : SA_RESTART;
	return action_change(&is, &unused);
}

PUBLIC int sigignore(int number)
{
	handler_fn *old;

	if (is_libcs(number))
		return NEXT(real_ignore, "sigignore")(number);
	return set_handler(SIG_IGN, 0, 0, &old);
}

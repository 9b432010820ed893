/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libc's functions that install a handler. For the signal by which commands ask
 * (TAFFRAIL_SERVICE=signal) the agent's handler stays, and calls the program's
 * (control/service/call.c). All other signals are libc's.
 *
 * In the shared library only: a static program's libc has no other names by
 * which its own functions could still be called.
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>

#include "base/base.h"
#include "base/sys.h"
#include "control/service/call.h"
#include "control/threads/settings.h"

#define PUBLIC	__attribute__((weak, visibility("default")))

typedef void handler_fn(int number);
typedef handler_fn *signal_fn(int number, handler_fn *handler);

handler_fn *bsd_signal(int number, handler_fn *handler);
handler_fn *__sysv_signal(int number, handler_fn *handler);

static int (*real_sigaction)(int, const struct sigaction *,
			     struct sigaction *);
static signal_fn *real_signal;
static signal_fn *real_sysv_signal;
static signal_fn *real_sigset;

/* Runs before the first handler; a constructor that comes earlier finds libc's
 * functions by its first call. */
__attribute__((constructor(102))) static void signals_setup(void)
{
	*(void **)&real_signal = dlsym(RTLD_NEXT, "signal");
	*(void **)&real_sysv_signal = dlsym(RTLD_NEXT, "__sysv_signal");
	*(void **)&real_sigset = dlsym(RTLD_NEXT, "sigset");
	*(void **)&real_sigaction = dlsym(RTLD_NEXT, "sigaction");
}

/* Returns 1 when libc's function must do it, after it is found. */
static int libcs(int number)
{
	if (unlikely(!real_sigaction))
		signals_setup();
	return number != (int)agent_signal || !number;
}

static int change(const struct kernel_action *set, struct kernel_action *old)
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

	if (libcs(number))
		return real_sigaction(number, set, old);
	if (set) {
		to.handler = set->sa_sigaction;
		to.flags = (unsigned int)set->sa_flags;
		to.mask = *(const uint64_t *)&set->sa_mask;
	}
	if (change(set ? &to : NULL, &was))
		return -1;
	if (!old)
		return 0;
	*old = (struct sigaction){ .sa_sigaction = was.handler,
				   .sa_flags = (int)was.flags };
	*(uint64_t *)&old->sa_mask = was.mask;
	return 0;
}

/* Does the same for a function that takes and returns a handler. */
static handler_fn *install(handler_fn *handler, unsigned long flags)
{
	const struct kernel_action to = {
		.handler = (void *)handler,
		.flags = flags,
	};
	struct kernel_action was;

	if (change(&to, &was))
		return SIG_ERR;
	return (handler_fn *)(void *)was.handler;
}

/* No public name calls another: a program's library may have that one, too. */
static handler_fn *set_bsd(int number, handler_fn *handler)
{
	if (libcs(number))
		return real_signal(number, handler);
	return install(handler, SA_RESTART);
}

static handler_fn *set_sysv(int number, handler_fn *handler)
{
	if (libcs(number))
		return real_sysv_signal(number, handler);
	return install(handler, SA_RESETHAND | SA_NODEFER);
}

PUBLIC handler_fn *signal(int number, handler_fn *handler)
{
	return set_bsd(number, handler);
}

PUBLIC handler_fn *bsd_signal(int number, handler_fn *handler)
{
	return set_bsd(number, handler);
}

PUBLIC handler_fn *ssignal(int number, handler_fn *handler)
{
	return set_bsd(number, handler);
}

PUBLIC handler_fn *__sysv_signal(int number, handler_fn *handler)
{
	return set_sysv(number, handler);
}

PUBLIC handler_fn *sysv_signal(int number, handler_fn *handler)
{
	return set_sysv(number, handler);
}

PUBLIC handler_fn *sigset(int number, handler_fn *handler)
{
	uint64_t set;

	if (libcs(number) || handler == SIG_HOLD)
		return real_sigset(number, handler);
	set = 1ull << (number - 1);
	sys4(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, NULL, sizeof(set));
	return install(handler, 0);
}

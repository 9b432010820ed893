/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tells whether a thread is in a signal handler. Each handler that the program
 * installs is called by a handler of this library, which counts. So are the
 * handlers that are there when the library is loaded into a program that runs.
 *
 * What must stay true: the program sees its own handlers. A function of libc
 * that returns a handler returns the program's; the kernel's view decides
 * whether ours is installed at all (SA_RESETHAND, signals that are ignored).
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>

#include "base/base.h"
#include "probes/private.h"

#define PUBLIC	__attribute__((visibility("default")))

typedef void handler_fn(int number);
typedef void action_fn(int number, siginfo_t *info, void *context);

/* The program's handlers. One pointer serves both forms: a handler of the short
 * form does not look at further arguments. */
static action_fn *handlers[NSIG];

__thread uint32_t probe_handlers;

static int (*real_sigaction)(int, const struct sigaction *,
			     struct sigaction *);
static handler_fn *(*real_signal)(int, handler_fn *);
static handler_fn *(*real_sysv_signal)(int, handler_fn *);
static handler_fn *(*real_sigset)(int, handler_fn *);

/* A call of a handler. */
struct call {
	struct cleanup buffer;
	uint32_t before;	/* probe_handlers */
};

static SIGSAFE void handler_left(void *call)
{
	probe_handlers = ((struct call *)call)->before;
}

/* The frame ends: by return, or by an exception that a runtime throws from a
 * handler. */
static SIGSAFE void handler_end(struct call *call)
{
	probe_handlers = call->before;
	_pthread_cleanup_pop(&call->buffer, 0);
}

/* Stands for every handler of the program. A handler may leave it by
 * siglongjmp(): see hit.c. */
static SIGSAFE void handler_call(int number, siginfo_t *info, void *context)
{
	struct call call __attribute__((cleanup(handler_end)));

	call.before = probe_handlers;
	_pthread_cleanup_push(&call.buffer, handler_left, &call);
	probe_handlers = call.before + 1;
	load_acquire(&handlers[number])(number, info, context);
}

static void reals_find(void)
{
	if (real_sigaction)
		return;
	*(void **)&real_signal = dlsym(RTLD_NEXT, "signal");
	*(void **)&real_sysv_signal = dlsym(RTLD_NEXT, "__sysv_signal");
	*(void **)&real_sigset = dlsym(RTLD_NEXT, "sigset");
	*(void **)&real_sigaction = dlsym(RTLD_NEXT, "sigaction");
}

/* A program that has asked the kernel may pass our own handler: it is not a
 * function of the program, and is installed as it is. */
static int is_function(const void *handler)
{
	return handler != (void *)handler_call && handler != (void *)SIG_DFL &&
	       handler != (void *)SIG_IGN && handler != (void *)SIG_ERR &&
	       handler != (void *)SIG_HOLD;
}

static int is_signal(int number)
{
	return number > 0 && number < NSIG;
}

PUBLIC int sigaction(int number, const struct sigaction *set,
		     struct sigaction *old)
{
	struct sigaction before;
	struct sigaction ours;
	action_fn *theirs;
	int ret;

	reals_find();
	if (!is_signal(number))
		return real_sigaction(number, set, old);
	theirs = load_acquire(&handlers[number]);
	if (set)
		ours = *set;
	if (set && is_function((void *)set->sa_handler)) {
		store_release(&handlers[number], set->sa_sigaction);
		ours.sa_sigaction = handler_call;
	}
	ret = real_sigaction(number, set ? &ours : NULL, old ? &before : NULL);
	if (ret) {
		store_release(&handlers[number], theirs);
	} else if (old) {
		*old = before;
		if (before.sa_sigaction == handler_call)
			old->sa_sigaction = theirs;
	}
	return ret;
}

/* Does the same for the functions that take and return a handler. */
static handler_fn *install(handler_fn *(*real)(int, handler_fn *), int number,
			   handler_fn *handler)
{
	action_fn *theirs = NULL;
	handler_fn *before;
	int ours = is_signal(number) && is_function((void *)handler);

	if (is_signal(number))
		theirs = load_acquire(&handlers[number]);
	if (ours)
		store_release(&handlers[number], (action_fn *)(void *)handler);
	before = real(number, ours ? (handler_fn *)(void *)handler_call :
				     handler);
	if (before == SIG_ERR && ours)
		store_release(&handlers[number], theirs);
	return before == (handler_fn *)(void *)handler_call ?
		       (handler_fn *)(void *)theirs :
		       before;
}

PUBLIC handler_fn *signal(int number, handler_fn *handler)
{
	reals_find();
	return install(real_signal, number, handler);
}

PUBLIC handler_fn *bsd_signal(int number, handler_fn *handler);
PUBLIC handler_fn *bsd_signal(int number, handler_fn *handler)
{
	return signal(number, handler);
}

PUBLIC handler_fn *ssignal(int number, handler_fn *handler)
{
	return signal(number, handler);
}

PUBLIC handler_fn *sysv_signal(int number, handler_fn *handler)
{
	reals_find();
	return install(real_sysv_signal, number, handler);
}

/* What signal() is called with _XOPEN_SOURCE. */
PUBLIC handler_fn *__sysv_signal(int number, handler_fn *handler);
PUBLIC handler_fn *__sysv_signal(int number, handler_fn *handler)
{
	return sysv_signal(number, handler);
}

PUBLIC handler_fn *sigset(int number, handler_fn *handler)
{
	reals_find();
	return install(real_sigset, number, handler);
}

/* Returns 1 for a function of the agent, whose handlers stay as they are. */
static int is_agents(const void *handler)
{
	Dl_info agent, its;

	return dladdr((void *)taffrail_probe_serve, &agent) &&
	       dladdr(handler, &its) && its.dli_fbase == agent.dli_fbase;
}

/*
 * A signal is taken once. Later the program may have got our handler as the old
 * one, and call it from its new handler: that must not lead back to the new
 * one.
 */
static void handler_adopt(int number)
{
	action_fn *none = NULL;
	struct sigaction is, ours, was;

	if (load_acquire(&handlers[number]) ||
	    real_sigaction(number, NULL, &is) ||
	    !is_function((void *)is.sa_handler) ||
	    is_agents((void *)is.sa_handler))
		return;
	ours = is;
	ours.sa_sigaction = handler_call;
	if (!__atomic_compare_exchange_n(&handlers[number], &none,
					 is.sa_sigaction, 0, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED) ||
	    real_sigaction(number, &ours, &was))
		return;
	/* the program has installed another one meanwhile */
	if (was.sa_sigaction != is.sa_sigaction)
		real_sigaction(number, &was, NULL);
}

void handlers_adopt(void)
{
	int number;

	reals_find();
	for (number = 1; number < NSIG; number++)
		handler_adopt(number);
}

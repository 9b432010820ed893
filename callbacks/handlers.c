/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Installs the stubs that tell whether a thread is in a signal handler. Instead
 * of each handler that the program installs, the kernel gets a stub of this
 * library, which counts and then calls the handler (handled.c). So it does for
 * the handlers that are there when the library is loaded into a program that
 * runs.
 *
 * Each handler function of the program has a private stub, for good and for all
 * signals. The kernel alone says which handler a signal has; this file keeps no
 * copy of that. So
 *  - the kernel changes handler, flags and mask in one step, and a signal that
 *    is about to be handled runs the handler whose flags it goes by;
 *  - a child that shares this memory (vfork(2)) changes the child's signals
 *    only;
 *  - a handler that is reset, ignored or inherited is so without help.
 *
 * Invariant: the program never sees a stub. A function of libc that returns a
 * handler returns the program's. When all stubs are taken, a further function
 * is installed as it is, and hits in that function count as ordinary ones.
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

#include "base/base.h"
#include "callbacks/private.h"
#include "callbacks/stubs-private.h"

#define PUBLIC	__attribute__((visibility("default")))
#define HIDDEN	__attribute__((visibility("hidden")))

/* Another name of glibc's for a function. No public name calls another: a
 * program's library may have that one, too. */
#define ALSO(name, other)						\
	extern __typeof(name) other					\
		__attribute__((visibility("default"), nothrow, leaf,	\
			       alias(#name)))

typedef void handler_fn(int number);

extern const char handler_stubs[] HIDDEN;

static int (*real_sigaction)(int, const struct sigaction *, struct sigaction *);
static handler_fn *(*real_signal)(int, handler_fn *);
static handler_fn *(*real_sysv_signal)(int, handler_fn *);
static handler_fn *(*real_sigset)(int, handler_fn *);

/* Finds libc's functions at the first call: a constructor of the program may
 * run before those of this library. Two threads find the same. */
static void reals_find(void)
{
	if (load_acquire(&real_sigaction, HANDLER_REALS))
		return;
	*(void **)&real_signal = dlsym(RTLD_NEXT, "signal");
	*(void **)&real_sysv_signal = dlsym(RTLD_NEXT, "__sysv_signal");
	*(void **)&real_sigset = dlsym(RTLD_NEXT, "sigset");
	store_release((void **)&real_sigaction, dlsym(RTLD_NEXT, "sigaction"),
		      HANDLER_REALS);
}

/* Returns true for an address among the stubs. */
static bool is_stub(const void *handler)
{
	return (uintptr_t)handler - (uintptr_t)handler_stubs <
	       STUBS * STUB_BYTES;
}

/* A program that has asked the kernel may pass a stub: it is installed as it
 * is. */
static bool is_function(const void *handler)
{
	return handler != (void *)SIG_DFL && handler != (void *)SIG_IGN &&
	       handler != (void *)SIG_ERR && handler != (void *)SIG_HOLD &&
	       !is_stub(handler);
}

/* Returns the address to install for the program's handler: a stub, or the
 * handler where no stub is free. */
static SIGSAFE void *stub_of(void *handler)
{
	uint32_t at = (uint32_t)(((uintptr_t)handler * 0x9e3779b97f4a7c15ull) >>
				 32);
	action_fn *has;

	if (!is_function(handler))
		return handler;
	for (uint32_t i = 0; i < STUBS; i++, at++) {
		at %= STUBS;
		has = load_acquire(&handler_functions[at], HANDLER_FUNCTIONS);
		if (!has &&
		    __atomic_compare_exchange_n(&handler_functions[at], &has,
						(action_fn *)handler, 0,
						ACQ_REL(HANDLER_FUNCTIONS),
						ACQUIRE(HANDLER_FUNCTIONS)))
			has = (action_fn *)handler;
		if (has == (action_fn *)handler)
			return (char *)handler_stubs + at * STUB_BYTES;
	}
	return handler;
}

/* Returns the program's handler for an installed address. */
static SIGSAFE void *function_of(void *handler)
{
	action_fn *has = NULL;

	if (is_stub(handler))
		has = load_acquire(
			&handler_functions[((char *)handler - handler_stubs) /
					   STUB_BYTES],
			HANDLER_FUNCTIONS);
	return has ? (void *)has : handler;
}

PUBLIC int sigaction(int number, const struct sigaction *set,
		     struct sigaction *old)
{
	struct sigaction ours;
	int ret;

	reals_find();
	if (set) {
		ours = *set;
		ours.sa_sigaction = (action_fn *)stub_of((void *)
							 set->sa_sigaction);
	}
	ret = real_sigaction(number, set ? &ours : NULL, old);
	if (!ret && old)
		old->sa_sigaction = (action_fn *)function_of((void *)
							     old->sa_sigaction);
	return ret;
}

ALSO(sigaction, __sigaction);

/* Does the same for the functions that take and return a handler. */
static handler_fn *handler_install(handler_fn *(*real)(int, handler_fn *),
				   int number, handler_fn *handler)
{
	handler_fn *ours = (handler_fn *)stub_of((void *)handler);

	return (handler_fn *)function_of((void *)real(number, ours));
}

PUBLIC handler_fn *signal(int number, handler_fn *handler)
{
	reals_find();
	return handler_install(real_signal, number, handler);
}

ALSO(signal, bsd_signal);
ALSO(signal, ssignal);

/* The System V form: the handler is reset when it runs. */
PUBLIC handler_fn *sysv_signal(int number, handler_fn *handler)
{
	reals_find();
	return handler_install(real_sysv_signal, number, handler);
}

/* The name of signal() in programs with _XOPEN_SOURCE. */
ALSO(sysv_signal, __sysv_signal);

PUBLIC handler_fn *sigset(int number, handler_fn *handler)
{
	reals_find();
	return handler_install(real_sigset, number, handler);
}

/* Returns true for a function of the agent, whose handlers stay as they are. */
static bool is_agents(const void *handler)
{
	Dl_info agent, its;

	return dladdr((void *)taffrail_probe_serve, &agent) &&
	       dladdr(handler, &its) && its.dli_fbase == agent.dli_fbase;
}

/* Compares handler, flags and the part of the mask that the kernel keeps. */
static bool is_same(const struct sigaction *a, const struct sigaction *b)
{
	return a->sa_sigaction == b->sa_sigaction &&
	       a->sa_flags == b->sa_flags &&
	       !memcmp(&a->sa_mask, &b->sa_mask, sizeof(uint64_t));
}

/*
 * Gives each signal a stub, once: a program that asks the kernel sees the
 * handler change at most once. The program may install another handler
 * meanwhile, and the kernel cannot compare and exchange. So the handler that
 * each change replaces is installed again until a change has replaced the
 * expected one: the program's last change stays.
 */
void handlers_adopt(void)
{
	static char taken[NSIG];
	struct sigaction is, to, was;

	reals_find();
	for (int number = 1; number < NSIG; number++) {
		if (taken[number] || real_sigaction(number, NULL, &is) ||
		    !is_function((void *)is.sa_handler) ||
		    is_agents((void *)is.sa_handler))
			continue;
		taken[number] = 1;
		to = is;
		to.sa_sigaction = (action_fn *)stub_of((void *)
							is.sa_sigaction);
		while (!real_sigaction(number, &to, &was) &&
		       !is_same(&was, &is)) {
			is = to;
			to = was;
		}
	}
}

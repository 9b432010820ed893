/* SPDX-License-Identifier: MIT */
/*
 * For a program with TAFFRAIL_SERVICE=signal that installs a handler for
 * Taffrail's signal past libc (the bare system call, a static program): the
 * handler asks first whether the signal is Taffrail's. Programs that use
 * sigaction(3) or signal(3) need nothing: their handlers run as they are.
 *
 *	static void handler(int number, siginfo_t *info, void *context)
 *	{
 *		if (taffrail_signal_chain &&
 *		    taffrail_signal_chain(number, info, context))
 *			return;
 *		...
 *	}
 *
 * The address is NULL where no agent is linked or preloaded.
 */
#ifndef TAFFRAIL_SIGNAL_H
#define TAFFRAIL_SIGNAL_H

#pragma GCC system_header

#include <signal.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Serves a command, if it has sent this signal. Takes the arguments of a
 * handler with SA_SIGINFO. Returns 1 when the signal was a command's, else 0.
 * Keeps errno and the signal mask.
 */
extern int taffrail_signal_chain(int number, siginfo_t *info, void *context)
	__attribute__((weak));

#ifdef __cplusplus
}
#endif

#endif

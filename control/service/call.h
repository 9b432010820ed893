/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests that a signal of the program's brings (TAFFRAIL_SERVICE=signal); see
 * call.c.
 */
#ifndef CONTROL_SERVICE_CALL_H
#define CONTROL_SERVICE_CALL_H

#include <signal.h>
#include <stdint.h>

#include "buffers/wake.h"

/* The kernel's struct sigaction. */
struct kernel_action {
	void (*handler)(int number, siginfo_t *info, void *context);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

/*
 * Takes what the handler calls: `serve` obeys the request in CALL_FILE, and
 * returns 0 when the answer is there, or a negative errno. The handler returns
 * to `restorer`. Call it once, at start.
 */
void call_setup(int (*serve)(void *unused), void (*restorer)(void));

/* Installs the handler of agent_signal, and keeps the program's action. Returns
 * 0 or a negative errno. call_end() gives the signal back to the program. */
int call_begin(void);
void call_end(void);

/*
 * Does what sigaction(2) does for agent_signal: the kernel keeps the agent's
 * handler, which calls the program's. Returns 0 or a negative errno. SIGSAFE.
 */
int call_action(const struct kernel_action *set, struct kernel_action *old);

/* Has the kernel ignore the signal before an exec (1), or has the handler
 * installed again (0). Returns 0 or a negative errno. SIGSAFE. */
int call_ignore(int yes);

/* Returns 1 when an exec must begin with the signal ignored: the program
 * ignores it, a command may still send it, or it is pending. SIGSAFE. */
int call_left(const struct process_wake *wake);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests that a signal of the program's brings (TAFFRAIL_SERVICE=signal); see
 * call.c.
 */
#ifndef CONTROL_SERVICE_CALL_H
#define CONTROL_SERVICE_CALL_H

#include <stdbool.h>

#include "buffers/wake.h"
#include "control/service/action.h"

/*
 * Takes the functions that the handler calls: `serve` obeys the request in
 * CALL_FILE, and returns 0 when the answer is there, or a negative errno. The
 * handler returns to `restorer`. The kernel gets one of `stubs`, which are
 * call_stubs, in assembly that calls action_run(). Call it once, at start.
 */
void call_setup(int (*serve)(void *unused), void (*restorer)(void),
		const char *stubs);

/* Installs the handler of agent_signal, and keeps the program's action. Returns
 * 0 or a negative errno. call_end() gives the signal back to the program. */
int call_begin(void);
void call_end(void);

/* 1 between the two. */
extern uint32_t call_begun;

/* Calls a handler of the program's, if it is set: libtaffrail-probe, which may
 * be behind the agent, counts there. SIGSAFE. */
typedef void call_handle_fn(void (*handler)(int number, siginfo_t *info,
					    void *context),
			    int number, siginfo_t *info, void *context);
extern call_handle_fn *call_handle;

/*
 * Does the work of sigaction(2) for agent_signal: the kernel keeps the agent's
 * handler, which calls the program's. Returns 0 or a negative errno. SIGSAFE.
 */
int call_action(const struct kernel_action *set, struct kernel_action *old);

/* Returns true when the calling process, which may be a child that shares this
 * memory, ignores the signal. Makes no system call if the program never ignored
 * it. SIGSAFE. */
bool call_ignores(void);

/* Has the kernel itself ignore the signal, if the program does, while libc
 * makes a child that executes a program, and takes it again (false). SIGSAFE.
 */
void call_spawn(bool begin);

/* Returns true when an exec must begin with the signal ignored: a command may
 * still send it, or it is pending. SIGSAFE. */
bool call_left(const struct process_wake *wake);

#endif

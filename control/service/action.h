/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The action that the program wants for the signal by which commands ask
 * (TAFFRAIL_SERVICE=signal); see action.c. The part before __ASSEMBLER__ is for
 * C and for assembly.
 */
#ifndef CONTROL_SERVICE_ACTION_H
#define CONTROL_SERVICE_ACTION_H

#define ACTIONS			16
#define ACTION_STUB_BYTES	8

#ifndef __ASSEMBLER__
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* The kernel's struct sigaction. */
struct kernel_action {
	void (*handler)(int number, siginfo_t *info, void *context);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

/* The stubs, set once, at start. */
extern const char *action_stubs;

/* Returns the function that is installed for a program's action: the same one
 * for an equal action. SIGSAFE. */
void *action_stub(const struct kernel_action *action);

/* Returns true and, through `action`, the program's action if `handler` is the
 * stub of one; otherwise 0. After a handler with SA_RESETHAND has run, the
 * action is the default one. SIGSAFE. */
bool action_of(const void *handler, struct kernel_action *action);

/* Returns the action of a stub that runs. Of threads that get the signal with
 * SA_RESETHAND, one gets the handler. SIGSAFE. */
struct kernel_action action_take(uint32_t stub);

/* Returns true when the handler is a function of the program. SIGSAFE. */
static inline bool action_calls(const struct kernel_action *action)
{
	return (uintptr_t)action->handler > (uintptr_t)SIG_IGN;
}

/* The stubs call it. */
void action_run(int number, siginfo_t *info, void *context, uint32_t stub)
	__attribute__((visibility("hidden")));
#endif

#endif

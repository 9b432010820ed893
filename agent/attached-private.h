/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An agent that comes into a running program (docs/attach.md), goes to sleep
 * and is woken there.
 */
#ifndef AGENT_ATTACHED_PRIVATE_H
#define AGENT_ATTACHED_PRIVATE_H

#include <stdbool.h>

#include "base/text.h"

/*
 * Returns a copy of the variables that the agent reads, for an agent that comes
 * late: another thread may change the environment meanwhile, and setenv(3)
 * frees the text that it replaces. Reads through the kernel, so a text that has
 * gone is left out. Called once; the copy stays.
 */
char **attach_environment(char **environment);

/*
 * Completes an attach: called in the thread that `taffrail attach` has made,
 * when the library is loaded. Wakes an agent that sleeps. `forks`, which may be
 * NULL, receives the agent's handlers of fork(3): called before the fork, in
 * the parent and in the child. Returns NULL; or why the agent is off, "CAUSE
 * ERRNO TEXT" as in PROTOCOL_OFF_PREFIX; or why the names of a provider do not
 * lead there, in words alone.
 */
const char *taffrail_attach(void (*forks[3])(void));

/*
 * Ends all sessions, takes back every patch and removes all files. The calling
 * service thread ends after the answer. `drops` gets the list of things that
 * users lose by it. Returns 0; -ENOTEMPTY where that is anything, unless
 * `force`; -EBUSY while a gdbserver is attached; or -ETIMEDOUT when a thread is
 * stopped in the middle of a write. After a failure, the sessions that
 * `stopped` names are stopped, and nothing else has changed.
 */
int attach_undo(int force, struct text *drops, struct text *stopped);

/*
 * Leads libc's names that this library replaces to this library, where the
 * program's modules have bound them to libc and where they will: for an agent
 * that came `late`; and those of a provider that a command has loaded. May be
 * called again. Returns NULL, or why the names of a provider do not lead there.
 * Not for the agent's threads. names_restore() leads the words that
 * names_redirect() wrote back to libc; the service thread calls it with the
 * registry's lock. In the shared library only.
 */
const char *names_redirect(bool late) __attribute__((weak));
void names_restore(void) __attribute__((weak));

/* Leads words of modules that were bound to this library meanwhile back to
 * libc: while an agent that came late is detached. Same caller as that of
 * names_redirect(), with a private descriptor table. */
void names_recall(void) __attribute__((weak));

/* Waits until no other thread of this process is in taffrail_attach(), and
 * keeps others from it until attaching_end(). */
void attaching_begin(void);
void attaching_end(void);

/* Gives back all that leads to a detached agent; called again with `over`, the
 * agent sleeps as before, if it is still there (control/unload.h). Returns
 * NULL, or why it cannot be unloaded. */
struct request;
const char *taffrail_unload_1(struct request *request);

/* Returns true when a command can try to unload the agent. */
bool unload_offered(void) __attribute__((weak));

/* Of the attach that has loaded the library, if there was one: where the
 * handlers of fork(3) are, and which process it was. */
extern void (**attach_handlers)(void);
extern uint32_t attach_pid;

/* Unmaps the agent's memory if the library is being unloaded: the destructor's
 * last call. */
void unload_end(void) __attribute__((weak));

#endif

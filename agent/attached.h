/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An agent that comes into a running program (docs/attach.md), goes to sleep
 * and is woken there.
 */
#ifndef AGENT_ATTACHED_H
#define AGENT_ATTACHED_H

/* Is the agent being loaded by `taffrail attach`, in the calling thread? What
 * needs a lock that forks hold is left to taffrail_attach() then. */
int attach_loads(void);

/*
 * Called in the thread that `taffrail attach` has made, when the library is
 * there; wakes an agent that sleeps. `forks`, which may be NULL, is where its
 * handlers of fork(3) go: called before, in the parent and in the child.
 * Returns NULL, or why the agent is off.
 */
const char *taffrail_attach(void (*forks[3])(void));

/*
 * Ends all sessions, takes back every patch and removes all files; the service
 * thread, which is the caller, ends after its answer. Returns 0; -EBUSY while
 * a gdbserver is attached; or -ETIMEDOUT: a thread is stopped in the middle of
 * a write.
 */
int attach_undo(void);

/*
 * Leads the names of libc's that this library stands before here, where the
 * program's modules have bound them to libc, and where they will: for an agent
 * that came late. Not in a thread of the agent's. names_restore() leads back
 * what was bound before; with the lock, in the service thread. In the shared
 * library only.
 */
void names_lead(void) __attribute__((weak));
void names_restore(void) __attribute__((weak));

#endif

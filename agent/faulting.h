/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program that is about to handle SIGSEGV or SIGBUS, or may do so when the
 * agent can do nothing about it. See faulting.c.
 */
#ifndef AGENT_FAULTING_H
#define AGENT_FAULTING_H

/*
 * Prepares for a handler of a signal, before it is installed. Does nothing for
 * another signal, or for SIG_DFL and the like. errno stays. Waits, for 2 s at
 * most, for a thread that changes the set of traced markers.
 */
void faults_handle(int number, const void *handler);

/* Does the same before the agent may make no more system calls, whose threads
 * have ended. faults_free(): it may make them again. */
void faults_confine(void);
void faults_free(void);

#endif

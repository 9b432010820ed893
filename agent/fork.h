/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What fork(2) means for the agent; see fork.c.
 */
#ifndef AGENT_FORK_H
#define AGENT_FORK_H

/* Registers for forks. Once, at start; and the second part of it: with libc, or
 * with `taffrail attach`, which keeps forks waiting until that is done. */
void fork_setup(void);
void fork_hook(void (*forks[3])(void));

/* In a child whose parent was traced: gives it its own files. Returns 1 when
 * it may write now. SIGSAFE. */
int fork_revive(void);

#endif

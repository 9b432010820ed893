/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The agent and fork(2); see fork.c.
 */
#ifndef AGENT_FORK_PRIVATE_H
#define AGENT_FORK_PRIVATE_H

#include <stdbool.h>

/*
 * fork_setup() prepares the agent for forks, once, at start. With `hook` it
 * also calls fork_hook(NULL); without, `taffrail attach` keeps forks waiting
 * until taffrail_attach() calls fork_hook().
 *
 * fork_hook() registers the handlers of fork(3): in `forks`, or with libc where
 * `forks` is NULL.
 */
void fork_setup(int hook);
void fork_hook(void (*forks[3])(void));

/* 1 in a process that has called leave_dispatch(). A fork wipes the word, so it
 * tells a child that the parent has set the state HOST_DISPATCHED.
 * fork_check_dispatch() takes the state back in such a child. SIGSAFE, without
 * system calls. */
#define FORK_DISPATCHED	(fork_mark + 3)
void fork_check_dispatch(void);

/* Gives the child of a traced parent private files. Returns 1 when the child
 * may write now. SIGSAFE. */
int fork_revive(void);

/* In the service thread of a process that has put off files: makes them. */
void fork_files(void);

/* agent_begin_late(), where this process has put off files. */
extern const char *(*fork_begin)(bool thread);

/* Takes the place of fork_revive() under a seccomp filter: notes, once, that
 * the child cannot make files. Makes no system call. Returns 0. SIGSAFE. */
int fork_forbidden(void);

#endif

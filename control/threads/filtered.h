/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Programs that begin under a seccomp filter; see filtered.c.
 */
#ifndef CONTROL_THREADS_FILTERED_H
#define CONTROL_THREADS_FILTERED_H

#include <stdint.h>

/*
 * Must the agent stay off? It must where the process begins under a filter that
 * is not trusted. `word` is TAFFRAIL_SECCOMP, or NULL. Call it once, at start,
 * before anything else that makes a system call.
 */
int filtered_start(const char *word);

/* How many filters a thread of this process may be under, so that a command may
 * have it make the service thread. */
uint32_t filtered_allowed(void);

/* Has this process installed a filter, or the child of vfork(2) that calls? No
 * system call may be made for the agent then. SIGSAFE, as the next. */
int filtered_here(void);

/* Does a program that it executes begin under one that is not trusted? Its
 * agent stays off. */
int filtered_next(void);

/* The process has installed a filter (1), or could not (0). A child of vfork(2)
 * has installed one for itself (1), or is gone (0). SIGSAFE. */
void filtered_process(int installed);
void filtered_guest(int here);

#endif

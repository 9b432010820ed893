/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Programs that begin under a seccomp filter; see filtered.c.
 */
#ifndef CONTROL_THREADS_FILTERED_H
#define CONTROL_THREADS_FILTERED_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Returns true when the agent must stay off: the process begins under a filter
 * that is not trusted. `word` is TAFFRAIL_SECCOMP, or NULL. Call it once, at
 * start, before anything else that makes a system call. With `told` there is no
 * filter, and one thread. Then nothing is read, and filtered_unread() is true,
 * if the process certainly has no tracer.
 */
bool filtered_start(const char *word, bool told);
bool filtered_unread(void);

/* Returns true when the process is under a filter. Makes the system calls that
 * filtered_start() makes. */
bool filtered_seen(void);

/* Of the process when the agent began, as /proc/self/status told it. Returns 1
 * under a debugger, 0 without, or -1 when that was not read. */
int filtered_tracer(void);

/* Returns true when it certainly had one thread then, and could open so many
 * more files. */
bool filtered_alone(uint32_t files);

/* Returns the most filters a thread of this process may be under when a command
 * makes the service thread through it. */
uint32_t filtered_allowed(void);

/* Returns true when this process has installed a filter, or the calling child
 * of vfork(2) has, or has dispatched system calls. Then no system call may be
 * made for the agent. SIGSAFE, as the next. */
bool filtered_here(void);

/* Returns true when a program that this process executes begins under a filter
 * that is not trusted, so the agent stays off there. */
bool filtered_next(void);

/* Note that the process has installed a filter (1), or could not (0); that a
 * child of vfork(2) has installed one for itself (GUEST_FILTERED), has
 * dispatched system calls until it executes a program (GUEST_DISPATCHED), or is
 * gone (0). SIGSAFE. */
#define GUEST_FILTERED		1
#define GUEST_DISPATCHED	2
void filtered_process(int installed);
void filtered_guest(int here);

#endif

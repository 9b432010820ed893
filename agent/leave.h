/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program that is about to give up rights: what the agent still needs them
 * for comes first. See leave.c.
 */
#ifndef AGENT_LEAVE_H
#define AGENT_LEAVE_H

#include <stdint.h>

/* Returns whether a session runs in this process or, in a forked child that
 * has not written yet, in its parent. SIGSAFE. */
int leave_sessions_run(void);

/*
 * Makes what can be made only now, if a session runs: the rings that are
 * missing, and all files of a forked child that has not written yet. Costs
 * nothing where nothing is missing. errno stays. SIGSAFE.
 */
void leave_prepare(void);

/* The same, if this effective user is another than now: a directory that is
 * 0700 is then somebody else's. */
void leave_prepare_user(uint32_t effective);

/*
 * Prepares, and ends the service thread, if the calling thread is the
 * program's first: that is the one whose place and rights it has. Returns 1
 * when it did; leave_end(1) starts it again, with what the caller then has.
 */
int leave_begin(void);
void leave_end(int begun);

/*
 * Prepares, and then makes no thread and asks nothing of the kernel any more:
 * a seccomp filter may kill the process for it. `clockless`: to read the clock
 * is about to kill, too, so that all sessions end before it returns. Returns
 * something when that is new; with it, leave_free() takes it back, but for the
 * sessions.
 */
int leave_confine(int clockless);
void leave_free(int confined);

#endif

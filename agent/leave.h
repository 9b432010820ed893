/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program that is about to give up rights: the agent first does the work for
 * which it still needs them. See leave.c.
 */
#ifndef AGENT_LEAVE_H
#define AGENT_LEAVE_H

#include <stdint.h>

/*
 * Makes the files that cannot be made later, if a session runs: the rings that
 * are missing, and all files of a forked child that has not written yet. Costs
 * nothing when no file is missing. errno stays. SIGSAFE.
 */
void leave_prepare(void);

/* Does the same if the process is about to have another effective user, which
 * may not use a directory of mode 0700. */
void leave_prepare_user(uint32_t effective);

/*
 * Prepares, withdraws the offer of a service thread, and ends the thread if the
 * caller is the program's first thread: the service thread has the rights and
 * namespaces of that one. Returns a value for leave_end(), which makes the
 * offer or the thread again, with the rights that the caller then has.
 */
int leave_begin(void);
void leave_end(int begun);

/* Notes that the calling thread has a Landlock domain, and whether that forbids
 * the agent's files. Call it before leave_end(). errno stays. */
void leave_restricted(void);

/*
 * Prepares. From then on the agent makes no thread and no system call: a
 * seccomp filter may kill the process for one. With `clockless`, a read of the
 * clock will kill as well, so all sessions end before the function returns.
 * Where no system call can be made any more, they end by stores alone. Returns
 * a value for leave_free(), which takes the state back, but the end of the
 * sessions only where it was made by stores; or 0 when there is nothing to take
 * back.
 */
int leave_confine(int clockless);
void leave_free(int confined);

/*
 * Does the same before the system calls of the calling thread are dispatched to
 * a handler of the program (syscall user dispatch), which would get those of
 * the agent. This change does not concern forked children and executed
 * programs. Returns a value for leave_free(), or 0. leave_dispatched() gets
 * this value when they are dispatched; leave_undispatch() is called when they
 * are no more, and takes the state back once no thread is dispatched, as far as
 * the agent knows.
 */
int leave_dispatch(void);
void leave_dispatched(int begun);
void leave_undispatch(void);

#endif

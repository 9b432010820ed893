/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Threads of the agent's own, unknown to libc: they do not keep a process
 * alive whose last pthread has gone, take no signal, hold no libc lock when
 * the process forks, and own their descriptor table.
 *
 * Code that runs in them calls no libc function that uses thread-local
 * variables; their thread pointer leads to zeros.
 */
#ifndef CONTROL_THREADS_THREAD_H
#define CONTROL_THREADS_THREAD_H

#include <stdint.h>

/*
 * Runs fn(arg) in a worker and waits for it, all signals blocked. Returns
 * fn's result, -EAGAIN when another worker runs, or why there is no thread.
 * SIGSAFE.
 */
int thread_run(int (*fn)(void *arg), void *arg);

/* The same, but waits for its turn. Not for signal handlers. */
int thread_run_wait(int (*fn)(void *arg), void *arg);

/*
 * Starts the service thread with fn(arg), whose argument is NULL or a negative
 * errno by which the thread has no descriptors of its own: then it must end.
 * What fn returns is the status of exit(2).
 * Returns 0 or a negative errno. SIGSAFE; one service thread at a time.
 */
int thread_serve(int (*fn)(void *arg));

/* What starts the service thread by one clone(2), its arguments; the new thread
 * begins in thread_woken(). */
struct thread_making {
	uint64_t flags;
	uint64_t stack;
	uint64_t tid;
	uint64_t tls;
};

/* Fills it in, for fn as above. Returns 0, or why there can be no thread. */
int thread_making(struct thread_making *making, int (*fn)(void *arg));

/* The service thread's id; 0 when it has ended or was never started. In a
 * child that has not forgotten it, its parent's. SIGSAFE. */
uint32_t thread_service(void);

/* Is the caller one of these threads? SIGSAFE. */
int thread_is_ours(void);

/* No thread is made from now on (or is again): what would make one fails with
 * -EPERM, before any system call. This is host_confined. */
void thread_forbid(int yes);
int thread_forbidden(void);

/* Maps the stacks. Once, at start. Returns 0 or -ENOMEM. */
int thread_setup(void);

/*
 * Waits, some 20 ms at most, until the last worker, and a service thread that
 * has ended, are no tasks any more: the kernel counts them for a moment.
 * SIGSAFE.
 */
void thread_settle(void);

/* In a forked child: none of the parent's threads is here. SIGSAFE. */
void thread_forget(void);

#endif

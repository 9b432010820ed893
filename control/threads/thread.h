/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The agent's threads, which libc does not know. They do not keep a process
 * alive after the last pthread has gone, take no signal, hold no libc lock when
 * the process forks, and have a private descriptor table.
 *
 * Code that runs in them calls no libc function that uses thread-local
 * variables: their thread pointer leads to zeros.
 */
#ifndef CONTROL_THREADS_THREAD_H
#define CONTROL_THREADS_THREAD_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Runs fn(arg) in a worker and waits for it, all signals blocked. Where the
 * agent makes no thread (agent_signal) the calling thread runs it. Returns fn's
 * result, -EBUSY when another worker runs, or a negative errno when no thread
 * can be made. SIGSAFE.
 */
int thread_run(int (*fn)(void *arg), void *arg);

/* Does the same in the calling thread, on the worker's stack, with the
 * program's descriptors: while no other code of the program has run. */
int thread_run_alone(int (*fn)(void *arg), void *arg);

/* Does the same, but waits until the worker is free. Not for signal handlers.
 */
int thread_run_wait(int (*fn)(void *arg), void *arg);

/* Does the same; the calling thread runs fn(arg) also where no thread can be
 * made (RLIMIT_NPROC, another PID namespace for children). */
int thread_run_sure(int (*fn)(void *arg), void *arg);

/*
 * Starts the service thread with fn(arg). `arg` is NULL, or a negative errno
 * when the thread could not get a private descriptor table: then fn must
 * return. The result of fn is the status of exit(2). Returns 0 or a negative
 * errno. SIGSAFE; one service thread at a time.
 */
int thread_serve(int (*fn)(void *arg));

/* Returns true when valgrind runs the program. SIGSAFE */
bool thread_translated(void);

/* The arguments of the one clone(2) that starts the service thread; the new
 * thread begins in thread_woken(). */
struct thread_making {
	uint64_t flags;
	uint64_t stack;
	uint64_t tid;
	uint64_t tls;
};

/* Fills the arguments in, for fn as above. Returns 0, or a negative errno when
 * no thread can be made. */
int thread_making(struct thread_making *making, int (*fn)(void *arg));

/* Returns the service thread's id; 0 when it has ended or was never started. In
 * a forked child before thread_forget(), the id is the parent's. SIGSAFE. */
uint32_t thread_service(void);

/* Returns true when the caller is one of these threads. SIGSAFE. */
bool thread_is_ours(void);

/* Forbids new threads (HOST_...) or allows them again (0). While they are
 * forbidden, the functions that make one fail with -EPERM, before any system
 * call. The state is host_confined. SIGSAFE. */
void thread_forbid(int state);
int thread_forbidden(void);

/*
 * Runs fn(arg) in the calling thread, on the stack that the service thread does
 * not need (TAFFRAIL_SERVICE=signal). The caller has blocked all signals, and
 * there is one caller at a time. Returns fn's result. SIGSAFE.
 */
int thread_here(int (*fn)(void *arg), void *arg);

/* Maps the stacks. Call it once, at start. Returns 0 or -ENOMEM. */
int thread_setup(void);

/*
 * Waits, some 20 ms at most, until the kernel no longer counts the last worker,
 * and a service thread that has ended, as tasks. SIGSAFE.
 */
void thread_wait_ended(void);

/* Forgets the parent's threads, in a forked child. SIGSAFE. */
void thread_forget(void);

#endif

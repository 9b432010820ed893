/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Threads of the agent's own.
 */
#include "agent/thread.h"

#include <errno.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/mman.h>

#include "agent/thread-x86_64.h"
#include "agent/vectors.h"
#include "buffers/base.h"
#include "buffers/sys.h"
#include "buffers/tunables.h"

#define TCB_BYTES	4096u
#define THREAD_BYTES	(4096u + SERVICE_STACK_BYTES + SERVICE_TLS_BYTES + \
			 TCB_BYTES)
#define THREAD_FLAGS	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | \
			 CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS |     \
			 CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID |      \
			 CLONE_UNTRACED)
#define SIGSET_BYTES	8
#define SETTLE_PAUSE_NS	20000
#define SETTLE_LOOKS	1000

/* guard page | stack | zeros below the thread pointer | thread pointer */
struct thread {
	char *memory;
	uint32_t tid;		/* 0: not running; the kernel clears it */
	int (*fn)(void *arg);
	void *arg;
	int result;
};

static struct thread worker;
static struct thread service;
static uint32_t worker_taken;
static uint32_t worker_last;	/* may still be a task */
static int forbidden;

extern const ptrdiff_t __rseq_offset __attribute__((weak));

static int thread_map(struct thread *thread)
{
	long p = sys_mmap(thread->memory, THREAD_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS |
				  (thread->memory ? MAP_FIXED : 0), -1, 0);

	if (p < 0 && p > -4096)
		return -ENOMEM;
	thread->memory = (char *)p;
	sys_mprotect(thread->memory, 4096, PROT_NONE);
	/* a child has not got the thread: its fork need not copy the stack */
	sys_madvise(thread->memory, THREAD_BYTES, MADV_WIPEONFORK);
	return 0;
}

int thread_setup(void)
{
	int ret = thread_map(&worker);

	vectors_setup();
	return ret ? ret : thread_map(&service);
}

/* Descriptors: a table of its own, empty. The host's are never here, so a
 * pipe's reader sees the end when the host closes it. */
static int thread_main(void *arg)
{
	struct thread *thread = arg;

	if (sys3(SYS_close_range, 0, ~0u, CLOSE_RANGE_UNSHARE)) {
		if (sys1(SYS_unshare, CLONE_FILES))
			return thread->result = -EMFILE;
		sys3(SYS_close_range, 0, ~0u, 0);
	}
	thread->result = thread->fn(thread->arg);
	return 0;
}

static long thread_start(struct thread *thread, int (*fn)(void *), void *arg)
{
	char *stack = thread->memory + 4096 + SERVICE_STACK_BYTES;
	char *tls = stack + SERVICE_TLS_BYTES;
	const ptrdiff_t *volatile rseq = &__rseq_offset;
	uint32_t *cpu_id;

	if (forbidden)
		return -EPERM;
	__builtin_memset(stack, 0, SERVICE_TLS_BYTES + TCB_BYTES);
	thread_tls_init(tls);
	/* not registered with rseq: no section may believe it is on CPU 0 */
	if (rseq && *rseq > -(ptrdiff_t)SERVICE_TLS_BYTES &&
	    *rseq < (ptrdiff_t)TCB_BYTES - 64) {
		cpu_id = (uint32_t *)(tls + *rseq + 4);
		*cpu_id = ~0u;
	}
	thread->fn = fn;
	thread->arg = arg;
	thread->result = -ECHILD;
	return thread_clone(THREAD_FLAGS, stack, &thread->tid, tls,
			    thread_main, thread);
}

static void signals_block(uint64_t *before)
{
	uint64_t all = ~0ull;

	sys4(SYS_rt_sigprocmask, SIG_SETMASK, &all, before, SIGSET_BYTES);
}

static void signals_restore(const uint64_t *before)
{
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, before, NULL, SIGSET_BYTES);
}

static int worker_finish(int (*fn)(void *), void *arg)
{
	long tid = thread_start(&worker, fn, arg);
	uint32_t seen;

	if (tid < 0)
		return (int)tid;
	while ((seen = load_acquire(&worker.tid)))
		sys_futex_wait(&worker.tid, seen, NULL);
	store_relaxed(&worker_last, (uint32_t)tid);
	return worker.result;
}

/* A function and what it is given. */
struct call {
	int (*fn)(void *arg);
	void *arg;
};

static int run(void *arg, void *unused)
{
	const struct call *call = arg;
	uint64_t mask;
	int ret = -EAGAIN;

	(void)unused;
	if (!worker.memory)
		return -ENOMEM;
	signals_block(&mask);
	if (!__atomic_exchange_n(&worker_taken, 1, __ATOMIC_ACQUIRE)) {
		ret = worker_finish(call->fn, call->arg);
		store_release(&worker_taken, 0);
	}
	signals_restore(&mask);
	return ret;
}

SIGSAFE int thread_run(int (*fn)(void *arg), void *arg)
{
	struct call call = { fn, arg };

	return vectors_kept(run, &call, NULL);
}

int thread_run_wait(int (*fn)(void *arg), void *arg)
{
	struct timespec pause = { .tv_nsec = 50000 };
	uint64_t mask;
	int ret;

	if (!worker.memory)
		return -ENOMEM;
	signals_block(&mask);
	while (__atomic_exchange_n(&worker_taken, 1, __ATOMIC_ACQUIRE))
		sys2(SYS_nanosleep, &pause, NULL);
	ret = worker_finish(fn, arg);
	store_release(&worker_taken, 0);
	signals_restore(&mask);
	return ret;
}

SIGSAFE int thread_serve(int (*fn)(void *arg))
{
	uint64_t mask;
	long tid;

	if (!service.memory)
		return -ENOMEM;
	signals_block(&mask);
	tid = thread_start(&service, fn, NULL);
	signals_restore(&mask);
	return tid < 0 ? (int)tid : 0;
}

SIGSAFE uint32_t thread_service(void)
{
	return load_acquire(&service.tid);
}

SIGSAFE int thread_is_ours(void)
{
	uint32_t tid = (uint32_t)sys0(SYS_gettid);

	return tid == load_relaxed(&worker.tid) ||
	       tid == load_relaxed(&service.tid);
}

void thread_forbid(int yes)
{
	forbidden = yes;
}

FORK_TEXT int thread_forbidden(void)
{
	return forbidden;
}

SIGSAFE void thread_settle(void)
{
	struct timespec pause = { .tv_nsec = SETTLE_PAUSE_NS };
	uint32_t tid = load_relaxed(&worker_last);
	int looks = SETTLE_LOOKS;

	while (tid && looks-- &&
	       !sys3(SYS_tgkill, sys_getpid(), tid, 0))
		sys2(SYS_nanosleep, &pause, NULL);
	store_relaxed(&worker_last, 0);
}

SIGSAFE void thread_forget(void)
{
	worker.tid = 0;
	service.tid = 0;
	worker_taken = 0;
	worker_last = 0;
	/* memory that was never a stack: valgrind takes what is below one that
	 * it knew for nobody's */
	if (worker.memory)
		thread_map(&worker);
	if (service.memory)
		thread_map(&service);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The agent's threads.
 */
#include "control/threads/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/rseq.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/base.h"
#include "base/file.h"
#include "base/host.h"
#include "base/sys.h"
#include "base/text.h"
#include "base/tunables.h"
#include "buffers/writers/pieces-x86_64.h"
#include "control/threads/settings.h"
#include "control/threads/thread-x86_64.h"
#include "control/threads/vectors.h"
#include "tracepoints/program/translated-x86_64.h"

/* Limits the calls of one thread without close_range(2) and /proc: 50 ms. */
#define CLOSES_MAX	(1u << 20)
#define GUARD_BYTES	4096u
#define TCB_BYTES	4096u
/* No two of the agent's thread-local variables are further apart than this; the
 * test agent/tls checks how many bytes they take. */
#define OWN_TLS_BYTES	2048u
#define PAGE_UP(n)	(((size_t)(n) + 4095) / 4096 * 4096)
#define THREAD_FLAGS	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | \
			 CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS |     \
			 CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID |      \
			 CLONE_UNTRACED)
#define SIGSET_BYTES	8
#define ENDED_PAUSE_NS	20000
#define ENDED_LOOKS	1000

/*
 * guard page | stack | zeros below the thread pointer | thread pointer
 *
 * The kernel writes the rseq area at each switch to the thread, and reads a
 * pointer there. glibc up to 2.40 has the area behind the thread pointer; later
 * versions have it below all thread-local storage, whose size differs from
 * program to program. So start-up computes how many bytes to map below and
 * behind the thread pointer.
 */
struct room {
	size_t below;
	size_t behind;
};

static struct room room;

struct thread {
	char *memory;
	bool guarded;		/* the guard page is one, and fork wipes */
	uint32_t tid;		/* 0: not running; the kernel clears it */
	int (*fn)(void *arg);
	void *arg;
	int result;
};

static struct thread worker EARLY;
static struct thread service EARLY;
static uint32_t worker_taken;
static uint32_t worker_last;	/* the worker's id, while it may still be a task
				 */
static uint32_t service_last;	/* the same, after the thread has ended */

static size_t thread_bytes(void)
{
	return GUARD_BYTES + SERVICE_STACK_BYTES + room.below + room.behind;
}

/* Returns the distance of the agent's thread-local variables from the thread
 * pointer. The compiler must load it: gcc 16 would compare with it in memory,
 * in an instruction that the assembler of binutils 2.47 does not take. */
static ptrdiff_t own_offset(void)
{
	ptrdiff_t offset = (char *)&host_cpu_told -
			   (char *)__builtin_thread_pointer();

	__asm__("" : "+r"(offset));
	return offset;
}

/* Maps memory: `at` an address, or anywhere (NULL). Returns NULL where that
 * cannot be. */
static char *room_map(char *at, size_t bytes)
{
	long p = sys_mmap(at, bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
				  (at ? MAP_FIXED : 0), -1, 0);

	return p < 0 && p > -4096 ? NULL : (char *)p;
}

/* Prepares the memory before the first use: most programs end before. */
static void thread_guard(struct thread *thread)
{
	if (thread->guarded)
		return;
	sys_mprotect(thread->memory, GUARD_BYTES, PROT_NONE);
	/* a child does not have the thread: fork need not copy the stack */
	sys_madvise(thread->memory, thread_bytes(), MADV_WIPEONFORK);
	thread->guarded = true;
}

/* Takes new memory in place of the old. */
static void thread_map(struct thread *thread)
{
	if (room_map(thread->memory, thread_bytes()))
		thread->guarded = false;
}

SIGSAFE bool thread_translated(void)
{
	return translated_here();
}

int thread_setup(void)
{
	ptrdiff_t lowest = own_offset();
	ptrdiff_t highest = (ptrdiff_t)TCB_BYTES;
	char *memory;

	/* the agent's thread-local variables and the rseq area have the same
	 * distance from the thread pointer in each thread */
	if (rseq_offset < lowest)
		lowest = rseq_offset;
	if (rseq_offset + (ptrdiff_t)RSEQ_BYTES_MAX > highest)
		highest = rseq_offset + (ptrdiff_t)RSEQ_BYTES_MAX;
	room.below = PAGE_UP(SERVICE_TLS_BYTES - lowest);
	room.behind = PAGE_UP(highest);
	memory = room_map(NULL, 2 * thread_bytes());
	vectors_setup();
	if (!memory)
		return -ENOMEM;
	worker.memory = memory;
	service.memory = memory + thread_bytes();
	return 0;
}

static void close_entry(int fd, const char *name, void *arg)
{
	int number = (int)text_number(&name);

	if (number != fd)
		sys_close(number);
}

/* Closes the descriptors that /proc lists, because numbers above a lowered
 * limit may be open; without /proc each number that the limit allows. */
static void close_each(void)
{
	struct rlimit limit = { 0 };
	uint64_t n = CLOSES_MAX;
	int fd;

	/* makes room for the directory in a full table */
	sys_close(0);
	fd = (int)sys_open("/proc/thread-self/fd",
			   O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (fd >= 0) {
		entries_each(fd, close_entry, NULL);
		sys_close(fd);
		return;
	}
	if (!sys4(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit))
		n = min_u64(limit.rlim_cur, n);
	for (uint64_t i = 0; i < n; i++)
		sys_close(i);
}

/*
 * Gives the calling thread a private, empty descriptor table. The program's
 * table stays as it is. Needs close_range(2) of Linux 5.9, or unshare(2) and
 * one close(2) for each descriptor. Returns 0, or -EMFILE when both are denied:
 * then the thread still has the program's table.
 */
static int descriptors_leave(void)
{
	if (!sys3(SYS_close_range, 0, ~0u, CLOSE_RANGE_UNSHARE))
		return 0;
	if (sys1(SYS_unshare, CLONE_FILES))
		return -EMFILE;
	if (sys3(SYS_close_range, 0, ~0u, 0))
		close_each();
	return 0;
}

/* The thread's descriptor table is private and empty. It never holds the host's
 * descriptors, so a pipe's reader sees the end when the host closes it. Returns
 * the argument of exit(2). */
static int thread_main(void *arg)
{
	struct thread *thread = arg;

	thread->result = descriptors_leave();
	if (thread == &service) {
		store_relaxed(&service_last, load_relaxed(&service.tid));
		thread->arg = (void *)(long)thread->result;
	} else if (thread->result) {
		return 0;
	}
	thread->result = thread->fn(thread->arg);
	return thread == &service ? thread->result : 0;
}

/* Clears the memory that the thread before may have written: the agent's
 * variables, the control block and the rseq area. */
static void tls_clear(char *tls)
{
	char *own = tls + own_offset();
	char *end = own + OWN_TLS_BYTES < tls ? own + OWN_TLS_BYTES : tls;

	__builtin_memset(own - OWN_TLS_BYTES, 0,
			 (size_t)(end - (own - OWN_TLS_BYTES)));
	__builtin_memset(tls, 0, TCB_BYTES);
	if (rseq_offset) {
		__builtin_memset(tls + rseq_offset, 0, RSEQ_BYTES_MAX);
		/* not registered yet: no section may believe it is on CPU 0 */
		((struct rseq *)(tls + rseq_offset))->cpu_id = ~0u;
	}
	thread_tls_init(tls);
}

static char *thread_stack(const struct thread *thread)
{
	return thread->memory + GUARD_BYTES + SERVICE_STACK_BYTES;
}

static long thread_start(struct thread *thread, int (*fn)(void *), void *arg)
{
	char *stack = thread_stack(thread);
	char *tls = stack + room.below;

	if (host_confined)
		return -EPERM;
	/* valgrind takes the first large frame on another stack for a change of
	 * stacks, and would report the data that the thread before has left
	 * below */
	if (thread_translated())
		thread_map(thread);
	thread_guard(thread);
	tls_clear(tls);
	thread->fn = fn;
	thread->arg = arg;
	thread->result = -ECHILD;
	return thread_clone(THREAD_FLAGS, stack, &thread->tid, tls,
			    thread_main, thread);
}

/* A service thread that a command has made through one of the program's threads
 * begins here, with the signals of that thread (demand-*.S). Returns the
 * argument of exit(2). */
int thread_woken(void) __attribute__((visibility("hidden")));

__attribute__((used)) int thread_woken(void)
{
	uint64_t all = ~0ull;

	sys4(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, SIGSET_BYTES);
	thread_guard(&service);
	tls_clear(thread_stack(&service) + room.below);
	return thread_main(&service);
}

int thread_making(struct thread_making *making, int (*fn)(void *arg))
{
	if (!service.memory)
		return -ENOMEM;
	if (host_confined)
		return -EPERM;
	service.fn = fn;
	service.arg = NULL;
	making->flags = THREAD_FLAGS;
	making->stack = (uint64_t)thread_stack(&service);
	making->tid = (uint64_t)&service.tid;
	making->tls = making->stack + room.below;
	return 0;
}

/* stack-x86_64.S */
int thread_on_stack(int (*fn)(void *arg), void *arg, void *stack)
	__attribute__((visibility("hidden")));

/* Runs a function on the stack of a thread of the agent's. A file beyond the
 * limit of sizes (RLIMIT_FSIZE) raises SIGXFSZ, which would end the program
 * once the thread unblocks it. A SIGXFSZ that was pending before is the
 * program's. */
static int stack_run(struct thread *thread, int (*fn)(void *arg), void *arg)
{
	const struct timespec none = { 0, 0 };
	const uint64_t size = 1ull << (SIGXFSZ - 1);
	uint64_t pending = 0;
	int ret;

	thread_guard(thread);
	sys2(SYS_rt_sigpending, &pending, SIGSET_BYTES);
	ret = thread_on_stack(fn, arg, thread_stack(thread));
	if (!(pending & size))
		sys4(SYS_rt_sigtimedwait, &size, NULL, &none, SIGSET_BYTES);
	return ret;
}

SIGSAFE int thread_here(int (*fn)(void *arg), void *arg)
{
	return stack_run(&service, fn, arg);
}

static int worker_finish(int (*fn)(void *), void *arg, int sure)
{
	uint32_t seen;
	long tid;

	if (agent_signal)
		return stack_run(&worker, fn, arg);
	tid = thread_start(&worker, fn, arg);
	if (tid < 0)
		return sure ? stack_run(&worker, fn, arg) : (int)tid;
	while ((seen = load_acquire(&worker.tid, THREAD_TID)))
		sys_futex_wait(&worker.tid, seen, NULL);
	store_relaxed(&worker_last, (uint32_t)tid);
	return worker.result;
}

/* A function and the argument of the call. */
struct call {
	int (*fn)(void *arg);
	void *arg;
};

static int worker_run(void *arg, void *unused)
{
	const struct call *call = arg;
	uint64_t mask;
	int ret = -EBUSY;

	if (!worker.memory)
		return -ENOMEM;
	if (host_confined)
		return -EPERM;
	host_signals_block(&mask);
	if (!__atomic_exchange_n(&worker_taken, 1, ACQUIRE(WORKER_LOCK))) {
		ret = worker_finish(call->fn, call->arg, 0);
		store_release(&worker_taken, 0, WORKER_LOCK);
	}
	host_signals_restore(&mask);
	return ret;
}

SIGSAFE int thread_run(int (*fn)(void *arg), void *arg)
{
	struct call call = { fn, arg };

	return vectors_kept(worker_run, &call, NULL);
}

int thread_run_alone(int (*fn)(void *arg), void *arg)
{
	uint64_t mask;
	int ret;

	host_signals_block(&mask);
	ret = stack_run(&worker, fn, arg);
	host_signals_restore(&mask);
	return ret;
}

/* With `sure` the calling thread does it where no thread can be made. */
static int wait_run(int (*fn)(void *arg), void *arg, int sure)
{
	struct timespec pause = { .tv_nsec = 50000 };
	uint64_t mask;
	int ret;

	if (!worker.memory)
		return -ENOMEM;
	if (host_confined)
		return -EPERM;
	host_signals_block(&mask);
	while (__atomic_exchange_n(&worker_taken, 1, ACQUIRE(WORKER_LOCK)))
		sys2(SYS_nanosleep, &pause, NULL);
	ret = worker_finish(fn, arg, sure);
	store_release(&worker_taken, 0, WORKER_LOCK);
	host_signals_restore(&mask);
	return ret;
}

int thread_run_wait(int (*fn)(void *arg), void *arg)
{
	return wait_run(fn, arg, 0);
}

int thread_run_sure(int (*fn)(void *arg), void *arg)
{
	return wait_run(fn, arg, 1);
}

SIGSAFE int thread_serve(int (*fn)(void *arg))
{
	uint64_t mask;
	long tid;

	if (!service.memory)
		return -ENOMEM;
	if (host_confined)
		return -EPERM;
	host_signals_block(&mask);
	tid = thread_start(&service, fn, NULL);
	host_signals_restore(&mask);
	return tid < 0 ? (int)tid : 0;
}

SIGSAFE uint32_t thread_service(void)
{
	return load_acquire(&service.tid, THREAD_TID);
}

SIGSAFE bool thread_is_ours(void)
{
	uint32_t tid = (uint32_t)sys0(SYS_gettid);

	return tid == load_relaxed(&worker.tid) ||
	       tid == load_relaxed(&service.tid);
}

SIGSAFE void thread_forbid(int state)
{
	host_confined = state;
}

FORK_TEXT int thread_forbidden(void)
{
	return host_confined;
}

static void thread_wait_gone(uint32_t *last)
{
	struct timespec pause = { .tv_nsec = ENDED_PAUSE_NS };
	uint32_t tid = load_relaxed(last);
	int looks = ENDED_LOOKS;

	while (tid && !host_confined && looks-- &&
	       !sys3(SYS_tgkill, sys_getpid(), tid, 0))
		sys2(SYS_nanosleep, &pause, NULL);
	store_relaxed(last, 0);
}

SIGSAFE void thread_wait_ended(void)
{
	thread_wait_gone(&worker_last);
	if (!thread_service())
		thread_wait_gone(&service_last);
}

SIGSAFE void thread_forget(void)
{
	worker.tid = 0;
	service.tid = 0;
	worker_taken = 0;
	worker_last = 0;
	service_last = 0;
	/* New mappings, which were never a stack: valgrind takes memory below a
	 * stack pointer that it knew for unused. */
	if (worker.memory)
		thread_map(&worker);
	if (service.memory)
		thread_map(&service);
}

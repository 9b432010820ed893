/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stops one thread for the time of two system calls. It is led to a `syscall`
 * instruction of libc, which maps memory, and then to one that is written into
 * this memory (stub-x86_64.S), which makes the helper by clone(2). Nothing is
 * written to the thread's stack or code, and it runs no function of the
 * program. So it does not matter which locks the thread holds.
 *
 * Each stop costs two turns of the scheduler, the thread's and ours, which take
 * milliseconds on a busy machine. So there are only three stops: the first, and
 * one after each system call.
 *
 * Invariants:
 *  - the thread continues from a stop in which the kernel looks for signals,
 *    with the thread's own registers: so the kernel decides whether it restarts
 *    a system call that the first stop interrupted, or ends the call because of
 *    a signal that has come meanwhile;
 *  - all signals are blocked in the thread meanwhile, except the SIGTRAP of the
 *    stops: if SIGTRAP is blocked or ignored, the kernel resets the program's
 *    action for it;
 *  - a signal that comes before that is passed on.
 *
 * In a process of one thread, libc omits locked instructions. So that thread is
 * stopped only outside of libc and the linker, or in a system call that they do
 * not make under a lock: after the stop there is a second thread.
 */
#include <errno.h>
#include <linux/rseq.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

#include "buffers/layout.h"
#include "command/attach/steps.h"
#include "command/common/monotonic.h"
#include "command/procfs/process.h"

#define STOP_WAIT_MS	2000
#define SEIZE_TRIES	3
#define SAFE_TRIES	2000
#define SAFE_PAUSE_NS	1000000
#define MAYBE_TRIES	200	/* then FORKING_MAYBE counts as no fork */
#define SIGSET_BYTES	8
#define SYSCALL_STOP	(SIGTRAP | 0x80)
#define ERESTARTNOHAND	514
#define CODE_64_BITS	0x33		/* cs of user space */
#define SIGNAL_BIT(signal) (1ull << ((signal) - 1))
#define HELPER_FLAGS	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | \
			 CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS |     \
			 CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID |      \
			 CLONE_UNTRACED)

/* The helper blocks all signals but the two for setuid() and
 * pthread_cancel(). */
static const uint64_t helper_blocked = ~(3ull << 31);

struct tracee {
	struct attach_target *t;
	pid_t tid;
	struct user_regs_struct regs;	/* when it stopped */
	uint64_t mask;
	uint64_t began;			/* of the first stop, ns */
	int tries;			/* how often it was stopped before */
	int steps;			/* single steps work (SIGTRAP) */
	int stepped;			/* it is in the stop of a step */
	int led;			/* it continues by itself */
	int again;			/* SIGSTOP came: send it afterwards */
};

static long do_trace(int request, pid_t tid, void *address, void *data)
{
	return ptrace(request, tid, address, data) ? -errno : 0;
}

/* Waits for a stop or the end of the thread. SIGCHLD is blocked. */
static int wait_stop(pid_t tid, int *status)
{
	uint64_t end = monotonic_ns() + STOP_WAIT_MS * 1000000ull;
	struct timespec pause = { .tv_nsec = 20000000 };
	sigset_t child;
	pid_t pid;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	while (!(pid = waitpid(tid, status, __WALL | WNOHANG))) {
		if (monotonic_ns() > end)
			return -ETIMEDOUT;
		sigtimedwait(&child, NULL, &pause);
	}
	if (pid < 0)
		return -errno;
	return WIFSTOPPED(*status) ? 0 : -ESRCH;
}

/* Waits for the stop that we ask for, while the thread runs or is in another
 * kind of stop; passes signals on to the thread. */
static int interrupt_thread(struct tracee *x, int stopped)
{
	int status;
	int ret = (int)do_trace(PTRACE_INTERRUPT, x->tid, NULL, NULL);

	if (!ret && stopped)
		ret = (int)do_trace(PTRACE_CONT, x->tid, NULL, NULL);
	while (!ret && !(ret = wait_stop(x->tid, &status))) {
		if (!x->began)
			x->began = monotonic_ns();
		if (status >> 16 == PTRACE_EVENT_STOP)
			return WSTOPSIG(status) == SIGTRAP ? 0 : -EBUSY;
		ret = (int)do_trace(PTRACE_CONT, x->tid, NULL,
				    (void *)(long)(status >> 16 ||
						   WSTOPSIG(status) ==
						   SYSCALL_STOP ? 0 :
						   WSTOPSIG(status)));
	}
	return ret;
}

/* Returns 1 when this stop is the end of the system call; with PTRACE_SYSCALL
 * that is the second stop, and *stops counts them. Returns -EFAULT when the
 * instruction cannot be executed: the thread would repeat it without end. */
static int inject_done(struct tracee *x, int status, int *stops)
{
	if (WSTOPSIG(status) == SYSCALL_STOP)
		return ++*stops == 2;
	if (status >> 16)
		return 0;
	switch (WSTOPSIG(status)) {
	case SIGSEGV:
	case SIGBUS:
	case SIGILL:
	case SIGFPE:
		return -EFAULT;
	}
	if (x->steps && WSTOPSIG(status) == SIGTRAP) {
		x->stepped = 1;
		return 1;
	}
	x->again |= WSTOPSIG(status) == SIGSTOP;
	return 0;
}

/* Has the stopped thread make one system call: `at` is the instruction. Returns
 * with the thread in the stop after the call. */
static int inject_call(struct tracee *x, uint64_t at, const long args[7],
		       int64_t *result)
{
	struct user_regs_struct regs = x->regs;
	int status, ret, stops = 0, done = 0;

	regs.rip = at;
	regs.rax = (unsigned long)args[0];
	regs.orig_rax = -1ull;
	regs.rdi = (unsigned long)args[1];
	regs.rsi = (unsigned long)args[2];
	regs.rdx = (unsigned long)args[3];
	regs.r10 = (unsigned long)args[4];
	regs.r8 = (unsigned long)args[5];
	regs.r9 = (unsigned long)args[6];
	regs.eflags &= ~0x40500ull;	/* AC, DF, TF */
	x->stepped = 0;
	ret = (int)do_trace(PTRACE_SETREGS, x->tid, NULL, &regs);
	while (!ret && !done) {
		ret = (int)do_trace(x->steps ? PTRACE_SINGLESTEP :
					       PTRACE_SYSCALL,
				    x->tid, NULL, NULL);
		if (!ret)
			ret = wait_stop(x->tid, &status);
		if (!ret)
			done = inject_done(x, status, &stops);
		if (done < 0)
			ret = done;
	}
	if (!ret)
		ret = (int)do_trace(PTRACE_GETREGS, x->tid, NULL, &regs);
	*result = (int64_t)regs.rax;
	return ret;
}

/* Restores the thread's registers, and lets it go; if it was in a system call,
 * from a stop in which the kernel looks for signals. */
static int release_thread(struct tracee *x, int moved)
{
	int ret = moved && !x->led && !x->stepped &&
		  (int64_t)x->regs.orig_rax >= 0 ? interrupt_thread(x, 1) : 0;

	if (ret != -ESRCH && !x->led)
		ret = (int)do_trace(PTRACE_SETREGS, x->tid, NULL, &x->regs);
	if (!ret && !x->led)
		ret = (int)do_trace(PTRACE_SETSIGMASK, x->tid,
				    (void *)SIGSET_BYTES, &x->mask);
	do_trace(PTRACE_DETACH, x->tid, NULL, NULL);
	if (x->again)
		kill(x->t->pid, SIGSTOP);
	return ret;
}

/* Makes the kernel restart a wait without time-out that the stop has
 * interrupted although nothing happened. */
static void mend_wait(struct user_regs_struct *regs)
{
	if ((int64_t)regs->rax == -EINTR &&
	    (regs->orig_rax == SYS_epoll_wait ||
	     regs->orig_rax == SYS_epoll_pwait) && (int)regs->r10 == -1)
		regs->rax = -(uint64_t)ERESTARTNOHAND;
}

static bool is_inside(const struct attach_module *m, uint64_t address)
{
	return m && address >= m->code && address < m->code_end;
}

/* Returns true for system calls that malloc and the linker make under a
 * lock. */
static bool memory_call(uint64_t number)
{
	return number == SYS_brk || number == SYS_mmap ||
	       number == SYS_munmap || number == SYS_mprotect ||
	       number == SYS_mremap || number == SYS_madvise;
}

static bool single_threaded(const struct attach_target *t,
			    const uint8_t header[ATTACH_HEADER_BYTES])
{
	uint32_t multiple;
	uint8_t single;

	if (t->names.single && !attach_read(t, t->names.single, &single, 1))
		return single;
	memcpy(&multiple, header + 24, sizeof(multiple));
	return !multiple;
}

/* Returns the thread's rseq area, registered by libc or by the program; 0: it
 * has none. Kernels before 5.13 do not tell: then returns libc's. */
static uint64_t rseq_area(const struct tracee *x)
{
	const struct attach_target *t = x->t;
	struct {
		uint64_t area;
		uint32_t size, signature, flags, pad;
	} it;

	if (ptrace(0x420f /* PTRACE_GET_RSEQ_CONFIGURATION */, x->tid,
		   (void *)sizeof(it), &it) >= 0)
		return it.area;
	return t->rseq_bytes ? x->regs.fs_base + (uint64_t)t->rseq_offset : 0;
}

/* Returns true when the thread is in a restartable sequence: it would continue
 * in the middle of the sequence. */
static bool in_sequence(const struct tracee *x)
{
	const struct attach_target *t = x->t;
	uint64_t area = rseq_area(x);
	struct rseq_cs cs;
	uint64_t at;

	if (!area ||
	    attach_read(t, area + offsetof(struct rseq, rseq_cs), &at,
			sizeof(at)) ||
	    !at || attach_read(t, at, &cs, sizeof(cs)))
		return false;
	return x->regs.rip - cs.start_ip < cs.post_commit_offset;
}

static bool stop_safe(const struct tracee *x,
		      const uint8_t header[ATTACH_HEADER_BYTES])
{
	const struct attach_target *t = x->t;
	enum attach_forking forking;

	if (in_sequence(x))
		return false;
	if (!single_threaded(t, header))
		return true;
	/* a fork that began with one thread takes no locks until it ends */
	forking = attach_forking_at(t, x->regs.rsp, x->regs.rip);
	if (forking > FORKING_MAYBE ||
	    (forking == FORKING_MAYBE && x->tries < MAYBE_TRIES))
		return false;
	if ((int64_t)x->regs.orig_rax >= 0)
		return !memory_call(x->regs.orig_rax);
	return !is_inside(t->libc, x->regs.rip) &&
	       !is_inside(t->linker, x->regs.rip);
}

/* Returns 0 when the thread may be used where it is now; -EAGAIN: not now;
 * -ENXIO: it is not a thread of libc. */
static int look_at_thread(struct tracee *x, uint8_t header[ATTACH_HEADER_BYTES])
{
	uint64_t self;
	uint32_t tid;
	int ret = (int)do_trace(PTRACE_GETREGS, x->tid, NULL, &x->regs);

	if (!ret)
		ret = (int)do_trace(PTRACE_GETSIGMASK, x->tid,
				    (void *)SIGSET_BYTES, &x->mask);
	if (ret)
		return ret;
	if (!attach_image_same(x->t, x->t->syscall))
		return -ESTALE;
	if (x->regs.cs != CODE_64_BITS ||
	    attach_read(x->t, x->regs.fs_base, header, ATTACH_HEADER_BYTES) ||
	    attach_read(x->t, x->regs.fs_base + x->t->at_tid, &tid, 4))
		return -ENXIO;
	memcpy(&self, header + 16, sizeof(self));
	if (self != x->regs.fs_base || !tid)
		return -ENXIO;
	if (!stop_safe(x, header))
		return -EAGAIN;
	mend_wait(&x->regs);
	return 0;
}

/* Does the same for a job that does not touch libc and libc's locks. */
static int look_only(struct tracee *x)
{
	int ret = (int)do_trace(PTRACE_GETREGS, x->tid, NULL, &x->regs);

	if (!ret)
		ret = (int)do_trace(PTRACE_GETSIGMASK, x->tid,
				    (void *)SIGSET_BYTES, &x->mask);
	if (!ret && x->regs.cs != CODE_64_BITS)
		ret = -ENXIO;
	if (!ret && in_sequence(x))
		ret = -EAGAIN;
	if (!ret)
		mend_wait(&x->regs);
	return ret;
}

/* Returns true when this is the program of which the command has read the page.
 * The process may have executed another one before the stop. */
static bool same_image(const struct tracee *x, const struct attach_wake *wake)
{
	uint8_t uuid[sizeof(wake->uuid)];

	return !attach_read(x->t, wake->owner.page +
				  offsetof(struct process_page, uuid),
			    uuid, sizeof(uuid)) &&
	       !memcmp(uuid, wake->uuid, sizeof(uuid));
}

/* Leads the stopped thread to the agent's code that makes the service thread.
 * The code then restores this thread from a frame on the stack, without us. */
static int lead_wake(struct tracee *x, const struct attach_wake *wake)
{
	struct user_regs_struct regs = x->regs;
	uint64_t frame[WAKE_WORDS] = { 0 };
	int ret;

	if (!attach_image_same(x->t, wake->owner.page) || !same_image(x, wake))
		return -ESTALE;
#define SAVE(name, field) frame[WAKE_##name] = regs.field
	SAVE(R15, r15);
	SAVE(R14, r14);
	SAVE(R13, r13);
	SAVE(R12, r12);
	SAVE(R11, r11);
	SAVE(R10, r10);
	SAVE(R9, r9);
	SAVE(R8, r8);
	SAVE(RBP, rbp);
	SAVE(RBX, rbx);
	SAVE(RCX, rcx);
	SAVE(RDX, rdx);
	SAVE(RSI, rsi);
	SAVE(RDI, rdi);
	SAVE(FLAGS, eflags);
	SAVE(RIP, rip);
#undef SAVE
	regs.rsp -= WAKE_RED_ZONE + sizeof(frame);
	regs.rip = wake->entry + WAKE_ENTRY_GO;
	regs.eflags &= ~0x40500ull;	/* AC, DF, TF */
	ret = attach_write(x->t, regs.rsp, frame, sizeof(frame));
	if (!ret)
		ret = (int)do_trace(PTRACE_SETREGS, x->tid, NULL, &regs);
	x->led = !ret;
	return ret;
}

/* Becomes the thread's tracer. Returns -EALREADY if it has another one: the
 * kernel says -EPERM then, too, and that tracer may have gone when one looks.
 */
static int become_tracer(struct tracee *x)
{
	int ret = -EPERM;

	for (int i = 0; i < SEIZE_TRIES && ret == -EPERM; i++) {
		ret = (int)do_trace(PTRACE_SEIZE, x->tid, NULL,
				    (void *)PTRACE_O_TRACESYSGOOD);
		if (ret == -EPERM && process_status(x->tid, "TracerPid") > 0)
			ret = -EALREADY;
	}
	return ret;
}

/* Seizes the thread. If it does not stop, it stays traced until our thread
 * ends. */
static int seize_thread(struct tracee *x)
{
	int ret = become_tracer(x);

	if (ret)
		return ret;
	ret = interrupt_thread(x, 0);
	if (ret)
		do_trace(PTRACE_DETACH, x->tid, NULL, NULL);
	return ret;
}

#ifndef PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG		/* Linux 6.4 */
#define PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG		0x4211
#endif

/* Returns -ENOSYS when the stopped thread's system calls are dispatched to a
 * handler of the program (prctl(2), PR_SET_SYSCALL_USER_DISPATCH): the handler
 * would get the one that the thread makes for us. Returns 0 where the kernel
 * does not tell. */
static int look_dispatch(const struct tracee *x)
{
	struct {
		uint64_t mode, selector, offset, len;
	} it;

	return !ptrace(PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG, x->tid,
		       (void *)sizeof(it), &it) && it.mode ? -ENOSYS : 0;
}

static int make_memory(struct tracee *x, struct attach_memory *memory,
		       uint64_t *base)
{
	const long map[7] = { SYS_mmap, 0, (long)memory->size,
			      PROT_READ | PROT_WRITE | PROT_EXEC,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0 };
	int64_t result;
	int ret = inject_call(x, x->t->syscall, map, &result);

	if (ret)
		return ret;
	if (result < 0 && result > -4096)
		return (int)result;
	*base = (uint64_t)result;
	return 0;
}

static int make_helper(struct tracee *x, const struct attach_memory *memory,
		       uint64_t base)
{
	uint64_t tp = base + memory->thread_pointer;
	const long clone[7] = {
		SYS_clone, HELPER_FLAGS, (long)(base + memory->stack_top),
		(long)(tp + x->t->at_tid),
		(long)(base + ATTACH_CODE_BYTES + ATTACH_HELPER), (long)tp,
	};
	int64_t result;
	int ret = inject_call(x, base, clone, &result);

	/* no thread can be made: a later try is no remedy */
	return ret		  ? ret :
	       result == -EAGAIN ? -EUSERS :
	       result < 0	  ? (int)result : 0;
}

static void unmap_memory(struct tracee *x, uint64_t base, size_t bytes)
{
	const long call[7] = { SYS_munmap, (long)base, (long)bytes };
	int64_t result;

	if (base)
		inject_call(x, x->t->syscall, call, &result);
}

/* Does the job, with the thread stopped. */
static int do_work(struct tracee *x, struct attach_stop *stop,
		   struct attach_memory *memory, const uint8_t *header)
{
	uint64_t mask = ~SIGNAL_BIT(SIGTRAP);
	uint32_t multiple, one = 1;
	int ret = (int)do_trace(PTRACE_SETSIGMASK, x->tid, (void *)SIGSET_BYTES,
				&mask);

	if (ret)
		return ret;
	ret = make_memory(x, memory, &stop->base);
	if (ret)
		return ret;
	memory->block->helper_mask = helper_blocked;
	ret = attach_memory_place(memory, x->t, stop->base, header);
	/* older versions of libc keep it in the control block, too, that there
	 * is a second thread */
	memcpy(&multiple, header + 24, sizeof(multiple));
	if (!ret && !multiple)
		attach_write(x->t, x->regs.fs_base + 24, &one, sizeof(one));
	if (!ret)
		ret = make_helper(x, memory, stop->base);
	if (ret)
		unmap_memory(x, stop->base, memory->size);
	return ret;
}

int attach_thread_work(const struct attach_job *job)
{
	struct timespec pause = { .tv_nsec = SAFE_PAUSE_NS };
	uint8_t header[ATTACH_HEADER_BYTES];
	int steps = job->memory &&
		    !attach_signal_in(job->t->pid, job->t->pid, "SigIgn",
				      SIGTRAP);
	int ret = -EAGAIN, moved = 0;

	for (int i = 0; i < SAFE_TRIES && ret == -EAGAIN && !moved; i++) {
		struct tracee x = { .t = job->t, .tid = job->stop->tid,
				    .tries = i, .steps = steps };
		uint64_t turn;
		int back;

		if (i)
			nanosleep(&pause, NULL);
		turn = attach_turns(x.tid, ATTACH_TURN_NS);
		ret = seize_thread(&x);
		if (ret) {
			attach_turns(x.tid, turn);
			return ret;
		}
		ret = job->wake ? look_only(&x) : look_at_thread(&x, header);
		if (!ret)
			ret = look_dispatch(&x);
		if (!ret) {
			moved = 1;
			if (job->wake)
				ret = lead_wake(&x, job->wake);
			else if (job->memory)
				ret = do_work(&x, job->stop, job->memory,
					      header);
			else
				unmap_memory(&x, job->stop->base, job->bytes);
		}
		back = release_thread(&x, moved);
		job->stop->stall_ns = monotonic_ns() - x.began;
		attach_turns(x.tid, turn);
		if (back)
			return back;
	}
	return ret;
}

bool attach_thread_dispatched(const struct attach_job *job)
{
	struct tracee x = { .t = job->t, .tid = job->stop->tid };
	int ret = seize_thread(&x);

	if (!ret) {
		ret = look_dispatch(&x);
		do_trace(PTRACE_DETACH, x.tid, NULL, NULL);
	}
	return ret == -ENOSYS;
}

int attach_thread_look(const struct attach_job *job)
{
	struct tracee x = { .t = job->t, .tid = job->stop->tid };
	struct user_regs_struct regs;
	int ret = seize_thread(&x);

	if (ret)
		return ret;
	ret = (int)do_trace(PTRACE_GETREGS, x.tid, NULL, &regs);
	do_trace(PTRACE_DETACH, x.tid, NULL, NULL);
	*job->sp = regs.rsp;
	*job->pc = regs.rip;
	return ret;
}

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
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

#include "base/base.h"
#include "buffers/layout.h"
#include "command/attach/steps.h"
#include "command/common/monotonic.h"
#include "command/procfs/process.h"
#include "command/procfs/threads.h"

#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif
#define STOP_WAIT_MS	2000
/* For each of all threads: those that have stopped wait for it. */
#define CROWD_WAIT_MS	100
#define ATTACH_CROWD_MAX 1024
#define SEIZE_TRIES	3
#define SAFE_TRIES	2000
#define SAFE_PAUSE_NS	1000000
#define MAYBE_TRIES	200	/* then FORKING_MAYBE counts as no fork */
#define SIGSET_BYTES	8
#define SYSCALL_STOP	(SIGTRAP | 0x80)
#define ERESTARTNOHAND	514
#define CODE_64_BITS	0x33		/* cs of user space */
#define FLAGS_CLEARED	0x40500ull	/* AC, DF, TF: not for other code */
#define HEADER_SELF	16	/* as TCB_... in memory.c */
#define HEADER_MULTIPLE	24
#define SIGNAL_BIT(signal) (1ull << ((signal) - 1))
#define HELPER_FLAGS	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | \
			 CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS |     \
			 CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID |      \
			 CLONE_UNTRACED)

/* The helper blocks all signals but the two for setuid() and
 * pthread_cancel(). */
static const uint64_t helper_blocked = ~(3ull << 31);

/* The thread that is stopped. Not to be kept for another stop: the registers
 * are those of this one. */
struct tracee {
	struct attach_target *t;
	pid_t tid;
	struct user_regs_struct regs;	/* when it stopped */
	uint64_t mask;
	uint64_t began;			/* of the first stop, ns */
	uint64_t wait_ms;		/* for a stop */
	int tries;			/* how often it was stopped before */
	bool steps;			/* single steps work (SIGTRAP) */
	bool stepped;			/* it is in the stop of a step */
	bool led;			/* it continues by itself */
	bool again;			/* SIGSTOP came: send it afterwards */
};

/* Returns 0 or a negative errno, for requests that return nothing else. */
static int do_trace(int request, pid_t tid, void *address, void *data)
{
	return ptrace(request, tid, address, data) ? -errno : 0;
}

/* Waits for a stop or the end of the thread. SIGCHLD is blocked. Returns 0 and
 * the status of the stop; -ESRCH: it has ended; -ETIMEDOUT; or waitpid()'s
 * negative errno. */
static int wait_stop(const struct tracee *x, int *status)
{
	uint64_t end = monotonic_ns() + x->wait_ms * 1000000ull;
	struct timespec pause = { .tv_nsec = 20000000 };
	sigset_t child;
	pid_t pid;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	while (!(pid = waitpid(x->tid, status, __WALL | WNOHANG))) {
		if (monotonic_ns() > end)
			return -ETIMEDOUT;
		sigtimedwait(&child, NULL, &pause);
	}
	if (pid < 0)
		return -errno;
	return WIFSTOPPED(*status) ? 0 : -ESRCH;
}

/* Tells whether a SIGTRAP waits for the stopped thread, and is not blocked: of
 * a cc that it has executed, as a rule. */
static bool trap_waits(const struct tracee *x)
{
	struct __ptrace_peeksiginfo_args args = { .nr = 1 };
	siginfo_t info;
	uint64_t mask;

	if (do_trace(PTRACE_GETSIGMASK, x->tid, (void *)SIGSET_BYTES, &mask) ||
	    mask & SIGNAL_BIT(SIGTRAP))
		return false;
	while (ptrace(PTRACE_PEEKSIGINFO, x->tid, &args, &info) == 1) {
		if (info.si_signo == SIGTRAP)
			return true;
		args.off++;
	}
	return false;
}

/*
 * Waits for the stop that we ask for, while the thread runs or is in another
 * kind of stop; passes signals on to the thread. Returns -EBUSY for a thread
 * that a signal has stopped.
 *
 * A SIGTRAP that waits goes first, with the thread's own registers: in a call
 * for us, which cannot block it, it would be taken for the end of a step, and a
 * handler would look for the cc at our instruction.
 */
static int interrupt_thread(struct tracee *x, bool stopped)
{
	bool asked = true;
	long signal;
	int status;
	int ret = do_trace(PTRACE_INTERRUPT, x->tid, NULL, NULL);

	if (!ret && stopped)
		ret = do_trace(PTRACE_CONT, x->tid, NULL, NULL);
	while (!ret && !(ret = wait_stop(x, &status))) {
		if (!x->began)
			x->began = monotonic_ns();
		signal = WSTOPSIG(status);
		if (status >> 16 == PTRACE_EVENT_STOP) {
			if (signal != SIGTRAP)
				return -EBUSY;
			if (!trap_waits(x))
				return 0;
			/* a stop that is asked for comes before a signal */
			asked = false;
		} else if (!asked) {
			ret = do_trace(PTRACE_INTERRUPT, x->tid, NULL, NULL);
			asked = true;
		}
		if (status >> 16 || signal == SYSCALL_STOP)
			signal = 0;
		if (!ret)
			ret = do_trace(PTRACE_CONT, x->tid, NULL,
				       (void *)signal);
	}
	return ret;
}

/*
 * Has the stopped thread make one system call: `at` is the instruction. Returns
 * with the thread in the stop after the call: the step's, or with
 * PTRACE_SYSCALL the second one. Returns -EFAULT when the instruction cannot be
 * executed: the thread would repeat it without end.
 */
static int inject_call(struct tracee *x, uint64_t at, const long args[7],
		       int64_t *result)
{
	struct user_regs_struct regs = x->regs;
	int status, ret, stops = 0;

	regs.rip = at;
	regs.rax = (unsigned long)args[0];
	regs.orig_rax = -1ull;
	regs.rdi = (unsigned long)args[1];
	regs.rsi = (unsigned long)args[2];
	regs.rdx = (unsigned long)args[3];
	regs.r10 = (unsigned long)args[4];
	regs.r8 = (unsigned long)args[5];
	regs.r9 = (unsigned long)args[6];
	regs.eflags &= ~FLAGS_CLEARED;
	x->stepped = false;
	ret = do_trace(PTRACE_SETREGS, x->tid, NULL, &regs);
	while (!ret && stops < 2 && !x->stepped) {
		ret = do_trace(x->steps ? PTRACE_SINGLESTEP : PTRACE_SYSCALL,
			       x->tid, NULL, NULL);
		if (!ret)
			ret = wait_stop(x, &status);
		if (ret)
			break;
		if (WSTOPSIG(status) == SYSCALL_STOP) {
			stops++;
			continue;
		}
		if (status >> 16)
			continue;
		switch (WSTOPSIG(status)) {
		case SIGSEGV:
		case SIGBUS:
		case SIGILL:
		case SIGFPE:
			ret = -EFAULT;
			break;
		case SIGTRAP:
			x->stepped = x->steps;
			break;
		case SIGSTOP:
			x->again = true;
			break;
		}
	}
	if (!ret)
		ret = do_trace(PTRACE_GETREGS, x->tid, NULL, &regs);
	*result = (int64_t)regs.rax;
	return ret;
}

/* Returns true for an address in the module's code; a module may be NULL. */
static bool is_inside(const struct attach_module *m, uint64_t address)
{
	return m && address >= m->code && address < m->code_end;
}

/* Returns the thread's area for restartable sequences, or 0. It is the one that
 * libc or the program has registered; kernels before 5.13 do not tell, and then
 * it is libc's. */
static uint64_t sequence_area(const struct tracee *x)
{
	struct {
		uint64_t area;
		uint32_t size, signature, flags, pad;
	} told;

	if (ptrace(0x420f /* PTRACE_GET_RSEQ_CONFIGURATION */, x->tid,
		   (void *)sizeof(told), &told) >= 0)
		return told.area;
	return x->t->rseq_bytes ?
		       x->regs.fs_base + (uint64_t)x->t->rseq_offset : 0;
}

/* Returns true when the thread is in a restartable sequence: it would continue
 * in the middle of the sequence. */
static bool in_sequence(const struct tracee *x)
{
	const struct attach_target *t = x->t;
	uint64_t area = sequence_area(x), at;
	struct rseq_cs cs;

	if (!area ||
	    attach_read(t, area + offsetof(struct rseq, rseq_cs), &at,
			sizeof(at)) ||
	    !at || attach_read(t, at, &cs, sizeof(cs)))
		return false;
	return x->regs.rip - cs.start_ip < cs.post_commit_offset;
}

/* Returns true when a second thread may begin while this one is where it is: it
 * holds no lock that libc or the linker takes only with several threads. */
static bool stop_safe(const struct tracee *x,
		      const uint8_t header[ATTACH_HEADER_BYTES])
{
	static const unsigned long long memory_calls[] = {
		SYS_brk, SYS_mmap, SYS_munmap, SYS_mprotect, SYS_mremap,
		SYS_madvise,
	};
	const struct attach_target *t = x->t;
	enum attach_forking forking;
	uint32_t multiple;
	uint8_t single;

	memcpy(&multiple, header + HEADER_MULTIPLE, sizeof(multiple));
	if (!t->names.single || attach_read(t, t->names.single, &single, 1))
		single = !multiple;
	if (!single)
		return true;
	/* a fork that began with one thread takes no locks until it ends */
	forking = attach_forking_at(t, x->regs.rsp, x->regs.rip);
	if (forking > FORKING_MAYBE ||
	    (forking == FORKING_MAYBE && x->tries < MAYBE_TRIES))
		return false;
	if ((int64_t)x->regs.orig_rax < 0)
		return !is_inside(t->libc, x->regs.rip) &&
		       !is_inside(t->linker, x->regs.rip);
	/* malloc and the linker make these under a lock */
	for (size_t i = 0; i < ARRAY_SIZE(memory_calls); i++)
		if (x->regs.orig_rax == memory_calls[i])
			return false;
	return true;
}

/*
 * The stop has interrupted a wait although nothing happened: the kernel
 * restarts it. Not a wait with a time-out, which would begin anew; except on a
 * socket, where the time-out is a limit for a peer that is silent
 * (SO_RCVTIMEO), and programs do not expect EINTR. Nor do they in a thread that
 * blocks signals (`deaf`), so that waits longer there.
 */
static void wait_again(struct user_regs_struct *regs, bool deaf)
{
	bool again = deaf;

	if ((int64_t)regs->rax != -EINTR)
		return;
	switch ((long)regs->orig_rax) {
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
		again |= (int)regs->r10 == -1;
		break;
	case SYS_semtimedop:
		again |= !regs->r10;
		break;
	case SYS_rt_sigtimedwait:
		again |= !regs->rdx;
		break;
	case SYS_io_getevents:
		again |= !regs->r8;
		break;
	/* of a socket, or of inotify */
	case SYS_read:
	case SYS_readv:
	case SYS_write:
	case SYS_writev:
	case SYS_semop:
	case SYS_accept:
	case SYS_accept4:
	case SYS_connect:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_sendto:
	case SYS_sendmsg:
		again = true;
		break;
	/* what it has submitted before would be the result */
	case SYS_io_uring_enter:
	case SYS_epoll_pwait2:
		break;
	default:
		again = false;
	}
	if (again)
		regs->rax = -(uint64_t)ERESTARTNOHAND;
}

/*
 * Returns 0 when the thread may be used where it is now; -EAGAIN: not now;
 * -ENXIO: it is not a thread of libc; -ESTALE: another program was executed.
 * `header` gets the beginning of the control block; it is NULL for a job that
 * touches neither libc nor the locks of libc.
 */
static int look_at_thread(struct tracee *x, uint8_t *header)
{
	struct user_regs_struct *regs = &x->regs;
	uint64_t self;
	uint32_t tid;
	int ret = do_trace(PTRACE_GETREGS, x->tid, NULL, regs);

	if (!ret)
		ret = do_trace(PTRACE_GETSIGMASK, x->tid, (void *)SIGSET_BYTES,
			       &x->mask);
	if (ret)
		return ret;
	if (header && !attach_image_same(x->t, x->t->syscall))
		return -ESTALE;
	if (regs->cs != CODE_64_BITS)
		return -ENXIO;
	if (header) {
		if (attach_read(x->t, regs->fs_base, header,
				ATTACH_HEADER_BYTES) ||
		    attach_read(x->t, regs->fs_base + x->t->at_tid, &tid, 4))
			return -ENXIO;
		memcpy(&self, header + HEADER_SELF, sizeof(self));
		if (self != regs->fs_base || !tid)
			return -ENXIO;
	}
	if (in_sequence(x) || (header && !stop_safe(x, header)))
		return -EAGAIN;
	wait_again(regs, false);
	return 0;
}

/*
 * Leads the stopped thread to the agent's code that makes the service thread.
 * The code then restores this thread from a frame on the stack, without us.
 * Returns -ESTALE when this is not the program of which the command has read
 * the page: the process may have executed another one before the stop.
 */
static int lead_wake(struct tracee *x, const struct attach_wake *wake)
{
	struct user_regs_struct regs = x->regs;
	uint64_t frame[WAKE_WORDS] = { 0 };
	uint8_t uuid[sizeof(wake->uuid)];
	int ret;

	if (!attach_image_same(x->t, wake->owner.page) ||
	    attach_read(x->t, wake->owner.page +
			offsetof(struct process_page, uuid), uuid,
			sizeof(uuid)) ||
	    memcmp(uuid, wake->uuid, sizeof(uuid)))
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
	regs.eflags &= ~FLAGS_CLEARED;
	ret = attach_write(x->t, regs.rsp, frame, sizeof(frame));
	if (!ret)
		ret = do_trace(PTRACE_SETREGS, x->tid, NULL, &regs);
	x->led = !ret;
	return ret;
}

/*
 * Seizes and stops the thread. If it does not stop, it stays traced until our
 * thread ends. Returns 0, or a negative errno: -EALREADY it has another tracer.
 * The kernel says -EPERM then, too, and that tracer may have gone when one
 * looks.
 */
static int seize_thread(struct tracee *x)
{
	int ret = -EPERM;

	for (int i = 0; i < SEIZE_TRIES && ret == -EPERM; i++) {
		ret = do_trace(PTRACE_SEIZE, x->tid, NULL,
			       (void *)PTRACE_O_TRACESYSGOOD);
		if (ret == -EPERM && process_status(x->tid, "TracerPid") > 0)
			ret = -EALREADY;
	}
	if (ret)
		return ret;
	ret = interrupt_thread(x, false);
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

/* Blocks signals of the stopped thread while it makes calls for us: one that
 * came in between would be taken from it. */
static int block_signals(const struct tracee *x)
{
	uint64_t mask = ~SIGNAL_BIT(SIGTRAP);

	return do_trace(PTRACE_SETSIGMASK, x->tid, (void *)SIGSET_BYTES, &mask);
}

/* Has the thread unmap the memory; nothing if there is none. */
static void unmap_memory(struct tracee *x, uint64_t base, size_t bytes)
{
	const long call[7] = { SYS_munmap, (long)base, (long)bytes };
	int64_t result;

	if (base)
		inject_call(x, x->t->syscall, call, &result);
}

/*
 * Has the thread map the memory: with all rights, for one call less while the
 * thread stands. A process may forbid itself memory that was writable before it
 * is executable (prctl(2), PR_SET_MDWE): there the code is never writable, and
 * ptrace(2) writes it. Returns 0 and stop->base; or a negative errno, and
 * nothing stays in the process.
 */
static int map_memory(struct tracee *x, struct attach_stop *stop,
		      const struct attach_memory *memory, size_t *placed)
{
	long map[7] = { SYS_mmap, 0, (long)memory->size,
			PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0 };
	long protect[7] = { SYS_mprotect, 0,
			    (long)(memory->size - ATTACH_CODE_BYTES),
			    PROT_READ | PROT_WRITE };
	int64_t result;
	int ret = inject_call(x, x->t->syscall, map, &result);

	*placed = 0;
	if (!ret && result == -EACCES) {
		*placed = ATTACH_CODE_BYTES;
		map[3] = PROT_READ | PROT_EXEC;
		ret = inject_call(x, x->t->syscall, map, &result);
	}
	if (!ret && result < 0 && result > -4096)
		ret = (int)result;
	if (ret || !*placed) {
		stop->base = ret ? 0 : (uint64_t)result;
		return ret;
	}
	stop->base = (uint64_t)result;
	protect[1] = (long)(stop->base + ATTACH_CODE_BYTES);
	ret = inject_call(x, x->t->syscall, protect, &result);
	if (!ret)
		ret = (int)result;
	for (size_t at = 0; !ret && at < ATTACH_CODE_BYTES;
	     at += sizeof(long)) {
		long word;

		memcpy(&word, memory->bytes + at, sizeof(word));
		ret = word ? do_trace(PTRACE_POKEDATA, x->tid,
				      (void *)(stop->base + at),
				      (void *)word) : 0;
	}
	if (ret)
		unmap_memory(x, stop->base, memory->size);
	return ret;
}

/*
 * Makes the memory and the helper, with the thread stopped. Returns 0, or a
 * negative errno, and nothing stays in the process: -EUSERS it can make no
 * thread, for which a later try is no remedy.
 */
static int do_work(struct tracee *x, struct attach_stop *stop,
		   struct attach_memory *memory, const uint8_t *header)
{
	uint32_t multiple, one = 1;
	size_t placed;
	int64_t result;
	uint64_t tp;
	int ret = block_signals(x);

	if (!ret)
		ret = map_memory(x, stop, memory, &placed);
	if (ret)
		return ret;
	memory->block->helper_mask = helper_blocked;
	ret = attach_memory_place(memory, x->t, stop->base, header, placed);
	/* older versions of libc keep it in the control block, too, that there
	 * is a second thread */
	memcpy(&multiple, header + HEADER_MULTIPLE, sizeof(multiple));
	if (!ret && !multiple)
		attach_write(x->t, x->regs.fs_base + HEADER_MULTIPLE, &one,
			     sizeof(one));
	if (!ret) {
		tp = stop->base + memory->thread_pointer;
		ret = inject_call(x, stop->base, (const long[7]){
			SYS_clone, HELPER_FLAGS,
			(long)(stop->base + memory->stack_top),
			(long)(tp + x->t->at_tid),
			(long)(stop->base + ATTACH_CODE_BYTES + ATTACH_HELPER),
			(long)tp }, &result);
		if (!ret && result < 0)
			ret = result == -EAGAIN ? -EUSERS : (int)result;
	}
	if (ret)
		unmap_memory(x, stop->base, memory->size);
	return ret;
}

int attach_thread_work(const struct attach_job *job)
{
	struct timespec pause = { .tv_nsec = SAFE_PAUSE_NS };
	uint8_t header[ATTACH_HEADER_BYTES];
	bool steps = job->memory &&
		     !attach_signal_in(job->t->pid, job->t->pid, "SigIgn",
				       SIGTRAP);
	bool moved = false;
	int ret = -EAGAIN;

	for (int i = 0; i < SAFE_TRIES && ret == -EAGAIN && !moved; i++) {
		struct tracee x = { .t = job->t, .tid = job->stop->tid,
				    .wait_ms = STOP_WAIT_MS, .tries = i,
				    .steps = steps };
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
		ret = look_at_thread(&x, job->wake ? NULL : header);
		if (!ret)
			ret = look_dispatch(&x);
		moved = !ret;
		if (moved && job->wake)
			ret = lead_wake(&x, job->wake);
		else if (moved && job->memory)
			ret = do_work(&x, job->stop, job->memory, header);
		else if (moved && !(ret = block_signals(&x)))
			unmap_memory(&x, job->stop->base, job->bytes);
		/* a thread that is restarted in a system call goes on from a
		 * stop in which the kernel looks for signals */
		back = moved && !x.led && !x.stepped &&
		       (int64_t)x.regs.orig_rax >= 0 ?
			       interrupt_thread(&x, true) : 0;
		if (back != -ESRCH && !x.led)
			back = do_trace(PTRACE_SETREGS, x.tid, NULL, &x.regs);
		if (!back && !x.led)
			back = do_trace(PTRACE_SETSIGMASK, x.tid,
					(void *)SIGSET_BYTES, &x.mask);
		do_trace(PTRACE_DETACH, x.tid, NULL, NULL);
		if (x.again)
			kill(job->t->pid, SIGSTOP);
		job->stop->stall_ns = monotonic_ns() - x.began;
		attach_turns(x.tid, turn);
		if (back)
			return back;
	}
	return ret;
}

/* The threads of a process that are stopped together. */
struct crowd {
	struct tracee threads[ATTACH_CROWD_MAX];
	size_t n;
};

/* Stops a thread of the list. Returns 1; 0: it is stopped already, or has
 * exited; or a negative errno: -EAGAIN it waits for a child of vfork(2) or for
 * a disk, and the others must not wait for that. */
static int crowd_add(struct crowd *crowd, struct attach_target *t, pid_t tid)
{
	struct tracee *x = &crowd->threads[crowd->n];
	int ret;

	for (size_t i = 0; i < crowd->n; i++)
		if (crowd->threads[i].tid == tid)
			return 0;
	if (attach_thread_worker(t->pid, tid))
		return 0;
	if (crowd->n == ATTACH_CROWD_MAX)
		return -E2BIG;
	if (attach_thread_blocked(t->pid, tid))
		return -EAGAIN;
	*x = (struct tracee){ .t = t, .tid = tid, .wait_ms = CROWD_WAIT_MS };
	ret = seize_thread(x);
	if (ret == -ETIMEDOUT)
		return -EAGAIN;
	if (!ret)
		ret = do_trace(PTRACE_GETREGS, tid, NULL, &x->regs);
	if (ret == -ESRCH)
		return 0;
	crowd->n += !ret;
	return ret ? ret : 1;
}

/* Stops all threads: until a look at the list shows no other one. */
static int crowd_stop(struct crowd *crowd, struct attach_target *t)
{
	int ret = 0, came = 1;
	DIR *list;
	pid_t tid;

	while (came && ret >= 0) {
		came = 0;
		list = threads_open(t->pid);
		if (!list)
			return -ESRCH;
		while (ret >= 0 && (tid = threads_next(list))) {
			ret = crowd_add(crowd, t, tid);
			came |= ret > 0;
		}
		threads_close(list);
	}
	return ret < 0 ? ret : 0;
}

int attach_threads_prove(const struct attach_job *job)
{
	struct crowd *crowd = calloc(1, sizeof(*crowd));
	int ret = crowd ? crowd_stop(crowd, job->t) : -ENOMEM;

	for (size_t i = 0; crowd && !ret && i < crowd->n; i++)
		ret = attach_proof_thread(job->proof, crowd->threads[i].tid,
					  &crowd->threads[i].regs,
					  sequence_area(&crowd->threads[i]));
	if (!ret)
		ret = attach_proof_memory(job->proof);
	for (size_t i = 0; crowd && i < crowd->n; i++) {
		struct tracee *x = &crowd->threads[i];

		wait_again(&x->regs, false);
		do_trace(PTRACE_SETREGS, x->tid, NULL, &x->regs);
		do_trace(PTRACE_DETACH, x->tid, NULL, NULL);
	}
	free(crowd);
	return ret;
}

int attach_threads_unblock(const struct attach_job *job)
{
	pid_t pid = job->t->pid, tid;
	DIR *list = threads_open(pid);
	int ret = 0, error, changed = 0;
	uint64_t turn, blocked = 0;

	while ((tid = threads_next(list))) {
		struct tracee x = { .t = job->t, .tid = tid,
				    .wait_ms = STOP_WAIT_MS };

		if (!attach_thread_blocks_traps(pid, tid) ||
		    attach_thread_worker(pid, tid) ||
		    attach_thread_blocked(pid, tid))
			continue;
		turn = attach_turns(tid, ATTACH_TURN_NS);
		error = seize_thread(&x);
		if (!error) {
			error = do_trace(PTRACE_GETREGS, tid, NULL, &x.regs);
			if (!error)
				error = do_trace(PTRACE_GETSIGMASK, tid,
						 (void *)SIGSET_BYTES, &x.mask);
			blocked = x.mask & SIGNAL_BIT(SIGTRAP);
			x.mask &= ~SIGNAL_BIT(SIGTRAP);
			/* a wait with a mask of its own begins again, and sets
			 * that anew */
			if (!error)
				error = do_trace(PTRACE_SETSIGMASK, tid,
						 (void *)SIGSET_BYTES, &x.mask);
			wait_again(&x.regs, true);
			if (!error)
				error = do_trace(PTRACE_SETREGS, tid, NULL,
						 &x.regs);
			do_trace(PTRACE_DETACH, tid, NULL, NULL);
		}
		attach_turns(tid, turn);
		changed += !error && blocked;
		/* one that has ended blocks nothing */
		if (error != -ESRCH && !ret)
			ret = error;
	}
	threads_close(list);
	return changed ? changed : ret;
}

int attach_thread_look(const struct attach_job *job)
{
	struct tracee x = { .t = job->t, .tid = job->stop->tid,
			    .wait_ms = STOP_WAIT_MS };
	int ret = seize_thread(&x);

	if (ret)
		return ret;
	if (job->sp) {
		ret = do_trace(PTRACE_GETREGS, x.tid, NULL, &x.regs);
		*job->sp = x.regs.rsp;
		*job->pc = x.regs.rip;
	} else {
		ret = look_dispatch(&x);
	}
	do_trace(PTRACE_DETACH, x.tid, NULL, NULL);
	return ret;
}

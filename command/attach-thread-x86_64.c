/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The one thread that is stopped, for as long as two system calls take:
 * memory, and the clone(2) that makes the helper. It is led to
 * a `syscall` instruction and back; nothing is written to its stack, its code
 * or its registers' place in memory, and no function of the program's runs in
 * it. So it does not matter which locks it holds.
 *
 * What must stay true:
 *  - it is led back in a stop of the kernel's signal handling, where a system
 *    call that the stop interrupted is begun again by the kernel;
 *  - all signals are blocked in it meanwhile, and the helper inherits that;
 *  - a signal that comes before that is handed on.
 *
 * libc leaves out locked instructions in a process of one thread. So that
 * thread is taken only where it is not in libc or in the linker, or in a system
 * call that they do not make under a lock: from then on there is another.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <linux/rseq.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/attach-private.h"
#include "command/process-markers.h"

#define STOP_WAIT_MS	2000
#define SAFE_TRIES	2000
#define SAFE_PAUSE_NS	1000000
#define MAYBE_TRIES	200	/* then it is no fork that seems one */
#define THREADS_MAX	64
#define SHORT_TURN_NS	100000
#define SIGSET_BYTES	8
#define SYSCALL_STOP	(SIGTRAP | 0x80)
#define ERESTARTNOHAND	514
#define HELPER_FLAGS	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | \
			 CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS |     \
			 CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID |      \
			 CLONE_UNTRACED)

/* All but the two that setuid() and pthread_cancel() need. */
static const uint64_t blocked = ~(3ull << 31);

struct tracee {
	struct attach_target *t;
	pid_t tid;
	struct user_regs_struct regs;	/* when it stopped */
	uint64_t mask;
	uint64_t began;			/* of the first stop, ns */
	int tries;			/* how often it was stopped before */
	int again;			/* SIGSTOP came: send it after */
};

static long trace(int request, pid_t tid, void *address, void *data)
{
	return ptrace(request, tid, address, data) ? -errno : 0;
}

/* Waits for a stop or the end of the thread. SIGCHLD is blocked. */
static int wait_stop(pid_t tid, int *status)
{
	uint64_t end = attach_now_ns() + STOP_WAIT_MS * 1000000ull;
	struct timespec pause = { .tv_nsec = 20000000 };
	sigset_t child;
	pid_t pid;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	while (!(pid = waitpid(tid, status, __WALL | WNOHANG))) {
		if (attach_now_ns() > end)
			return -ETIMEDOUT;
		sigtimedwait(&child, NULL, &pause);
	}
	if (pid < 0)
		return -errno;
	return WIFSTOPPED(*status) ? 0 : -ESRCH;
}

/* Until the stop that we ask for, from a run or from another kind of stop:
 * signals go on to the thread. */
static int interrupt(struct tracee *x, int stopped)
{
	int status;
	int ret = (int)trace(PTRACE_INTERRUPT, x->tid, NULL, NULL);

	if (!ret && stopped)
		ret = (int)trace(PTRACE_CONT, x->tid, NULL, NULL);
	while (!ret && !(ret = wait_stop(x->tid, &status))) {
		if (!x->began)
			x->began = attach_now_ns();
		if (status >> 16 == PTRACE_EVENT_STOP)
			return WSTOPSIG(status) == SIGTRAP ? 0 : -EBUSY;
		ret = (int)trace(PTRACE_CONT, x->tid, NULL,
				 (void *)(long)(status >> 16 ||
						WSTOPSIG(status) ==
						SYSCALL_STOP ? 0 :
						WSTOPSIG(status)));
	}
	return ret;
}

/* One system call, in the thread: `at` is the instruction. From any stop to
 * the one behind the call. */
static int inject(struct tracee *x, uint64_t at, const long args[7],
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
	regs.eflags &= ~0x40500ull;	/* AC, DF, TF */
	ret = (int)trace(PTRACE_SETREGS, x->tid, NULL, &regs);
	while (!ret && stops < 2) {
		ret = (int)trace(PTRACE_SYSCALL, x->tid, NULL, NULL);
		if (!ret)
			ret = wait_stop(x->tid, &status);
		if (!ret && WSTOPSIG(status) == SYSCALL_STOP)
			stops++;
		else if (!ret && !(status >> 16))
			x->again |= WSTOPSIG(status) == SIGSTOP;
	}
	if (!ret)
		ret = (int)trace(PTRACE_GETREGS, x->tid, NULL, &regs);
	*result = (int64_t)regs.rax;
	return ret;
}

/* Leads it back to where it was, and lets it go; if that was in a system call,
 * from the kind of stop in which the kernel begins it again. */
static int let_go(struct tracee *x, int moved)
{
	int ret = moved && (int64_t)x->regs.orig_rax >= 0 ?
		  interrupt(x, 1) : 0;

	if (ret != -ESRCH)
		ret = (int)trace(PTRACE_SETREGS, x->tid, NULL, &x->regs);
	if (!ret)
		ret = (int)trace(PTRACE_SETSIGMASK, x->tid,
				 (void *)SIGSET_BYTES, &x->mask);
	trace(PTRACE_DETACH, x->tid, NULL, NULL);
	if (x->again)
		kill(x->t->pid, SIGSTOP);
	return ret;
}

/* A wait without end that a stop cuts short, although nothing happened: the
 * kernel shall begin it again. */
static void mend_wait(struct user_regs_struct *regs)
{
	if ((int64_t)regs->rax == -EINTR &&
	    (regs->orig_rax == SYS_epoll_wait ||
	     regs->orig_rax == SYS_epoll_pwait) && (int)regs->r10 == -1)
		regs->rax = -(uint64_t)ERESTARTNOHAND;
}

static bool inside(const struct attach_module *m, uint64_t address)
{
	return m && address >= m->code && address < m->code_end;
}

/* Calls that malloc and the linker make while they hold what others want. */
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

/* Is it in a restartable sequence? It would go on in the middle of it. */
static bool in_sequence(const struct tracee *x)
{
	const struct attach_target *t = x->t;
	struct rseq_cs cs;
	uint64_t at;

	if (!t->rseq_bytes ||
	    attach_read(t, x->regs.fs_base + (uint64_t)t->rseq_offset +
			offsetof(struct rseq, rseq_cs), &at, sizeof(at)) ||
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
	/* a fork that has begun here does without locks to its end */
	forking = attach_forking_at(t, x->regs.rsp, x->regs.rip);
	if (forking > FORKING_MAYBE ||
	    (forking == FORKING_MAYBE && x->tries < MAYBE_TRIES))
		return false;
	if ((int64_t)x->regs.orig_rax >= 0)
		return !memory_call(x->regs.orig_rax);
	return !inside(t->libc, x->regs.rip) &&
	       !inside(t->linker, x->regs.rip);
}

/* 0, -EAGAIN: not here, not now; -ENXIO: not a thread of libc's. */
static int look(struct tracee *x, uint8_t header[ATTACH_HEADER_BYTES])
{
	uint64_t self;
	uint32_t tid;
	int ret = (int)trace(PTRACE_GETREGS, x->tid, NULL, &x->regs);

	if (!ret)
		ret = (int)trace(PTRACE_GETSIGMASK, x->tid,
				 (void *)SIGSET_BYTES, &x->mask);
	if (ret)
		return ret;
	if (attach_read(x->t, x->regs.fs_base, header, ATTACH_HEADER_BYTES) ||
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

/*
 * Kernels from 6.12 let who asks for short turns have them soon (EEVDF), which
 * is what a stop takes that is made of many short ones. Others do not look at
 * it. Its nice value stays, so that no rights are needed.
 */
static void turns(pid_t tid, uint64_t ns)
{
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} attr = { 0 };

	if (syscall(SYS_sched_getattr, tid, &attr, sizeof(attr), 0) ||
	    attr.policy != SCHED_OTHER)
		return;
	attr.size = sizeof(attr);
	attr.runtime = ns;
	syscall(SYS_sched_setattr, tid, &attr, 0);
}

/* One that does not stop stays ours until our thread ends. */
static int seize(struct tracee *x)
{
	int ret = (int)trace(PTRACE_SEIZE, x->tid, NULL,
			     (void *)PTRACE_O_TRACESYSGOOD);

	if (ret)
		return ret;
	ret = interrupt(x, 0);
	if (ret)
		trace(PTRACE_DETACH, x->tid, NULL, NULL);
	return ret;
}

static int make_memory(struct tracee *x, struct attach_memory *memory,
		       const uint8_t *header, uint64_t *base)
{
	const long map[7] = { SYS_mmap, 0, (long)memory->size,
			      PROT_READ | PROT_WRITE | PROT_EXEC,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0 };
	int64_t result;
	int ret = inject(x, x->t->syscall, map, &result);

	if (ret)
		return ret;
	if (result < 0 && result > -4096)
		return (int)result;
	*base = (uint64_t)result;
	return attach_memory_place(memory, x->t, *base, header);
}

static int make_helper(struct tracee *x, const struct attach_memory *memory,
		       uint64_t base)
{
	uint64_t tp = base + memory->thread_pointer;
	const long clone[7] = {
		SYS_clone, HELPER_FLAGS, (long)(base + memory->stack_top),
		(long)(tp + x->t->at_tid),
		(long)(base + ATTACH_CODE_BYTES + ATTACH_HELPER), (long)tp, 0,
	};
	int64_t result;
	int ret = inject(x, base, clone, &result);

	if (ret)
		return ret;
	return result < 0 ? (int)result : 0;
}

/* libc has not known of a second thread yet; older ones keep it here, too. */
static void tell_threads(const struct tracee *x, const uint8_t *header)
{
	uint32_t multiple, one = 1;

	memcpy(&multiple, header + 24, sizeof(multiple));
	if (!multiple)
		attach_write(x->t, x->regs.fs_base + 24, &one, sizeof(one));
}

static void unmap(struct tracee *x, uint64_t base, size_t bytes)
{
	const long call[7] = { SYS_munmap, (long)base, (long)bytes };
	int64_t result;

	if (base)
		inject(x, x->t->syscall, call, &result);
}

/* In the stop. */
static int do_work(struct tracee *x, struct attach_stop *stop,
		   struct attach_memory *memory, const uint8_t *header)
{
	uint64_t mask = blocked;
	int ret = (int)trace(PTRACE_SETSIGMASK, x->tid, (void *)SIGSET_BYTES,
			     &mask);

	if (ret)
		return ret;
	ret = make_memory(x, memory, header, &stop->base);
	if (!ret) {
		tell_threads(x, header);
		ret = make_helper(x, memory, stop->base);
	}
	if (ret)
		unmap(x, stop->base, memory->size);
	return ret;
}

struct job {
	struct attach_target *t;
	struct attach_stop *stop;
	struct attach_memory *memory;	/* or NULL: */
	size_t bytes;			/* to unmap at stop->base */
	struct user_regs_struct *regs;	/* not NULL: only to be seen */
	int ret;
};

/* Stops the thread where that is safe, and does the job. */
static int stop_thread(const struct job *job)
{
	struct timespec pause = { .tv_nsec = SAFE_PAUSE_NS };
	uint8_t header[ATTACH_HEADER_BYTES];
	int ret = -EAGAIN;

	for (int i = 0; i < SAFE_TRIES && ret == -EAGAIN; i++) {
		struct tracee x = { .t = job->t, .tid = job->stop->tid,
				    .tries = i };
		int moved = 0, back;

		if (i)
			nanosleep(&pause, NULL);
		turns(x.tid, SHORT_TURN_NS);
		ret = seize(&x);
		if (ret)
			return ret;
		ret = look(&x, header);
		if (!ret) {
			moved = 1;
			if (job->memory)
				ret = do_work(&x, job->stop, job->memory,
					      header);
			else
				unmap(&x, job->stop->base, job->bytes);
		}
		back = let_go(&x, moved);
		job->stop->stall_ns = attach_now_ns() - x.began;
		turns(x.tid, 0);
		if (back)
			return back;
	}
	return ret;
}

static int stop_look(const struct job *job)
{
	struct tracee x = { .t = job->t, .tid = job->stop->tid };
	int ret = seize(&x);

	if (ret)
		return ret;
	ret = (int)trace(PTRACE_GETREGS, x.tid, NULL, job->regs);
	trace(PTRACE_DETACH, x.tid, NULL, NULL);
	return ret;
}

/* How gladly a thread is taken: 0 best, -1 not at all. */
static int rank(pid_t pid, pid_t tid)
{
	static const int waits[] = {
		SYS_futex, SYS_nanosleep, SYS_clock_nanosleep, SYS_poll,
		SYS_ppoll, SYS_select, SYS_pselect6, SYS_wait4, SYS_waitid,
		SYS_read, SYS_pause,
	};
	char path[64], text[256] = "", *p;
	FILE *f;
	int number;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	f = fopen(path, "re");
	if (f) {
		if (!fgets(text, sizeof(text), f))
			text[0] = '\0';
		fclose(f);
	}
	p = strrchr(text, ')');
	if (!p || strchr("ZXD", p[2]))
		return -1;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", pid, tid);
	f = fopen(path, "re");
	if (!f)
		return 2;
	number = -1;
	if (fscanf(f, "%d", &number) != 1)
		number = -2;
	fclose(f);
	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++)
		if (waits[i] == number)
			return 0;
	return number < 0 ? 1 : 2;
}

/* The threads, the best first. */
static int list_threads(pid_t pid, pid_t tids[THREADS_MAX])
{
	pid_t found[3][THREADS_MAX];
	int n[3] = { 0 }, total = 0;
	struct dirent *entry;
	char path[32];
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks))) {
		pid_t tid = atoi(entry->d_name);
		int r = tid > 0 ? rank(pid, tid) : -1;

		if (r >= 0 && n[r] < THREADS_MAX)
			found[r][n[r]++] = tid;
	}
	if (tasks)
		closedir(tasks);
	for (int r = 0; r < 3; r++)
		for (int i = 0; i < n[r] && total < THREADS_MAX; i++)
			tids[total++] = found[r][i];
	return total;
}

static int why_not(const struct attach_target *t, int ret)
{
	if (ret == -ESRCH || ret == -ECHILD)
		return attach_fact(t, -ESRCH, "process %d has ended", t->pid);
	if (ret == -EBUSY)
		return attach_fact(t, ret, "process %d is stopped: let it go "
				   "on (SIGCONT) first", t->pid);
	if (ret == -EAGAIN)
		return attach_fact(t, ret, "the only thread of process %d "
				   "does not leave libc", t->pid);
	if (ret == -EPERM && process_status(t->pid, "TracerPid") > 0)
		return attach_fact(t, -EBUSY, "process %d is traced by "
				   "process %ld", t->pid,
				   process_status(t->pid, "TracerPid"));
	if (ret == -ENXIO || ret == -ETIMEDOUT)
		return attach_fact(t, ret, "no thread of process %d can be "
				   "stopped now", t->pid);
	return attach_fact(t, ret, "process %d: %s", t->pid, strerror(-ret));
}

/* A thread of ours: when it ends, the kernel lets go of all that it traces. */
static void *tracer(void *arg)
{
	struct job *job = arg;
	pid_t tids[THREADS_MAX];
	int n = job->regs ? 0 : list_threads(job->t->pid, tids);

	turns(0, SHORT_TURN_NS);
	if (job->regs) {
		job->ret = stop_look(job);
		return NULL;
	}
	job->ret = -ESRCH;
	for (int i = 0; i < n; i++) {
		job->stop->tid = tids[i];
		job->ret = stop_thread(job);
		/* that thread went, is nobody's, or sleeps: another */
		if (job->ret != -ESRCH && job->ret != -ENXIO &&
		    job->ret != -ETIMEDOUT)
			break;
	}
	return NULL;
}

static int run_job(struct job *job)
{
	const struct sigaction normal = { .sa_handler = SIG_DFL };
	struct sigaction child;
	sigset_t all, before;
	pthread_t thread;
	int ret;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	sigaction(SIGCHLD, &normal, &child);
	ret = -pthread_create(&thread, NULL, tracer, job);
	if (!ret) {
		pthread_join(thread, NULL);
		ret = job->ret;
	}
	sigaction(SIGCHLD, &child, NULL);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ret;
}

int attach_stop_run(struct attach_stop *stop, struct attach_target *t,
		    struct attach_memory *memory)
{
	struct job job = { .t = t, .stop = stop, .memory = memory };
	int ret = run_job(&job);

	return ret ? why_not(t, ret) : 0;
}

int attach_stop_unmap(struct attach_target *t, uint64_t base, size_t bytes)
{
	struct attach_stop stop = { .base = base };
	struct job job = { .t = t, .stop = &stop, .bytes = bytes };
	int ret = run_job(&job);

	return ret ? why_not(t, ret) : 0;
}

int attach_stop_look(struct attach_target *t, pid_t tid, uint64_t *sp,
		     uint64_t *pc)
{
	struct user_regs_struct regs;
	struct attach_stop stop = { .tid = tid };
	struct job job = { .t = t, .stop = &stop, .regs = &regs };
	int ret = run_job(&job);

	if (!ret) {
		*sp = regs.rsp;
		*pc = regs.rip;
	}
	return ret;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Chooses the thread to stop, and stops it from a short-lived child of this
 * command, which shares its memory: when the child ends, whatever happens, the
 * kernel releases the traced thread.
 *
 * Invariants:
 *  - all signals are blocked while a thread of the process is stopped, so no
 *    signal ends the child before it has let the thread go;
 *  - SIGKILL, which cannot be blocked, ends the command and not the child,
 *    which finishes the stop. A thread that was let go in the middle of a
 *    system call of ours would end its program.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "command/attach/steps.h"
#include "command/procfs/process.h"
#include "command/procfs/rlimits.h"

#ifndef SYS_close_range
#define SYS_close_range	436
#endif
#define STACK_BYTES	(256u << 10)	/* of the child */

/* libc's: unit tests are linked with the agent's clone(), too. */
int __clone(int (*fn)(void *), void *stack, int flags, void *arg, ...);

long attach_filters(pid_t tid)
{
	long number = process_status(tid, "Seccomp_filters");

	/* Linux before 5.9 does not give the number */
	if (number >= 0)
		return number;
	return process_status(tid, "Seccomp") > 0 ? 1 : 0;
}

int attach_threadless(const struct attach_target *t, int error)
{
	char limits[160], memory[160];
	bool libc = error == -EAGAIN;

	if (error == -EINVAL && process_children_away(t->pid, "pid"))
		return attach_cause(t, error, THREAD_NAMESPACE);
	if (error == -EUSERS)
		error = -EAGAIN;
	process_limits(t->pid, -error, limits, sizeof(limits));
	process_limits(t->pid, ENOMEM, memory, sizeof(memory));
	/* pthread_create(3) returns EAGAIN for both: the limit that is met is
	 * the reason */
	if (*memory && (error == -ENOMEM || (libc && !*limits)))
		return attach_cause(t, error, THREAD_NO_MEMORY,
				    .limits = memory);
	return error == -EAGAIN ?
		       attach_cause(t, error, THREAD_LIMIT, .limits = limits) :
		       attach_cause(t, error, THREAD_REFUSED, .error = error);
}

/* Returns 0 for a job that was done; else says why no thread was stopped, or
 * did not do the job, and returns a negative errno for the caller's caller. */
static int job_result(const struct attach_target *t, int ret)
{
	static const struct {
		int error, told;
		enum cause_id id;
	} rows[] = {
		{ EBUSY, EBUSY, CAUSE_PROCESS_STOPPED },
		{ ECANCELED, EPERM, CAUSE_SERVICE_FILTERED },
		{ EDEADLK, EDEADLK, CAUSE_THREAD_DEADLINE },
		{ EAGAIN, EAGAIN, CAUSE_THREAD_IN_LIBC },
		{ ESTALE, ESTALE, CAUSE_PROCESS_EXECUTES },
		{ ENOSYS, ENOSYS, CAUSE_THREAD_DISPATCHED },
		{ ENXIO, ENXIO, CAUSE_THREAD_BUSY },
		{ ETIMEDOUT, ETIMEDOUT, CAUSE_THREAD_BUSY },
	};
	long tracer;
	char path[32];

	if (!ret)
		return 0;
	if (ret == -ESRCH || ret == -ECHILD) {
		if (kill(t->pid, 0))
			return attach_cause(t, -ESRCH, PROCESS_ENDED);
		snprintf(path, sizeof(path), "/proc/%d/task", t->pid);
		if (!access(path, F_OK))
			return attach_cause(t, -EAGAIN, THREADS_CHANGE);
		process_missing(t->pid, t->cause);
		return -EAGAIN;
	}
	if (ret == -EUSERS || ret == -EINVAL || ret == -ENOMEM)
		return attach_threadless(t, ret);
	if (ret == -EALREADY) {
		/* the tracer may have gone meanwhile */
		tracer = process_status(t->pid, "TracerPid");
		return tracer > 0 ?
			       attach_cause(t, -EBUSY, PROCESS_TRACED,
					    .n = tracer) :
			       attach_cause(t, -EBUSY, PROCESS_WAS_TRACED);
	}
	if (ret == -ETIMEDOUT && attach_threads_blocked(t->pid))
		return attach_cause(t, -EINPROGRESS, THREADS_BLOCKED);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].error == -ret)
			return cause_fill(t->cause, -rows[i].told, rows[i].id,
					  &(struct cause_slots){
						  .pid = t->pid });
	return attach_cause(t, ret, THREAD_UNSTOPPED, .error = ret);
}

/* The tracer: when it ends, the kernel releases all that it traces. Leaves in
 * job->ret the result of the first thread that did the job or failed for good;
 * else why the last one was not used. */
static void *trace_threads(void *arg)
{
	struct attach_job *job = arg;
	const struct sched_param first = { .sched_priority = 1 };
	pid_t tids[ATTACH_THREADS_MAX];
	int n = job->look || job->proof || job->unblock ? 0 :
		attach_threads_list(job->t->pid, tids);
	bool dispatched = false;

	/* real-time priority for some microseconds; only root may */
	if (sched_setscheduler(0, SCHED_FIFO, &first))
		attach_turns(0, ATTACH_TURN_NS);
	if (job->proof) {
		job->ret = attach_threads_prove(job);
		return NULL;
	}
	if (job->unblock) {
		job->ret = attach_threads_unblock(job);
		return NULL;
	}
	job->ret = job->look ? attach_thread_look(job) : -ESRCH;
	for (int i = 0; i < n; i++) {
		int ret = 0;

		if (job->wake && attach_filters(tids[i]) > job->wake->most)
			ret = -ECANCELED;
		else if (job->wake && job->wake->first &&
			 tids[i] != job->t->pid &&
			 !attach_first_ended(job->t->pid))
			ret = -ENXIO;
		/* to unmap memory takes no thread */
		else if (!job->bytes && attach_thread_deadline(tids[i]))
			ret = -EDEADLK;
		/* the cause of an ordinary thread is told first */
		if (ret && (ret != -EDEADLK || job->ret == -ESRCH))
			job->ret = ret;
		if (ret)
			continue;
		job->stop->tid = tids[i];
		job->ret = attach_thread_work(job);
		/* the thread exited, is unknown to libc, or does not stop; or
		 * a handler would get its calls */
		if (job->ret == -ENOSYS && job->wake)
			dispatched = true;
		else if (job->ret != -ESRCH && job->ret != -ENXIO &&
			 job->ret != -ETIMEDOUT)
			return NULL;
	}
	if (dispatched)
		job->ret = -ENOSYS;
	return NULL;
}

/*
 * The same in a child. It leaves the command's session, so a SIGKILL for the
 * process group does not reach it, and has another name, for those that end
 * processes by name. The command's locks go with the command: the child keeps
 * only the turn (turns.c), so the next command waits for it.
 */
static int trace_apart(void *arg)
{
	const struct sigaction normal = { .sa_handler = SIG_DFL };
	struct attach_job *job = arg;
	int kept = job->t->image;

	setsid();
	prctl(PR_SET_NAME, "stopping");
	sigaction(SIGCHLD, &normal, NULL);
	if (kept > 0)
		syscall(SYS_close_range, 0u, (unsigned int)kept - 1, 0u);
	syscall(SYS_close_range, (unsigned int)(kept + 1), ~0u, 0u);
	trace_threads(job);
	_exit(0);
}

/* Has a child do the job. Returns false, and job->ret is of no use, if there is
 * none: of a process that is traced by right of descent (Yama), the child is no
 * ancestor. */
static bool job_apart(struct attach_job *job)
{
	char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	pid_t child = -1;

	job->ret = -ECHILD;
	if (stack == MAP_FAILED)
		return false;
	/* without a signal at its end; the command goes on after that */
	child = __clone(trace_apart, stack + STACK_BYTES,
			CLONE_VM | CLONE_VFORK, job);
	if (child > 0)
		waitpid(child, NULL, __WALL);
	munmap(stack, STACK_BYTES);
	return child > 0 && job->ret != -EPERM;
}

/* Returns job->ret, or a negative errno: no tracer can be made. */
static int run_job(struct attach_job *job)
{
	const struct sigaction normal = { .sa_handler = SIG_DFL };
	struct sigaction child;
	sigset_t all, before;
	pthread_t thread;
	int ret = 0;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	if (!job_apart(job)) {
		sigaction(SIGCHLD, &normal, &child);
		ret = -pthread_create(&thread, NULL, trace_threads, job);
		if (!ret)
			pthread_join(thread, NULL);
		sigaction(SIGCHLD, &child, NULL);
		/* the tracer may have taken a SIGCHLD of the command's child */
		kill(getpid(), SIGCHLD);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ret ? ret : job->ret;
}

int attach_stop_run(struct attach_stop *stop, struct attach_target *t,
		    struct attach_memory *memory)
{
	struct attach_job job = { .t = t, .stop = stop, .memory = memory };

	return job_result(t, run_job(&job));
}

int attach_stop_wake(struct attach_target *t, const struct attach_wake *wake)
{
	struct attach_stop stop = { 0 };
	struct attach_job job = { .t = t, .stop = &stop, .wake = wake };
	int ret = run_job(&job);

	/* nothing was called in the process that could be denied to that */
	if (ret == -EPERM)
		return attach_cause(t, ret, PTRACE_REFUSED, .error = ret);
	return job_result(t, ret);
}

int attach_stop_unmap(struct attach_target *t, uint64_t base, size_t bytes)
{
	struct attach_stop stop = { .base = base };
	struct attach_job job = { .t = t, .stop = &stop, .bytes = bytes };

	return job_result(t, run_job(&job));
}

int attach_stop_prove(struct attach_target *t, struct attach_proof *proof)
{
	struct attach_job job = { .t = t, .proof = proof };

	return run_job(&job);
}

int attach_unblock_traps(pid_t pid)
{
	struct attach_target t = { .pid = pid, .image = -1 };
	struct attach_job job = { .t = &t, .unblock = true };

	return run_job(&job);
}

bool attach_stop_dispatched(pid_t pid, pid_t tid)
{
	struct attach_target t = { .pid = pid };
	struct attach_stop stop = { .tid = tid };
	struct attach_job job = { .t = &t, .stop = &stop, .look = true };

	return run_job(&job) == -ENOSYS;
}

int attach_stop_look(struct attach_target *t, pid_t tid, uint64_t *sp,
		     uint64_t *pc)
{
	struct attach_stop stop = { .tid = tid };
	struct attach_job job = { .t = t, .stop = &stop, .sp = sp, .pc = pc,
				  .look = true };

	return run_job(&job);
}

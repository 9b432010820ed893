/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes the service thread of a process that has none. See client-private.h,
 * and buffers/wake.h for the part of the process.
 *
 * The command stops one thread for that (ptrace), for some microseconds. Where
 * it may not trace the process it sends a signal, if possible to a thread that
 * the handler does not disturb.
 *
 * Invariant: one command at a time makes the thread of a process, under the
 * lock (flock) on the process's directory. A signal is sent only to a process
 * that has the agent's handler for it, and offers to make the thread.
 */
#include "command/agents/client-private.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "command/attach/steps.h"
#include "command/common/limits.h"
#include "command/common/monotonic.h"
#include "command/procfs/process.h"
#include "command/procfs/rlimits.h"

#define CAME_WAIT_MS	2000
#define CAME_PAUSE_NS	100000
/* The agent's own code blocks all signals for moments. */
#define BLOCKED_WAIT_MS	500

/* One activation, made under the process's lock. */
struct call {
	const struct rundir_process *process;
	struct process_wake wake;	/* as read before it */
	struct attach_wake where;
	struct cause *cause; /* why there is no service thread */
	struct cause traced; /* why no thread was led, or none */
};

/* Reads the page of the newest image, all zeros where that fails: such a page
 * makes no offer. Returns `page`. */
static const struct process_page *
page_read(const struct rundir_process *process, struct process_page *page)
{
	memset(page, 0, sizeof(*page));
	rundir_read_process(process, process->image, page);
	return page;
}

/* Reads how the process gets a service thread. Returns the state. */
static uint32_t wake_read(const struct rundir_process *process,
			  struct process_wake *wake)
{
	struct process_page page;

	*wake = page_read(process, &page)->wake;
	return wake->state;
}

const char *activation_given_up(const struct rundir_process *process)
{
	struct process_page page;

	switch (page_read(process, &page)->denial) {
	case CAUSE_SESSION_LANDLOCKED:
		return "it has restricted itself (Landlock)";
	case CAUSE_SESSION_RESTRICTED:
		return "a security module restricts it (Landlock, for example)";
	case CAUSE_SESSION_USER_CHANGED:
		return "it has changed its user";
	case CAUSE_SESSION_ROOT_CHANGED:
		return "it has changed its root directory";
	}
	return NULL;
}

/* Says why the process could not make the service thread, by the errno in its
 * page. Returns `ret`, for a namespace -EINVAL. */
static int thread_refused(struct call *call, int ret, int error)
{
	pid_t pid = call->process->pid;
	char limits[CAUSE_LIMITS_BYTES];
	const char *kind = error != EINVAL ? NULL :
			   process_children_away(pid, "pid") ? "PID" :
			   process_children_away(pid, "time") ? "time" : NULL;

	if (kind)
		return cause_set(call->cause, -EINVAL, SERVICE_NAMESPACE,
				 .pid = pid, .text = kind);
	process_limits(pid, error, limits, sizeof(limits));
	return *limits ? cause_set(call->cause, ret, SERVICE_LIMITED,
				   .pid = pid, .error = error,
				   .limits = limits) :
			 cause_set(call->cause, ret, SERVICE_REFUSED,
				   .pid = pid, .error = error);
}

/* Waits until a new service thread has come (it may have left again), until
 * none can come, or until the process gives an errno. Returns 0, or a negative
 * errno and the cause. */
static int wait_came(struct call *call, bool signalled)
{
	const struct rundir_process *process = call->process;
	const struct timespec pause = { .tv_nsec = CAME_PAUSE_NS };
	uint64_t end = monotonic_ns() + CAME_WAIT_MS * 1000000ull;
	struct process_page page;

	while (page_read(process, &page)->wake.state &&
	       page.wake.came == call->wake.came) {
		int error = page.wake.state == WAKE_OFFERED ? page.wake.error :
							      0;

		if (error && error != EBUSY)
			return thread_refused(call, -EIO, error);
		if (page.state == PROCESS_EXECED)
			return cause_set(call->cause, -ESTALE, PROCESS_EXECUTES,
					 .pid = process->pid);
		if (monotonic_ns() > end) {
			pid_t pid = call->process->pid;
			char traced[CAUSE_LINE_BYTES];

			/* the handler of the signal, or the thread that was
			 * led, would have changed the state first */
			if (process_stopped_why(pid, call->cause))
				return -ETIMEDOUT;
			if (page.wake.state == WAKE_TAKEN && page.wake.error)
				return thread_refused(call, -ETIMEDOUT,
						      page.wake.error);
			if (attach_threads_blocked(pid))
				return cause_set(call->cause, -ETIMEDOUT,
						 THREADS_BLOCKED, .pid = pid);
			if (signalled && page.wake.state == WAKE_OFFERED)
				return cause_set(
					call->cause, -ETIMEDOUT,
					SERVICE_SIGNAL_LOST, .pid = pid,
					.n = CAME_WAIT_MS,
					.text = cause_line(&call->traced,
							   traced));
			return cause_set(call->cause, -ETIMEDOUT, SERVICE_LATE,
					 .pid = pid, .n = CAME_WAIT_MS);
		}
		if (!rundir_lives(process))
			return cause_set(call->cause, -ESRCH, PROCESS_ENDED,
					 .pid = process->pid);
		nanosleep(&pause, NULL);
		/* the previous service thread had not left yet, or the offer
		 * was withdrawn meanwhile */
		if (error)
			break;
	}
	return 0;
}

/* Writes a number of the page's `wake`, for the process to see. Returns 0 or a
 * negative errno. */
static int wake_write(const struct rundir_process *process, size_t member,
		      uint32_t value)
{
	const off_t at = offsetof(struct process_page, wake) + member;
	int ret = 0;
	int fd = rundir_open_file(process, process->image, O_RDWR, "process");

	if (fd < 0)
		return fd;
	if (pwrite(fd, &value, sizeof(value), at) != sizeof(value))
		ret = errno ? -errno : -EIO;
	close(fd);
	return ret;
}

/* Writes whether a command wants a thread. Returns 0 or a negative errno. */
static int request_write(const struct rundir_process *process, uint32_t value)
{
	return wake_write(process, offsetof(struct process_wake, request),
			  value);
}

/* Returns by what the process of the directory is known: its user, and the page
 * that it maps. */
static struct attach_owner owner_of(const struct rundir_process *process,
				    uint64_t page)
{
	struct attach_owner owner = { .uid = process->uid, .page = page };

	snprintf(owner.file, sizeof(owner.file), "/%s/%u/process",
		 process->name, process->image);
	return owner;
}

int activation_check(const struct rundir_process *process)
{
	struct process_page page;
	struct attach_owner owner;

	page_read(process, &page);
	owner = owner_of(process, page.wake.page);
	return attach_owner_check(process->pid, &owner);
}

enum ease { EASE_NONE, EASE_SOME, EASE_CALM };

/*
 * Tells whether a signal's handler disturbs the thread. A handler does not
 * disturb a thread that computes, or that is in a system call which the kernel
 * restarts after a handler (signal(7), SA_RESTART). Other calls, such as
 * poll(2), nanosleep(2) or a wait with a time-out, return EINTR.
 */
static enum ease thread_ease(pid_t pid, pid_t tid)
{
	static const long calls[] = {
		SYS_read, SYS_readv, SYS_wait4, SYS_waitid, SYS_flock,
		SYS_futex,
	};
	char text[256];
	unsigned long timeout;
	long number;

	process_text(pid, tid, "syscall", text, sizeof(text));
	if (!strncmp(text, "running", 7))
		return EASE_CALM;
	if (sscanf(text, "%ld %*x %*x %*x %lx", &number, &timeout) != 2)
		return EASE_SOME;
	if (number == SYS_rt_sigtimedwait)
		return EASE_NONE;
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (number == calls[i] && (number != SYS_futex || !timeout))
			return EASE_CALM;
	return EASE_SOME;
}

pid_t activation_thread(pid_t pid, int number, uint32_t filters, bool first,
			bool *dispatched)
{
	pid_t tids[ATTACH_THREADS_MAX];
	int n = attach_threads_list(pid, tids);
	pid_t other = 0;

	*dispatched = false;
	first = first && !attach_first_ended(pid);
	for (int i = 0; i < n; i++) {
		enum ease ease = thread_ease(pid, tids[i]);

		/* with TAFFRAIL_SERVICE=signal, the handler makes no thread */
		if (ease == EASE_NONE || (ease == EASE_SOME && other) ||
		    (first && tids[i] != pid) ||
		    (number == WAKE_SIGNAL &&
		     attach_thread_deadline(tids[i])) ||
		    attach_signal_in(pid, tids[i], "SigBlk", number) ||
		    attach_filters(tids[i]) > (long)filters)
			continue;
		if (number != WAKE_SIGNAL &&
		    attach_stop_dispatched(pid, tids[i])) {
			*dispatched = true;
			continue;
		}
		if (ease == EASE_CALM)
			return tids[i];
		other = tids[i];
	}
	return other;
}

bool activation_waits(pid_t pid, int number)
{
	pid_t tids[ATTACH_THREADS_MAX];
	int n = attach_threads_list(pid, tids);

	/* such a thread takes the signals that it does not block meanwhile */
	for (int i = 0; i < n; i++)
		if (thread_ease(pid, tids[i]) == EASE_NONE &&
		    !attach_signal_in(pid, tids[i], "SigBlk", number))
			return true;
	return false;
}

/* Says why no thread takes the signal, as it stands behind the wait. */
static int signal_untaken(struct call *call)
{
	pid_t pid = call->process->pid;
	char traced[CAUSE_LINE_BYTES];

	if (process_stopped_why(pid, call->cause))
		return -EBUSY;
	if (attach_filters(pid) > call->where.most)
		return cause_set(call->cause, -EPERM, SERVICE_FILTERED,
				 .pid = pid);
	return cause_set(call->cause, -EBUSY, SERVICE_SIGNALS_BLOCKED,
			 .pid = pid, .text = cause_line(&call->traced, traced));
}

/* Returns a thread that takes the signal, or 0. Waits for one while the process
 * makes the offer. */
static pid_t thread_awaited(const struct call *call)
{
	const struct timespec pause = { .tv_nsec = CAME_PAUSE_NS };
	uint64_t end = monotonic_ns() + BLOCKED_WAIT_MS * 1000000ull;
	pid_t pid = call->process->pid, tid = 0;
	struct process_wake wake;
	bool dispatched;

	while (!process_stopped(pid) &&
	       !(tid = activation_thread(pid, WAKE_SIGNAL, call->wake.filters,
					 call->where.first, &dispatched)) &&
	       attach_filters(pid) <= call->where.most &&
	       wake_read(call->process, &wake) == WAKE_OFFERED &&
	       monotonic_ns() < end)
		nanosleep(&pause, NULL);
	return tid;
}

/* Says that this command can make the process do nothing, and why. */
static int thread_denied(struct call *call)
{
	char traced[CAUSE_LINE_BYTES];

	return cause_set(call->cause, -ENOTSUP, SERVICE_DENIED,
			 .pid = call->process->pid,
			 .text = cause_line(&call->traced, traced));
}

/* Says that the process could not be made to do it. Returns `ret`. */
static int thread_failed(struct call *call, int ret)
{
	char traced[CAUSE_LINE_BYTES];

	return cause_set(call->cause, ret, SERVICE_FAILED,
			 .pid = call->process->pid, .error = ret,
			 .text = cause_line(&call->traced, traced));
}

/* Sends the signal whose handler makes the service thread. The agent's handler
 * must be there, or the signal would end the program. */
static int by_signal(struct call *call)
{
	const struct rundir_process *process = call->process;
	struct process_wake wake;
	pid_t pid = process->pid;
	pid_t tid;
	int ret;

	if (!attach_signal_in(pid, pid, "SigCgt", WAKE_SIGNAL))
		return thread_denied(call);
	tid = thread_awaited(call);
	if (!tid && wake_read(process, &wake) != WAKE_OFFERED)
		return 0;
	if (!tid)
		return signal_untaken(call);
	ret = request_write(process, 1);
	if (ret)
		return thread_failed(call, ret);
	__atomic_thread_fence(SEQ_CST(WAKE_REQUEST));
	/* before execve(2) the process withdraws the offer, and then waits
	 * until the request is withdrawn */
	if (wake_read(process, &wake) != WAKE_OFFERED ||
	    !rundir_lives(process)) {
		request_write(process, 0);
		return 0;
	}
	if (!syscall(SYS_tgkill, pid, tid, WAKE_SIGNAL))
		ret = wait_came(call, true);
	else if (errno != ESRCH)
		ret = thread_failed(call, -errno);
	else if (!rundir_lives(process))
		ret = cause_set(call->cause, -ESRCH, PROCESS_ENDED, .pid = pid);
	else
		request_write(process, 0); /* that thread has exited */
	if (ret)
		request_write(process, 0);
	return ret;
}

/* Leads a thread. Returns 0 when one was led; else a negative errno, and
 * call->traced. */
static int by_ptrace(struct call *call)
{
	pid_t pid = call->process->pid;
	struct attach_target target = {
		.pid = pid,
		.cause = &call->traced,
		.rseq_offset = call->wake.rseq_offset,
		.rseq_bytes = call->wake.rseq_bytes,
	};
	/* before the check: no other program than the one that it finds is
	 * led, whatever the process executes meanwhile */
	int ret;

	if (limits_blind())
		return cause_set(&call->traced, -ENOSYS, NO_PROC);
	ret = attach_image_open(&target);
	if (ret == -EMFILE || ret == -ENFILE)
		return cause_set(&call->traced, ret, PROCESS_UNREAD, .pid = pid,
				 .error = ret);
	ret = attach_owner_check(pid, &call->where.owner);
	/* that code returns to an address that no call left there */
	if (!ret && process_status_has(pid, "x86_Thread_features", "shstk"))
		ret = cause_set(&call->traced, -ENOTSUP, SERVICE_SHADOW_STACKS);
	else if (!ret && process_executes(pid, call->wake.entry))
		ret = attach_stop_wake(&target, &call->where);
	/* it has no memory any more, and perhaps no directory */
	else if (!rundir_lives(call->process) || process_ending(pid))
		ret = cause_set(&call->traced, -ESRCH, PROCESS_ENDED,
				.pid = pid);
	/* under an emulator, the processor does not execute that code */
	else if (!ret)
		ret = cause_set(&call->traced, -ENOTSUP, SERVICE_EMULATED);
	else if (ret == -EXDEV)
		cause_set(&call->traced, ret, PROCESS_STRANGE, .pid = pid);
	else
		cause_set(&call->traced, ret, PROCESS_EXECUTES, .pid = pid);
	attach_image_close(&target);
	return ret;
}

int activation_error(const struct rundir_process *process)
{
	struct process_page page;

	return page_read(process, &page)->wake.error;
}

int activation_failed(const struct rundir_process *process)
{
	struct process_wake wake;

	return wake_read(process, &wake) == WAKE_OFFERED &&
	       wake.error != EBUSY ? wake.error : 0;
}

int activation_refused(const struct rundir_process *process)
{
	struct process_wake wake;

	return wake_read(process, &wake) == WAKE_NONE ? wake.error : 0;
}

/* Makes the thread, by ptrace(2) or by a signal. Returns 0, or a negative errno
 * and the cause. */
static int thread_make(struct call *call)
{
	int ret;

	/* another command has led a thread there, which has not run yet */
	if (call->wake.state == WAKE_TAKEN)
		return wait_came(call, false);
	if (call->wake.error)
		wake_write(call->process, offsetof(struct process_wake, error),
			   0);
	ret = by_ptrace(call);
	if (!ret)
		return wait_came(call, false);
	switch (call->traced.id) {
	/* a signal would not be taken either, or would stay pending in a
	 * process that is stopped */
	case CAUSE_NO_PROC:
	case CAUSE_PROCESS_ENDED:
	case CAUSE_PROCESS_EXECUTES:
	case CAUSE_PROCESS_STOPPED:
	case CAUSE_PROCESS_STRANGE:
	case CAUSE_PROCESS_UNREAD:
	case CAUSE_THREADS_BLOCKED:
	case CAUSE_THREAD_DEADLINE:
	case CAUSE_THREAD_DISPATCHED:
		break;
	/* this command, or any, cannot lead the process's threads */
	case CAUSE_PTRACE_REFUSED:
	case CAUSE_PROCESS_HIDDEN:
	case CAUSE_SERVICE_SHADOW_STACKS:
	case CAUSE_SERVICE_EMULATED:
		return call->wake.signal == WAKE_SIGNAL ? by_signal(call) :
							  thread_denied(call);
	default:
		if (call->wake.signal == WAKE_SIGNAL)
			return by_signal(call);
	}
	*call->cause = call->traced;
	return ret;
}

int activation_run(const struct rundir_process *process, struct cause *cause)
{
	struct call call = { .process = process, .cause = cause };
	struct process_page page;
	int ret = 0;

	if (!wake_read(process, &call.wake))
		return 0;
	if (call.wake.state == WAKE_SIGNALLED && !process->unseen)
		return 0;
	if (process->unseen)
		return cause_set(cause, -EXDEV, PROCESS_NAMESPACE_UNSEEN,
				 .pid = process->pid);
	/* another command makes the thread */
	if (flock(process->fd, LOCK_EX | LOCK_NB))
		return 0;
	page_read(process, &page);
	call.wake = page.wake;
	if (call.wake.state) {
		call.where.entry = call.wake.entry;
		call.where.owner = owner_of(process, call.wake.page);
		call.where.most = (long)call.wake.filters;
		call.where.first = page.landlock != LANDLOCK_NOT;
		memcpy(call.where.uuid, page.uuid, sizeof(page.uuid));
		ret = thread_make(&call);
		ret = ret ? ret : 1;
	}
	flock(process->fd, LOCK_UN);
	return ret;
}

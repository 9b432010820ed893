/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calling the service thread of a process that has none. See summon.h.
 *
 * A handler of the program's thread makes it, where that disturbs the thread in
 * nothing; else the command stops one thread for that (ptrace), for as long as
 * one system call takes; and where it may not, a handler all the same.
 *
 * What must stay true here: who makes the thread holds the lock of the
 * process's directory, from the look at the offer until the thread is there.
 * Two threads on one stack would be the end of the process.
 */
#include "command/summon.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "command/attach-private.h"
#include "command/process-markers.h"

#define CAME_WAIT_MS	2000
#define CAME_PAUSE_NS	100000

static int offer_read(const struct rundir_process *process,
		      struct process_wake *wake)
{
	struct process_page page = { 0 };

	rundir_read_process(process, process->image, &page);
	*wake = page.wake;
	return wake->at != 0;
}

bool summon_offered(const struct rundir_process *process)
{
	struct process_wake wake;

	return offer_read(process, &wake);
}

/* Waits until there is one thread more than `before`; it may have left
 * again. */
static int wait_came(const struct rundir_process *process, uint32_t before,
		     uint64_t ms)
{
	const struct timespec pause = { .tv_nsec = CAME_PAUSE_NS };
	uint64_t end = attach_now_ns() + ms * 1000000;
	struct process_wake wake;

	while (offer_read(process, &wake), wake.came == before) {
		if (attach_now_ns() > end)
			return -ETIMEDOUT;
		if (!rundir_alive(process->pid, process->starttime))
			return -ESRCH;
		nanosleep(&pause, NULL);
	}
	return 0;
}

static int request_write(const struct rundir_process *process, uint32_t value)
{
	const off_t at = offsetof(struct process_page, wake) +
			 offsetof(struct process_wake, request);
	char name[32];
	int fd, ret = 0;

	snprintf(name, sizeof(name), "%u/process", process->image);
	fd = rundir_open_file(process, name, O_RDWR);
	if (fd < 0)
		return fd;
	if (pwrite(fd, &value, sizeof(value), at) != sizeof(value))
		ret = errno ? -errno : -EIO;
	close(fd);
	return ret;
}

/*
 * Does a signal's handler leave what the thread is at as it is? It does where
 * the thread computes, and in system calls that the kernel begins again behind
 * a handler (signal(7), SA_RESTART). Other calls, as poll(2), nanosleep(2) or a
 * wait with a time-out, return EINTR.
 */
static bool calm(pid_t pid, pid_t tid)
{
	static const long calls[] = {
		SYS_read, SYS_readv, SYS_wait4, SYS_waitid, SYS_flock,
		SYS_futex,
	};
	char path[64], text[256] = "";
	unsigned long timeout;
	long number;
	FILE *f;
	bool got;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", pid, tid);
	f = fopen(path, "re");
	got = f && fgets(text, sizeof(text), f);
	if (f)
		fclose(f);
	if (!got || !strncmp(text, "running", 7))
		return got;
	if (sscanf(text, "%ld %*x %*x %*x %lx", &number, &timeout) != 2)
		return false;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (number == calls[i])
			return number != SYS_futex || !timeout;
	return false;
}

/* A thread that does not block the signal, one that it does not disturb
 * first; 0: none. */
static pid_t thread_that_takes(pid_t pid, int number, bool calm_only)
{
	pid_t tids[ATTACH_THREADS_MAX];
	int n = attach_threads_list(pid, tids);
	pid_t other = 0;

	for (int i = 0; i < n; i++) {
		if (attach_signal_in(pid, tids[i], "SigBlk", number))
			continue;
		if (calm(pid, tids[i]))
			return tids[i];
		if (!other)
			other = tids[i];
	}
	return calm_only ? 0 : other;
}

/* The agent's handler makes the thread. The handler must be there, or the
 * signal would end the program. */
static int by_signal(const struct rundir_process *process,
		     const struct process_wake *wake, bool calm_only)
{
	int number = (int)wake->signal;
	pid_t pid = process->pid;
	pid_t tid;
	int ret;

	if (number != PROCESS_WAKE_SIGNAL ||
	    !attach_signal_in(pid, pid, "SigCgt", number))
		return -ENOTSUP;
	tid = thread_that_takes(pid, number, calm_only);
	if (!tid)
		return -EBUSY;
	ret = request_write(process, 1);
	if (ret)
		return ret;
	if (!rundir_alive(pid, process->starttime))
		return -ESRCH;
	if (syscall(SYS_tgkill, pid, tid, number))
		return -errno;
	ret = wait_came(process, wake->came, CAME_WAIT_MS);
	/* the handler may still come to it: nothing else is tried then */
	return ret ? -EINPROGRESS : 0;
}

/* `traced`: why the process could not be stopped, or "". */
static int explain(const struct rundir_process *process, int ret,
		   const char *traced, char *error, size_t room)
{
	const char *join = traced[0] ? "; " : "";

	if (ret == -ESRCH)
		snprintf(error, room, "process %d has ended", process->pid);
	else if (ret == -EPERM)
		snprintf(error, room, "process %d has a seccomp filter, which "
			 "may end it for a new thread", process->pid);
	else if (ret == -EBUSY || ret == -ETIMEDOUT || ret == -EINPROGRESS)
		snprintf(error, room, "process %d does not answer: it is "
			 "stopped, or its threads block all signals%s%s",
			 process->pid, join, traced);
	else if (ret == -ENOTSUP)
		snprintf(error, room, "process %d has no service thread, and "
			 "you may not make one; root may, or start it with "
			 "TAFFRAIL_SERVICE=thread%s%s", process->pid, join,
			 traced);
	else
		snprintf(error, room, "process %d makes no service thread: "
			 "%s%s%s", process->pid, strerror(-ret), join, traced);
	return ret;
}

/* With the lock, and an offer. */
static int make(const struct rundir_process *process,
		const struct process_wake *wake, char *error, size_t room)
{
	char traced[ATTACH_ERROR_BYTES] = "";
	struct attach_target target = {
		.pid = process->pid,
		.error = traced,
		.rseq_offset = wake->rseq_offset,
		.rseq_bytes = wake->rseq_offset ? 32 : 0,
	};
	uint32_t tid = 0;
	int ret;

	ret = attach_read(&target, wake->tid, &tid, sizeof(tid));
	if (!ret && tid)
		return 0;
	if (process_status(process->pid, "Seccomp") > 0)
		ret = -EPERM;
	else
		ret = by_signal(process, wake, true);
	if (!ret)
		return 1;
	if (ret != -EBUSY && ret != -ENOTSUP)
		return explain(process, ret, traced, error, room);
	ret = attach_stop_wake(&target, wake);
	if (!ret)
		ret = wait_came(process, wake->came, CAME_WAIT_MS);
	else if (ret != -ESRCH)
		ret = by_signal(process, wake, false);
	if (!ret)
		return 1;
	return explain(process, ret, traced, error, room);
}

int summon(const struct rundir_process *process, char *error, size_t room)
{
	struct process_wake wake;
	int ret = 0;

	if (!offer_read(process, &wake))
		return 0;
	if (flock(process->fd, LOCK_EX | LOCK_NB))
		return 0;
	if (offer_read(process, &wake))
		ret = make(process, &wake, error, room);
	flock(process->fd, LOCK_UN);
	return ret;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests to a process that serves them in a signal handler. See
 * called-private.h, and buffers/wake.h for the states.
 *
 * Invariant: the request is complete before the signal is sent, and a request
 * that the command gives up is withdrawn, unless the handler is obeying it. The
 * signal is sent only while the process has a handler for it, and never where
 * the program itself waits for it.
 */
#include "command/agents/client-private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "command/attach/steps.h"
#include "command/causes/cause.h"
#include "command/common/monotonic.h"
#include "command/procfs/process.h"

#define FILE_BYTES	(sizeof(struct message) + 65536)
#define BUSY_PAUSE_NS	1000000
#define SLICE_MIN_NS	2000000ll
#define SLICE_MAX_NS	200000000ll
#define TURN_PAUSE_NS	200000
#define CAUGHT_LOOKS	500
#define FINISH_MS	2000		/* for a request that is being obeyed */
#define AGAIN_MS	1000		/* for a thread to finish a write */

/* A request, and where the answer goes. */
struct called {
	const struct rundir_process *process;
	int fd;		     /* of called_open() */
	struct message head; /* the request's, then the answer's */
	const char *text;    /* the request's payload */
	char *payload;	     /* the answer's, ends with a NUL */
	struct cause *cause; /* why it failed */
	int queued;	     /* errno of the last signal, or 0 */
};

#define FILE_OPEN (O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

int called_open(const struct rundir_process *process)
{
	struct process_page page;
	struct stat st;
	bool made;
	int fd, ret;

	if (rundir_read_process(process, process->image, &page) ||
	    process->unseen)
		return -ENOENT;
	if (page.wake.signal > WAKE_SIGNAL && page.state == PROCESS_EXECED)
		return -ESTALE;
	if (page.wake.state != WAKE_SIGNALLED)
		return -ENOENT;
	fd = openat(process->fd, CALL_FILE, FILE_OPEN | O_CREAT | O_EXCL, 0600);
	made = fd >= 0;
	if (!made && errno == EEXIST) {
		fd = openat(process->fd, CALL_FILE, FILE_OPEN);
		if (fd < 0 && errno == ENOENT)
			return -EAGAIN;
	}
	if (fd < 0)
		return -errno;
	if (made) {
		/* the process takes files of the same user only */
		if (process->uid == geteuid() ||
		    !fchown(fd, process->uid, -1))
			return fd;
		ret = -errno;
		unlinkat(process->fd, CALL_FILE, 0);
	} else {
		/* it may be a link to another user's; or another command has
		 * made it, and gives it to that user in a moment */
		ret = -EPERM;
		if (!fstat(fd, &st) && S_ISREG(st.st_mode)) {
			if (st.st_uid == process->uid)
				return fd;
			if (st.st_uid == geteuid() && st.st_nlink == 1)
				ret = -EAGAIN;
		}
	}
	close(fd);
	return ret;
}

/* Writes the request into the file. Returns 0, or a negative errno and the
 * cause. */
static int request_write(struct called *called)
{
	ssize_t bytes = called->head.bytes;

	if (bytes > 65535)
		return cause_set(called->cause, -EMSGSIZE, SIGNAL_REQUEST_LONG,
				 .pid = called->process->pid);
	/* an answer that is not long finds room */
	if (ftruncate(called->fd, FILE_BYTES) ||
	    posix_fallocate(called->fd, 0, FILE_BYTES) ||
	    pwrite(called->fd, &called->head, sizeof(called->head), 0) !=
		    sizeof(called->head) ||
	    (bytes && pwrite(called->fd, called->text, bytes,
			     sizeof(called->head)) != bytes))
		return cause_set(called->cause, -ENOSPC, SIGNAL_NO_ROOM,
				 .pid = called->process->pid);
	return 0;
}

/* Returns true when a signal that was sent has not been taken yet. */
static bool signal_pending(pid_t pid, int number)
{
	pid_t tids[ATTACH_THREADS_MAX];
	int n = attach_threads_list(pid, tids);

	if (attach_signal_in(pid, pid, "ShdPnd", number))
		return true;
	for (int i = 0; i < n; i++)
		if (attach_signal_in(pid, tids[i], "SigPnd", number))
			return true;
	return false;
}

/* Returns true when a thread waits for the signal (sigwait), or a signalfd
 * does: the program would take the command's signal for one that it awaits. */
static bool signal_awaited(pid_t pid, int number)
{
	char path[NAME_MAX + 16], line[128];
	struct dirent *entry;
	bool found = activation_waits(pid, number);
	DIR *stream;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo", pid);
	stream = opendir(path);
	while (stream && !found && (entry = readdir(stream))) {
		snprintf(path, sizeof(path), "fdinfo/%s", entry->d_name);
		f = process_stream(pid, 0, path);
		while (f && fgets(line, sizeof(line), f))
			if (!strncmp(line, "sigmask:", 8))
				found |= strtoull(line + 8, NULL, 16) >>
					 (number - 1) & 1;
		if (f)
			fclose(f);
	}
	if (stream)
		closedir(stream);
	return found;
}

/* Queues the signal, to a thread or to the process, while the process takes
 * requests and waits for this one. Returns 0, -EAGAIN when it is too late, or
 * another negative errno. `error` gets the errno of the kernel. */
static int signal_queue(struct process_wake *wake, pid_t pid, pid_t tid,
			int *error)
{
	const int number = (int)wake->signal;
	siginfo_t info = { 0 };
	int ret = -EAGAIN;

	info.si_signo = number;
	info.si_code = SI_QUEUE;
	info.si_pid = getpid();
	info.si_uid = getuid();
	info.si_value.sival_ptr = (void *)CALL_COOKIE;
	__atomic_store_n(&wake->sending, 1, SEQ_CST(WAKE_REQUEST));
	if (__atomic_load_n(&wake->state, SEQ_CST(WAKE_REQUEST)) ==
		    WAKE_SIGNALLED &&
	    __atomic_load_n(&wake->request, SEQ_CST(WAKE_REQUEST)) ==
		    CALL_ASKED) {
		ret = tid ? syscall(SYS_rt_tgsigqueueinfo, pid, tid, number,
				    &info) :
			    syscall(SYS_rt_sigqueueinfo, pid, number, &info);
		*error = ret ? errno : 0;
		ret = -*error;
	}
	__atomic_store_n(&wake->sending, 0, SEQ_CST(WAKE_REQUEST));
	return ret;
}

/* Sends the signal to a thread that takes it. If there is none, leaves it
 * pending, unless the program itself waits for it. Returns 0 or a negative
 * errno: -EAGAIN when too many signals are queued, or none was needed. */
static int signal_send(struct called *called, struct process_wake *wake)
{
	const struct timespec busy = { .tv_nsec = BUSY_PAUSE_NS };
	pid_t pid = called->process->pid;
	int number = (int)wake->signal;
	int looks = CAUGHT_LOOKS;
	bool dispatched;
	pid_t tid;
	int ret;

	ret = activation_check(called->process);
	if (ret)
		return ret == -EXDEV ? cause_set(called->cause, ret,
						 PROCESS_STRANGE, .pid = pid) :
				       -EAGAIN;
	if (number < SIGRTMIN || number > SIGRTMAX)
		looks = 0;
	/* the process may have no handler for some us, while it executes or
	 * spawns a program */
	while (looks > 0 && !attach_signal_in(pid, pid, "SigCgt", number)) {
		nanosleep(&busy, NULL);
		looks--;
	}
	if (!looks) {
		if (__atomic_load_n(&wake->state, SEQ_CST(WAKE_REQUEST)) !=
		    WAKE_SIGNALLED)
			return -EAGAIN;
		return !rundir_lives(called->process) ?
			       cause_set(called->cause, -ESRCH, PROCESS_ENDED,
					 .pid = called->process->pid) :
			       cause_set(called->cause, -ENOTSUP,
					 SIGNAL_NO_HANDLER,
					 .pid = called->process->pid);
	}
	tid = activation_thread(pid, number, wake->filters, false, &dispatched);
	if (!tid && dispatched)
		return cause_set(called->cause, -ENOTSUP, THREAD_DISPATCHED,
				 .pid = pid);
	if (!tid && attach_filters(pid) > (long)wake->filters)
		return cause_set(called->cause, -EPERM, SIGNAL_FILTERED,
				 .pid = called->process->pid);
	if (!tid && signal_awaited(pid, number))
		return cause_set(called->cause, -EBUSY, SIGNAL_AWAITED,
				 .pid = called->process->pid);
	ret = signal_queue(wake, pid, tid, &called->queued);
	if (!ret || ret == -ESRCH || ret == -EAGAIN)
		return ret ? -EAGAIN : 0;
	return ret == -EPERM ? cause_set(called->cause, ret, SIGNAL_DENIED,
					 .pid = pid) :
			       cause_set(called->cause, ret, SIGNAL_UNSENT,
					 .pid = pid, .error = ret);
}

/* Changes the request's state, unless the handler has changed it. Returns
 * whether it was `from`. */
static bool request_change(struct process_wake *wake, uint32_t from,
			   uint32_t to)
{
	return __atomic_compare_exchange_n(&wake->request, &from, to, false,
					   SEQ_CST(WAKE_REQUEST),
					   SEQ_CST(WAKE_REQUEST));
}

/* Waits until the request's state is another one than `seen`, for a time at
 * most. Returns the state; 0: the answer can be read. */
static uint32_t request_await(struct process_wake *wake, uint32_t seen,
			      int64_t ns)
{
	const struct timespec pause = { .tv_nsec = ns };

	syscall(SYS_futex, &wake->request, FUTEX_WAIT, seen, &pause);
	/* CALL-ANSWER: 0 is read before the answer */
	return __atomic_load_n(&wake->request, ACQUIRE(CALL_ANSWER));
}

/* Says why the handler did not obey. Without an errno, the process has taken
 * the request back. */
static int call_refused(struct called *called, int error)
{
	const char *why = error ? activation_given_up(called->process) : NULL;
	struct cause *cause = called->cause;
	pid_t pid = called->process->pid;

	if (why)
		return cause_set(cause, -error, SIGNAL_UNREAD, .pid = pid,
				 .text = why);
	switch (error) {
	case 0:
		return cause_set(cause, -ESTALE, PROCESS_EXECUTES, .pid = pid);
	case EMFILE:
	case ENFILE:
		return cause_set(cause, -error, SIGNAL_FILES, .pid = pid);
	case ENOSPC:
	case EFBIG:
		return cause_set(cause, -error, SIGNAL_ANSWER_NO_ROOM,
				 .pid = pid);
	case ENOMEM:
		return cause_set(cause, -error, SIGNAL_MEMORY, .pid = pid);
	default:
		return cause_set(cause, -error, SIGNAL_UNSERVED, .pid = pid,
				 .error = error);
	}
}

/* Says why there is no answer in time. */
static int call_late(struct called *called, const struct process_wake *wake,
		     uint32_t seen)
{
	pid_t pid = called->process->pid;
	int number = (int)wake->signal;
	bool dispatched;

	if (process_stopped_why(pid, called->cause))
		return -ETIMEDOUT;
	if (seen == CALL_SERVED)
		return cause_set(called->cause, -ETIMEDOUT, SIGNAL_SERVES,
				 .pid = called->process->pid);
	if (called->queued == EAGAIN)
		return cause_set(called->cause, -ETIMEDOUT, SIGNAL_QUEUE_FULL,
				 .pid = called->process->pid);
	return activation_thread(pid, number, wake->filters, false,
				 &dispatched) ?
		       cause_set(called->cause, -ETIMEDOUT, SIGNAL_UNANSWERED,
				 .pid = pid, .n = number) :
		       cause_set(called->cause, -ETIMEDOUT, SIGNAL_BLOCKED,
				 .pid = pid, .n = number);
}

/* Waits for the handler, and sends the signal again when that was lost with a
 * thread that ended, or when the handler found the process busy. */
static int call_obeyed(struct called *called, struct process_wake *wake,
		       int64_t deadline)
{
	const struct timespec busy = { .tv_nsec = BUSY_PAUSE_NS };
	pid_t pid = called->process->pid;
	int64_t slice = SLICE_MIN_NS;
	uint32_t came = wake->came;
	uint32_t seen;
	int ret = -EAGAIN;

	for (;;) {
		if (ret == -EAGAIN)
			ret = signal_send(called, wake);
		if (ret && ret != -EAGAIN)
			return ret;
		seen = request_await(wake, CALL_ASKED, slice);
		if (!seen && wake->came != came)
			return 0;
		if (!seen && wake->error != EBUSY)
			return call_refused(called, wake->error);
		if (!rundir_lives(called->process))
			return cause_set(called->cause, -ESRCH, PROCESS_ENDED,
					 .pid = called->process->pid);
		/* it executes another program, unshares a namespace or
		 * installs a filter: another try finds out */
		if (wake->state != WAKE_SIGNALLED && seen != CALL_SERVED)
			return cause_set(called->cause, -EAGAIN, SIGNAL_AWAY,
					 .pid = pid);
		if (monotonic_ms() > deadline)
			return call_late(called, wake, seen);
		if (!seen) {
			nanosleep(&busy, NULL);
			request_change(wake, 0, CALL_ASKED);
			ret = -EAGAIN;
		} else if (seen == CALL_ASKED &&
			   !signal_pending(pid, wake->signal)) {
			ret = -EAGAIN;
			slice = slice * 2 < SLICE_MAX_NS ? slice * 2 :
							   SLICE_MAX_NS;
		}
		if (seen == CALL_SERVED)
			request_await(wake, CALL_SERVED, slice);
	}
}

/* Withdraws the request, or waits until the handler has left. */
static void call_withdraw(struct process_wake *wake)
{
	int64_t end = monotonic_ms() + FINISH_MS;

	while (!request_change(wake, CALL_ASKED, 0) &&
	       request_await(wake, CALL_SERVED, SLICE_MIN_NS) &&
	       monotonic_ms() < end)
		;
}

/* Reads the answer, and the payload, which the caller frees. Returns 0, or a
 * negative errno and the cause. */
static int answer_read(struct called *called)
{
	ssize_t bytes;

	if (pread(called->fd, &called->head, sizeof(called->head), 0) !=
	    sizeof(called->head) ||
	    called->head.bytes > PROTOCOL_PAYLOAD_MAX)
		return cause_set(called->cause, -EBADMSG, AGENT_ANSWER_STRANGE,
				 .pid = called->process->pid);
	bytes = called->head.bytes;
	called->payload = malloc((size_t)bytes + 1);
	if (!called->payload)
		return cause_set(called->cause, -ENOMEM, OUT_OF_MEMORY);
	called->payload[bytes] = '\0';
	if (pread(called->fd, called->payload, bytes, sizeof(called->head)) !=
	    bytes)
		return cause_set(called->cause, -EBADMSG,
				 AGENT_ANSWER_MALFORMED,
				 .pid = called->process->pid);
	return 0;
}

/* Makes the request when no other command makes one. Returns 0, or a negative
 * errno and the cause. */
static int call_in_turn(struct called *called, int64_t deadline)
{
	const struct timespec pause = { .tv_nsec = TURN_PAUSE_NS };
	pid_t pid = called->process->pid;
	struct process_page *page;
	struct process_wake *wake;
	uint64_t caller;
	int fd, ret;

	while (flock(called->fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return cause_set(called->cause, -errno, SIGNAL_NO_LOCKS,
					 .pid = pid);
		if (monotonic_ms() > deadline)
			return cause_set(called->cause, -ETIMEDOUT, SIGNAL_TURN,
					 .pid = pid);
		nanosleep(&pause, NULL);
	}
	page = MAP_FAILED;
	fd = rundir_open_file(called->process, called->process->image, O_RDWR,
			      "process");
	if (fd >= 0) {
		page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE,
			    MAP_SHARED, fd, 0);
		close(fd);
	}
	if (page == MAP_FAILED) {
		ret = cause_set(called->cause, -ESRCH, SIGNAL_LEFT, .pid = pid);
		goto out;
	}
	wake = &page->wake;
	/* of a command that was killed */
	call_withdraw(wake);
	ret = request_write(called);
	if (!ret) {
		caller = page->pid == (uint32_t)pid ? (uint64_t)getpid() : 0;
		wake->entry = caller << 32 | getuid();
		__atomic_store_n(&wake->request, CALL_ASKED,
				 SEQ_CST(WAKE_REQUEST));
		ret = call_obeyed(called, wake, deadline);
		if (ret)
			call_withdraw(wake);
		else
			ret = answer_read(called);
	}
	munmap(page, sizeof(*page));
out:
	flock(called->fd, LOCK_UN);
	return ret;
}

int called_exchange(struct client *client, struct message *head,
		    const struct client_request *request,
		    struct client_answer *answer, int64_t ms)
{
	int64_t begin = monotonic_ms();
	struct called called = {
		.process = client->process,
		.fd = client->fd,
		.text = request ? request->text : NULL,
		.cause = &client->cause,
	};
	int above, ret;

	/* again: the signal has met a thread in the middle of a write */
	do {
		free(called.payload);
		called.payload = NULL;
		called.head = *head;
		ret = call_in_turn(&called, begin + ms);
	} while (!ret && called.head.status == -ETIMEDOUT &&
		 monotonic_ms() - begin < AGAIN_MS);
	/* the agent has gone: so do the file and the empty directory */
	if (!ret && !called.head.status && head->type == MESSAGE_DETACH) {
		unlinkat(client->process->fd, CALL_FILE, 0);
		above = openat(client->process->fd, "..",
			       O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (above >= 0) {
			unlinkat(above, client->process->name, AT_REMOVEDIR);
			close(above);
		}
	}
	answer->payload = called.payload;
	answer->bytes = called.payload ? called.head.bytes : 0;
	*head = called.head;
	/* the process executes another program, or unshares a namespace */
	return ret == -EAGAIN && (client->answered || client->last) ? -EBUSY :
								     ret;
}
